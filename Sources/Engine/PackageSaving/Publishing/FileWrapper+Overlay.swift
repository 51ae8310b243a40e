import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

extension FileWrapper {
  /// Applies steps of a record to the tree, as publishing will apply them to the disk.
  func overlay(_ steps: [Publisher.Outstanding], at location: Location) throws {
    for (change, step) in steps where step == .remove { try overlay(change, step, at: location) }
    for (change, step) in steps.reversed() where step == .removeFolder {
      try overlay(change, step, at: location)
    }
    for (change, step) in steps where step == .put || step == .makeFolder {
      try overlay(change, step, at: location)
    }
  }

  private func overlay(_ change: Change, _ step: Change.Step, at location: Location) throws {
    guard let name = change.path.name else { return }
    var folder = self
    for name in change.path.parent.names {
      guard let child = try folder.child(name), child.isDirectory else { return }
      folder = child
    }
    let present = try folder.child(name)
    let new: FileWrapper
    switch step {
    case .setAttributes: return
    case .remove, .removeFolder:
      guard let present, try step == .remove || present.isDirectory && present.children().isEmpty else {
        return
      }
      return folder.removeFileWrapper(present)
    case .put:
      if let present { folder.removeFileWrapper(present) }
      new = try Self.staged(change, at: location)
    case .makeFolder:
      if present != nil { return }
      let attributes = NodeAttributes(mode: change.new?.mode ?? 0o777, modeIsExact: false, modified: nil)
      new = FileWrapper(state: State(node: .directory(DirectoryNode()), attributes: attributes))
    }
    new.preferredFilename = name.string
    folder.addFileWrapper(new)
  }

  private static func staged(_ change: Change, at location: Location) throws -> FileWrapper {
    if let bytes = change.bytes, let new = change.new {
      let attributes = NodeAttributes(mode: new.mode, modeIsExact: true, modified: new.modified)
      let node: Node = new.kind == .symbolicLink ? .link(.known(bytes)) : .file(.data(Data(bytes)))
      return FileWrapper(state: State(node: node, attributes: attributes))
    }
    let folder = StoredNode(location: location, path: PackageLayout.stagingPath)
    guard let node = try folder.children([change.name]).first else { return FileWrapper() }
    return FileWrapper(state: State(node, name: change.path.name))
  }
}
