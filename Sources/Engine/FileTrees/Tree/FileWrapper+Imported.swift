package import DurableIO
import PackageFormat
import Synchronization

// Nodes from an archive, exact to the byte and to the nanosecond.
extension FileWrapper {
  /// Makes a symbolic link with these bytes as its destination.
  package static func imported(linkTo destination: [UInt8]) -> FileWrapper {
    FileWrapper(state: State(node: .link(.known(destination)), attributes: .newLink()))
  }

  /// Makes a regular file of bytes in memory or in another file, which a save reads.
  package static func imported(_ contents: FileContents) -> FileWrapper {
    FileWrapper(state: State(node: .file(contents), attributes: .newFile()))
  }

  /// Sets the permissions and the date of a node in memory.
  package func setImported(mode: UInt16, modified: FileTime?) {
    edit { state in
      state.attributes = NodeAttributes(mode: mode, modeIsExact: true, modified: modified)
    }
  }
}
