import DurableIO
import Synchronization

// What a tree knows of the disk, for telling its own program's writes from those of others. Reads nothing.
extension FileWrapper {
  /// What stood on disk when the folder was listed; nil where it was not.
  var knownListing: DirectoryListing? {
    state.withLock { state in
      if case .directory(let directory) = state.node { directory.listing } else { nil }
    }
  }

  /// What this tree knows to be on disk at a place in it; nil when it never looked there.
  func knownBaseline(at path: PackagePath) -> DirectoryNode.Baseline? {
    guard let name = path.name else { return nil }
    if let folder = knownFolder(at: path.parent) { return folder.knownBaseline(of: name) }
    // In a folder that is known not to be there, there is nothing.
    if case .absent? = knownBaseline(at: path.parent) { return .absent }
    return nil
  }

  /// The folder that stands on disk at a place, where it is an object.
  private func knownFolder(at path: PackagePath) -> FileWrapper? {
    guard let folder = folderObject(at: path) else { return nil }
    // A folder that was renamed in memory is somewhere else on disk.
    return folder.state.withLock { $0.stored?.path } == path ? folder : nil
  }

  /// The folder at a place in the tree, where it is an object.
  private func folderObject(at path: PackagePath) -> FileWrapper? {
    var folder = self
    for name in path.names {
      guard let child = folder.objects[name] else { return nil }
      folder = child
    }
    return folder.isDirectory ? folder : nil
  }

  /// What this tree knows to have been on disk in one of its folders, when it was last read or saved; nil when
  /// the folder was never listed.
  func knownBaselines(at path: PackagePath) -> [FileName: DirectoryNode.Baseline]? {
    guard let (known, isListed) = folderObject(at: path)?.knownBaselines, isListed else { return nil }
    return known
  }

  /// What is known to have been on disk in this folder: all of its names where it was listed, otherwise those of
  /// children that are objects, or were.
  var knownBaselines: (known: [FileName: DirectoryNode.Baseline], isListed: Bool) {
    let (listing, changes, children) = state.withLock { state in
      state.withDirectory { ($0.listing, $0.changes, $0.children) }
    }
    func baseline(of name: FileName) -> DirectoryNode.Baseline {
      changes[name] ?? .present(children[name]?.state.withLock { $0.stored?.status })
    }
    var known = changes
    if let listing {
      for position in 0..<listing.count where listing.kind(at: position).isSupported {
        let name = listing.name(at: position)
        known[name] = baseline(of: name)
      }
    } else {
      for name in children.keys { known[name] = baseline(of: name) }
    }
    return (known, listing != nil)
  }

  private func knownBaseline(of name: FileName) -> DirectoryNode.Baseline? {
    let (change, child, listing) = state.withLock { state in
      state.withDirectory { ($0.changes[name], $0.children[name], $0.listing) }
    }
    if let change { return change }
    if let child { return .present(child.state.withLock { $0.stored?.status }) }
    guard let listing else { return nil }
    return listing.position(of: name) == nil ? .absent : .present(nil)
  }
}
