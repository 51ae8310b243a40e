import DurableIO
import FilePackages
import Foundation

extension FileWrapper {
  /// Gives this directory the children of a tree that the model made, or that was read before.
  ///
  /// A child that the model has not changed since it was read stays as it is here, as another program may have changed
  /// it. A save writes only the other ones.
  func take(_ model: FileWrapper) throws { try take(model, isRoot: true) }

  private func take(_ model: FileWrapper, isRoot: Bool) throws {
    let wanted = try model.children()
    for name in try childNames() where wanted[name] == nil {
      // The metadata is the store's, and no child of the model.
      if isRoot && name == PackageLayout.metadata.string { continue }
      if let old = try child(named: name) { removeFileWrapper(old) }
    }
    for (name, child) in wanted.sorted(by: { $0.key < $1.key }) {
      if isRoot && name == PackageLayout.metadata.string && metadataRole == .hidden { continue }
      if let old = try self.child(named: name) {
        if old === child || old.isRegularFile && child.storedFile != nil { continue }
        if old.isDirectory && child.isDirectory {
          try old.take(child, isRoot: false)
          continue
        }
        removeFileWrapper(old)
      }
      if child.preferredFilename != name { child.preferredFilename = name }
      addFileWrapper(child)
    }
  }
}
