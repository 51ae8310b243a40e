import DurableIO
import Synchronization

extension FileWrapper {
  /// What this tree knows to have been on disk in one of its folders, when it was last read or saved; nil when
  /// the folder was never listed. Reads nothing.
  func knownBaselines(at path: PackagePath) -> [FileName: DirectoryNode.Baseline]? {
    var folder = self
    for name in path.names {
      guard folder.isDirectory,
        let child = folder.state.withLock({ state in state.withDirectory { $0.children[name] } })
      else { return nil }
      folder = child
    }
    guard folder.isDirectory else { return nil }
    let (listing, changes, children) = folder.state.withLock { state in
      state.withDirectory { ($0.listing, $0.changes, $0.children) }
    }
    guard let listing else { return nil }
    var baselines = changes
    for position in 0..<listing.count where listing.kind(at: position).isSupported {
      let name = listing.name(at: position)
      if baselines[name] != nil { continue }
      baselines[name] = .present(children[name]?.state.withLock { $0.stored?.status })
    }
    return baselines
  }
}
