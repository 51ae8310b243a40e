import DurableIO
import Synchronization

// (1) What changed after the snapshot stays a change, also while this runs.
// (2) A wrapper whose contents were read from somewhere else after the snapshot keeps them.
// (3) Bytes that stay in memory are those on disk; others, of the plist that the library rewrites for one, are
//     read again when they are asked for.

extension FileWrapper {
  /// Makes what is on disk at `place` the state that later changes are told from. Called after the snapshot was
  /// saved there; what changed since the snapshot stays a change.
  ///
  /// Cost: a look at every child that is an object.
  func settle(as place: StoredNode, _ saved: PackageSnapshot.Node?, updatesNames: Bool = true) {
    let before = state.withLock { $0.stored }
    settle(as: place, saved, from: before, updatesNames: updatesNames)
  }

  /// - Parameter before: where the contents that were saved came from; nil for those that were in memory.
  private func settle(
    as place: StoredNode, _ saved: PackageSnapshot.Node?, from before: StoredNode?, updatesNames: Bool
  ) {
    guard let status = place.status else { return }
    let children = objects
    let savedChanges: [FileName: PackageSnapshot.Change] =
      if case .directory(let changes) = saved?.content { changes } else { [:] }
    let names = Set(children.keys).union(savedChanges.keys)
    let statuses = status.kind == .directory ? place.statuses(of: Array(names)) : [:]
    let revisions = children.mapValues(\.revision)

    let isSettled = state.withLock { state in
      guard state.stored.isSamePlace(as: before), state.kind == status.kind else { return false }
      state.stored = place
      if updatesNames { state.filename = place.path.name?.string ?? state.filename }
      if saved?.revision == state.revision { state.attributes = NodeAttributes(status) }
      switch state.node {
      case .file(.stored): state.node = .file(.stored(place))
      case .file(.data) where !status.isFile(of: saved, from: before): state.node = .file(.stored(place))
      case .link(.known) where saved == nil && !status.isFile(of: nil, from: before):
        state.node = .link(.unread)
      case .directory:
        state.withDirectory { directory in
          directory.listing = nil
          directory.settle(savedChanges, revisions, names, statuses)
        }
      default: break
      }
      return true
    }
    guard isSettled else { return }

    for (name, child) in children {
      let change = savedChanges[name]
      // (1) A change during the above found the name marked already, and the mark is gone now.
      if change != nil, child.revision != revisions[name] {
        state.withLock { state in
          guard state.kind == .directory else { return }
          state.withDirectory { directory in
            if directory.children[name] === child {
              directory.markChanged(name, was: .present(statuses[name]))
            }
          }
        }
      }
      // A child that took the name after the snapshot is not what is on disk.
      guard change == nil || change?.now?.wrapper === child, let status = statuses[name] else { continue }
      var childPlace = place.child(name)
      childPlace.status = status
      let origin = change == nil ? before?.child(name) : change?.now?.stored
      child.settle(as: childPlace, change?.now, from: origin, updatesNames: updatesNames)
    }
  }

  private var revision: UInt64 {
    state.withLock { $0.revision }
  }
}

extension DirectoryNode {
  /// Forgets the changes that were saved, and tells the others from what is on disk by now.
  fileprivate mutating func settle(
    _ saved: [FileName: PackageSnapshot.Change], _ revisions: [FileName: UInt64], _ looked: Set<FileName>,
    _ statuses: [FileName: FileStatus]
  ) {
    for name in Set(changes.keys).union(saved.keys) {
      if let change = saved[name], children[name] === change.now?.wrapper,
        change.now == nil || change.now?.revision == revisions[name]
      {
        changes[name] = nil
      } else if looked.contains(name) {
        changes[name] = statuses[name].map { .present($0) } ?? .absent
      } else if case .present = changes[name] {
        // Its links may have been counted anew by the save, so its old status says nothing any more.
        changes[name] = .present(nil)
      }
    }
  }
}

extension FileStatus {
  /// Whether, by size and date, this is what was saved or, where nothing was, what was there before.
  fileprivate func isFile(of saved: PackageSnapshot.Node?, from before: StoredNode?) -> Bool {
    if case .file(let contents) = saved?.content {
      return size == contents.size && (saved?.attributes.modified ?? modified) == modified
    }
    return size == before?.status?.size && modified == before?.status?.modified
  }
}

extension StoredNode? {
  /// Whether both are the same place, or both none.
  fileprivate func isSamePlace(as other: StoredNode?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSamePlace(as: other)
  }
}
