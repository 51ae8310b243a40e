import DurableIO
import Synchronization

extension FileWrapper {
  /// Makes what is on disk at `place` the state that later changes are told from. Called after the snapshot was
  /// saved there; what changed since the snapshot stays a change.
  ///
  /// Cost: a look at every child that is an object.
  func settle(as place: StoredNode, _ saved: PackageSnapshot.Node?, updatesNames: Bool = true) {
    guard let status = place.status else { return }
    let (kind, children) = (kind, isDirectory ? state.withLock { $0.withDirectory { $0.children } } : [:])
    let savedChanges: [FileName: PackageSnapshot.Change] =
      if case .directory(let changes) = saved?.content { changes } else { [:] }
    let names = Set(children.keys).union(savedChanges.keys)
    let statuses = kind == .directory ? place.statuses(of: Array(names)) : [:]
    let revisions = children.mapValues { $0.state.withLock { $0.revision } }

    state.withLock { state in
      state.stored = place
      if updatesNames { state.filename = place.path.name?.string ?? state.filename }
      if saved?.revision == state.revision { state.attributes = NodeAttributes(status) }
      switch state.node {
      case .file(.stored): state.node = .file(.stored(place))
      case .directory:
        state.withDirectory { directory in
          directory.listing = nil
          for name in Set(directory.changes.keys).union(savedChanges.keys) {
            let now = savedChanges[name]?.now
            let isSaved =
              savedChanges[name] != nil && directory.children[name] === now?.wrapper
              && (now == nil || now?.revision == revisions[name])
            directory.changes[name] =
              isSaved ? nil : statuses[name].map { .present($0) } ?? .absent
          }
        }
      default: break
      }
    }
    for (name, child) in children {
      let change = savedChanges[name]
      // A child that took the name after the snapshot is not what is on disk.
      guard change == nil || change?.now?.wrapper === child, let status = statuses[name] else { continue }
      guard status.kind == child.kind else { continue }
      var childPlace = place.child(name)
      childPlace.status = status
      child.settle(as: childPlace, change?.now, updatesNames: updatesNames)
    }
  }
}
