import DurableIO
import FilePackages

extension DocumentContent {
  /// Writes the content into a tree. If the content returns a new tree, this one gets its children.
  func write(into tree: FileWrapper, as type: UTType, pathExtension: String) throws {
    let written = try written(over: tree, type, pathExtension: pathExtension)
    if written !== tree { try tree.become(written) }
  }
}

/// The owner of a tree whose children another tree gets.
package enum TreeGiver {
  /// Files that were written for this purpose. The tree gives its children away, and a linked file stays.
  case files
  /// A model that keeps its tree. A child that it has not changed since it was read stays, since another program may
  /// have changed the file.
  case model
}

extension FileWrapper {
  /// Gives this folder the children of `written`.
  package func become(_ written: FileWrapper, of giver: TreeGiver = .files) throws {
    try become(written, of: giver, isRoot: true)
  }

  private func become(_ written: FileWrapper, of giver: TreeGiver, isRoot: Bool) throws {
    let new = try Set(written.childNames())
    for name in try childNames() where !new.contains(name) {
      // The store owns the metadata, unless the content writes some.
      if isRoot && name == PackageLayout.metadata.string { continue }
      if let old = try child(named: name) { removeFileWrapper(old) }
    }
    for name in new.sorted() {
      if isRoot && name == PackageLayout.metadata.string && metadataRole == .hidden { continue }
      guard let child = try written.child(named: name) else { continue }
      if let old = try self.child(named: name) {
        if old.isCurrent(child, of: giver) { continue }
        if old.isDirectory && child.isDirectory {
          try old.become(child, of: giver, isRoot: false)
          continue
        }
        removeFileWrapper(old)
      }
      if giver == .files { written.removeFileWrapper(child) }
      if child.preferredFilename != name { child.preferredFilename = name }
      addFileWrapper(child)
    }
  }

  /// Whether this child stays in place of `new`.
  private func isCurrent(_ new: FileWrapper, of giver: TreeGiver) -> Bool {
    guard let file = new.storedFile else { return giver == .model && self === new }
    switch giver {
    case .files: return file == storedFile
    case .model: return self === new || isRegularFile
    }
  }
}
