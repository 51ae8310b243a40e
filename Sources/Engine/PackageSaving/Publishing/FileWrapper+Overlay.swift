import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

extension FileWrapper {
  /// Applies operations of the journal to the tree, as publishing will apply them to the disk.
  func overlay(_ operations: [JournalRecord.Operation], at location: Location) throws {
    for operation in operations where operation.isRemoval { try overlay(operation, at: location) }
    for operation in operations.reversed() where operation.removesFolder {
      try overlay(operation, at: location)
    }
    for operation in operations where !operation.isRemoval && !operation.removesFolder {
      try overlay(operation, at: location)
    }
  }

  private func overlay(_ operation: JournalRecord.Operation, at location: Location) throws {
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
    case .removeFolder:
      if let present, present.isDirectory, try present.children().isEmpty {
        folder.removeFileWrapper(present)
      }
    case .makeFolder(let mode):
      if present != nil { return }
      let attributes = NodeAttributes(mode: mode, modeIsExact: false, modified: nil)
      let new = FileWrapper(state: State(node: .directory(DirectoryNode()), attributes: attributes))
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
