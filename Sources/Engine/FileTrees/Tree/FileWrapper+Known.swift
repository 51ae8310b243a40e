package import DurableIO
package import PackageFormat
import Synchronization

// The known state of the disk, which separates the program's own writes from writes by other programs. Reads nothing.
extension FileWrapper {
  /// The listing of the folder on disk; nil if the folder was not listed.
  package var knownListing: DirectoryListing? {
    state.withLock { state in
      if case .directory(let directory) = state.node { directory.listing } else { nil }
    }
  }

  /// Returns the known state of the disk at a place in this tree; nil if the tree never looked there.
  package func knownBaseline(at path: PackagePath) -> DirectoryNode.Baseline? {
    guard let name = path.name else { return nil }
    if let folder = knownFolder(at: path.parent) {
      return folder.state.withLock { state in state.withDirectory { $0.baseline(of: name) } }
    }
    // A folder that is known to be absent contains nothing.
    if case .absent? = knownBaseline(at: path.parent) { return .absent }
    return nil
  }

  /// Returns the folder that stands on disk at a place, if it is an object.
  private func knownFolder(at path: PackagePath) -> FileWrapper? {
    guard let folder = folderObject(at: path) else { return nil }
    // A folder that was renamed in memory stands at another path on disk.
    return folder.stored?.path == path ? folder : nil
  }

  /// Returns the folder at a place in the tree, if it is an object.
  private func folderObject(at path: PackagePath) -> FileWrapper? {
    var folder = self
    for name in path.names {
      guard let child = folder.objects[name] else { return nil }
      folder = child
    }
    return folder.isDirectory ? folder : nil
  }

  /// Returns the known entries of one folder on disk when the tree last read or saved it; nil if the folder was never
  /// listed.
  package func knownBaselines(at path: PackagePath) -> [FileName: DirectoryNode.Baseline]? {
    guard let (known, isListed) = folderObject(at: path)?.knownBaselines, isListed else { return nil }
    return known
  }

  /// The known entries of this folder on disk.
  ///
  /// If the folder was listed, these are all names; otherwise the names of children that are objects or were objects.
  package var knownBaselines: (known: [FileName: DirectoryNode.Baseline], isListed: Bool) {
    let directory = state.withLock { state in state.withDirectory { $0 } }
    var names = Set(directory.changes.keys)
    if let listing = directory.listing {
      names.formUnion((0..<listing.count).filter { listing.kind(at: $0).isSupported }.map(listing.name(at:)))
    } else {
      names.formUnion(directory.children.keys)
    }
    let known = names.map { ($0, directory.baseline(of: $0) ?? .absent) }
    return (Dictionary(uniqueKeysWithValues: known), directory.listing != nil)
  }
}
