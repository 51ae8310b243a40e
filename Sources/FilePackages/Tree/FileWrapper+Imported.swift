package import DurableIO
import Synchronization

// What an archive says of a node, to the byte and to the nanosecond.
extension FileWrapper {
  /// A symbolic link with these bytes as its destination.
  package static func imported(linkTo destination: [UInt8]) -> FileWrapper {
    FileWrapper(state: State(node: .link(.known(destination)), attributes: .newLink()))
  }

  /// Gives a node that is in memory these permissions and this date.
  package func setImported(mode: UInt16, modified: FileTime?) {
    change { state in
      state.attributes = NodeAttributes(mode: mode, modeIsExact: true, modified: modified)
    }
  }
}
