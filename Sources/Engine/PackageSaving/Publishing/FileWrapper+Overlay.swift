import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

extension FileWrapper {
  /// Applies an operation of the journal to the tree, as publishing will apply it to the disk.
  func overlay(_ operation: JournalRecord.Operation, at location: Location) throws {
    guard let name = operation.path.name else { return }
    var folder = self
    for name in operation.path.parent.names {
      guard let child = try folder.child(name), child.isDirectory else { return }
      folder = child
    }
    let present = try folder.child(name)
    switch operation.action {
    case .remove:
      if let present { folder.removeFileWrapper(present) }
    case .put(let staged):
      if let present { folder.removeFileWrapper(present) }
      let new = try Self.staged(staged, name, at: location)
      new.preferredFilename = name.string
      folder.addFileWrapper(new)
    case .setAttributes: break
    }
  }

  private static func staged(
    _ staged: JournalRecord.Staged, _ name: FileName, at location: Location
  ) throws -> FileWrapper {
    let attributes = NodeAttributes(mode: staged.mode, modeIsExact: true, modified: staged.node.modified)
    if let bytes = staged.bytes {
      let node: Node = staged.node.kind == .symbolicLink ? .link(.known(bytes)) : .file(.data(Data(bytes)))
      return FileWrapper(state: State(node: node, attributes: attributes))
    }
    let folder = StoredNode(
      location: location, path: PackagePath([PackageLayout.hidden, PackageLayout.staging]))
    guard let node = try folder.children([staged.name]).first else { return FileWrapper() }
    return FileWrapper(state: State(node, name: name))
  }
}
