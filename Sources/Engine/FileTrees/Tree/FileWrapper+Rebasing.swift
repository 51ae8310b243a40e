package import DurableIO
package import PackageFormat
import Synchronization

extension FileWrapper {
  /// Makes the state on disk at `place` the baseline for later changes, after a save of the snapshot.
  ///
  /// Changes since the snapshot stay changes. Without a snapshot nothing was saved: a failed save moved the status time
  /// of files that it had linked.
  ///
  /// Cost: one status per child that is an object, or per saved child if the package was saved in place. A caller may
  /// call it again after an error.
  ///
  /// - Returns: the wrappers whose files the save removed, each with the place that its file had.
  @discardableResult
  package func rebase(
    onto place: StoredNode, _ saved: PackageSnapshot.Node?, updatesNames: Bool = true, isInPlace: Bool = false
  ) throws(FilePackageError) -> [(wrapper: FileWrapper, origin: StoredNode)] {
    let before = state.withLock { $0.stored }
    var removed: [(wrapper: FileWrapper, origin: StoredNode)] = []
    try rebase(
      onto: place, saved, from: before, updatesNames: updatesNames, isInPlace: isInPlace, removed: &removed)
    // A file that was saved at another place still exists.
    return removed.filter { $0.wrapper.isStored(at: $0.origin) }
  }

  /// Records that this node on disk moved, with all its children.
  package func rebase(onto place: StoredNode, from before: StoredNode) throws(FilePackageError) {
    var removed: [(wrapper: FileWrapper, origin: StoredNode)] = []
    try rebase(onto: place, nil, from: before, updatesNames: false, isInPlace: false, removed: &removed)
  }

  /// Returns whether the wrapper's file stands, or stood, at that place.
  package func isStored(at place: StoredNode) -> Bool {
    state.withLock { $0.stored.isSamePlace(as: place) }
  }

  /// - Parameter before: the place that the saved contents came from; nil if they were in memory.
  private func rebase(
    onto place: StoredNode, _ saved: PackageSnapshot.Node?, from before: StoredNode?, updatesNames: Bool,
    isInPlace: Bool, removed: inout [(wrapper: FileWrapper, origin: StoredNode)]
  ) throws(FilePackageError) {
    guard let status = place.status else { return }
    // A child that moved with its folder is at another place, even if the save did not write it.
    let isInPlace = isInPlace && before.isSamePlace(as: place)
    let savedChanges: [FileName: PackageSnapshot.Change] =
      if case .directory(let changes) = saved?.content { changes } else { [:] }
    let children = isInPlace ? objects(savedChanges.keys) : objects
    let departed = departed(since: savedChanges, isInPlace: isInPlace)
    if let before { removed += replaced(by: savedChanges, in: before) }
    let changes = state.withLock { state -> Set<FileName> in
      state.kind == .directory ? state.withDirectory { Set($0.changes.keys) } : []
    }
    let names = isInPlace ? Set(savedChanges.keys) : changes.union(children.keys).union(savedChanges.keys)
    let statuses = status.kind == .directory ? try place.presentStatuses(of: names) : [:]
    let revisions = children.mapValues(\.revision)

    let isRebased = state.withLock { state in
      // Contents that the wrapper read from another place after the snapshot stay.
      guard state.stored.isSamePlace(as: before), state.kind == status.kind else { return false }
      state.stored = place
      if updatesNames { state.filename = place.path.name?.string ?? state.filename }
      if saved?.revision == state.revision { state.attributes = NodeAttributes(status) }
      switch state.node {
      case .file(.stored(let now))
      where saved.map { $0.revision == state.revision } ?? StoredNode?.some(now).isSamePlace(as: before):
        state.node = .file(.stored(place))
      case .file(.data) where !status.isFile(of: saved, from: before): state.node = .file(.stored(place))
      case .link(.known) where saved == nil && !status.isFile(of: nil, from: before):
        state.node = .link(.unread)
      case .directory:
        state.withDirectory { directory in
          if saved != nil { directory.relist(isWhole: before == nil, savedChanges.keys) }
          directory.rebase(savedChanges, revisions, names, statuses, isInPlace: isInPlace)
          directory.forgetDeparted(before: savedChanges)
        }
      default: break
      }
      return true
    }
    guard isRebased else { return }

    for (name, child) in children.map({ ($0, $1) }) + departed {
      let change = savedChanges[name]
      // After the child's own status. An edit before this step may have noted the status before the save, and an edit
      // after it notes the new one (T1).
      defer {
        let isEdited = child.revision != revisions[name]
        correctMark(of: name, child, isEdited: isEdited, after: change, to: statuses[name])
      }
      // A child that took the name after the snapshot is not the file on disk.
      guard change == nil || change?.now?.wrapper === child, let status = statuses[name] else { continue }
      var childPlace = place.child(name)
      childPlace.status = status
      if change == nil {
        let known = child.state.withLock { $0.stored?.status }
        if known.map(status.isCarried(from:)) != true {
          child.noteOthers(at: childPlace, insteadOf: before?.child(name))
          continue
        }
      }
      let origin = change == nil ? before?.child(name) : change?.now?.stored
      try child.rebase(
        onto: childPlace, change?.now, from: origin, updatesNames: updatesNames && children[name] === child,
        isInPlace: isInPlace, removed: &removed)
      if isInPlace, let origin, !childPlace.isSamePlace(as: origin) {
        try child.noteMovedStatuses(at: childPlace)
      }
    }
  }

  /// Remembers the statuses of the files in a folder that moved: a watcher hears of the rename of each.
  private func noteMovedStatuses(at place: StoredNode) throws(FilePackageError) {
    do {
      try noteStatuses()
    } catch {
      throw FilePackageError(any: error, .read, place, activity: "looking at")
    }
  }

  /// Corrects the baseline of a name that an edit marked while the tree was rebased.
  private func correctMark(
    of name: FileName, _ child: FileWrapper, isEdited: Bool, after change: PackageSnapshot.Change?,
    to now: FileStatus?
  ) {
    let known = child.storedStatus
    state.withLock { state in
      guard state.kind == .directory else { return }
      state.withDirectory { directory in
        let isNew = isEdited && directory.children[name] === child && directory.changes[name] == nil
        if let change {
          guard isNew || directory.changes[name] != nil else { return }
          // A file under a name that the save left empty is another program's (T5).
          directory.changes[name] = change.now != nil && now != nil ? .present(now) : .absent
        } else if isNew {
          directory.changes[name] = .present(known)
        } else {
          directory.changes[name] = directory.changes[name]?.carried(to: now)
        }
      }
    }
  }

  /// Returns the living wrappers whose files the save removed from this directory.
  private func replaced(
    by saved: [FileName: PackageSnapshot.Change], in before: StoredNode
  ) -> [(wrapper: FileWrapper, origin: StoredNode)] {
    let departed = state.withLock { state in
      state.kind == .directory ? state.withDirectory { $0.departed } : [:]
    }
    return departed.compactMap { name, node in
      guard let change = saved[name], let wrapper = node.wrapper, change.now?.wrapper !== wrapper else {
        return nil
      }
      let origin = before.child(name)
      return wrapper.isStored(at: origin) ? (wrapper, origin) : nil
    }
  }

  /// Returns the wrappers that left this directory and that a save wrote under these names (T4).
  private func departed(
    since saved: [FileName: PackageSnapshot.Change], isInPlace: Bool
  ) -> [(key: FileName, value: FileWrapper)] {
    state.withLock { state in
      guard state.kind == .directory else { return [] }
      return state.withDirectory { directory in
        let unsaved = directory.departed.compactMapValues(\.wrapper).filter { saved[$0.key] == nil }
        let written = saved.compactMapValues { $0.now?.wrapper }
        // An unsaved child stays in its place, unless its directory moves.
        return (written.map { ($0, $1) } + (isInPlace ? [] : unsaved.map { ($0, $1) }))
          .filter { directory.children[$0.0] !== $0.1 }
      }
    }
  }

  /// The number of changes of this wrapper and of the nodes beneath it.
  package var revision: UInt64 {
    state.withLock { $0.revision }
  }

  /// Drops bytes in memory that are not those on disk (T2). The file keeps its known status until it is read (T3).
  private func noteOthers(at place: StoredNode, insteadOf before: StoredNode?) {
    state.withLock { state in
      guard state.stored.isSamePlace(as: before), state.kind == place.status?.kind else { return }
      switch state.node {
      case .file: state.node = .file(.stored(place))
      case .link:
        state.node = .link(.unread)
        state.stored = place
      case .directory: break
      }
    }
  }

  /// Marks the node at a path as another program's, because it is not the one that was saved there.
  ///
  /// So no save replaces it unseen, and no read takes it for the saved one. Does nothing if size and date are those of
  /// the saved file.
  package func disown(_ path: PackagePath, saved: PackageSnapshot.Node) {
    guard let name = path.name else { return }
    var (folder, node) = (self, PackageSnapshot.Node?.some(saved))
    for name in path.parent.names {
      guard let child = folder.objects[name], child.isDirectory else { return }
      folder = child
      node = node?.change(name)?.now
    }
    let was = node?.change(name)?.now
    if let child = folder.objects[name], child.isRegularFile {
      child.state.withLock { state in
        guard let status = state.stored?.status, !status.isFile(of: was, from: nil) else { return }
        state.stored?.status = status.disowned
        state.node = state.stored.map { .file(.stored($0)) } ?? state.node
      }
    }
    folder.state.withLock { state in
      state.withDirectory { directory in
        if case .present(let status?) = directory.changes[name], !status.isFile(of: was, from: nil) {
          directory.changes[name] = .present(status.disowned)
        }
      }
    }
  }

  /// Adds a file to the listing that a save wrote into this directory by itself.
  package func list(_ name: FileName) {
    state.withLock { state in state.withDirectory { $0.list(name, .file) } }
  }

  /// Drops bytes that were read or given, since other bytes stand on disk at `place`.
  package func reread(at place: StoredNode) {
    state.withLock { state in
      state.stored = place
      state.node = .file(.stored(place))
      if let status = place.status { state.attributes = NodeAttributes(status) }
    }
  }
}

extension DirectoryNode {
  /// Drops the children that had left before the snapshot; a child in the snapshot left after it, and stays.
  fileprivate mutating func forgetDeparted(before saved: [FileName: PackageSnapshot.Change]) {
    departed = departed.filter { name, node in
      guard let wrapper = node.wrapper else { return false }
      return saved[name].map { $0.now?.wrapper === wrapper } ?? true
    }
  }

  /// Drops the changes that were saved, and sets the other baselines to the state on disk.
  fileprivate mutating func rebase(
    _ saved: [FileName: PackageSnapshot.Change], _ revisions: [FileName: UInt64], _ looked: Set<FileName>,
    _ statuses: [FileName: FileStatus], isInPlace: Bool
  ) {
    for (name, change) in saved {
      if holds(change.now, at: name, revisions[name]) {
        changes[name] = nil
      } else if change.now != nil, let status = statuses[name] {
        changes[name] = .present(status)
      } else {
        // A file under this name is another program's (T5).
        changes[name] = .absent
      }
    }
    if isInPlace { return }
    for (name, baseline) in changes where saved[name] == nil {
      if looked.contains(name) {
        changes[name] = baseline.carried(to: statuses[name])
      } else if case .present = baseline {
        // The save may have changed the number of links, so the old status is void.
        changes[name] = .present(nil)
      }
    }
  }

  /// Returns whether the name still holds the child that was saved under it, in that revision, or is still empty.
  private func holds(_ saved: PackageSnapshot.Node?, at name: FileName, _ revision: UInt64?) -> Bool {
    guard let saved else { return children[name] == nil }
    return children[name] === saved.wrapper && saved.revision == revision
  }

  /// Updates the listing to the state after a save, without reading the directory.
  ///
  /// Files that other programs added stay unknown, so that no later save takes them for children removed here.
  fileprivate mutating func relist(isWhole: Bool, _ saved: some Sequence<FileName>) {
    guard isWhole || listing != nil else { return }
    let saved = Set(saved)
    if !isWhole, let listing,
      saved.allSatisfy({ listing.position(of: $0).map(listing.kind(at:)) == children[$0]?.kind })
    {
      return
    }
    var builder = DirectoryListing.Builder()
    if let listing, !isWhole {
      for position in 0..<listing.count where !saved.contains(listing.name(at: position)) {
        builder.append(listing.name(at: position), listing.kind(at: position))
      }
    }
    for name in isWhole ? Set(children.keys) : saved {
      if let child = children[name] { builder.append(name, child.kind) }
    }
    listing = DirectoryListing(builder)
  }

  /// Adds one entry to the listing.
  fileprivate mutating func list(_ name: FileName, _ kind: FileKind) {
    guard let listing, listing.position(of: name) == nil else { return }
    var builder = DirectoryListing.Builder()
    for position in 0..<listing.count {
      builder.append(listing.name(at: position), listing.kind(at: position))
    }
    builder.append(name, kind)
    self.listing = DirectoryListing(builder)
  }
}

extension DirectoryNode.Baseline {
  /// Returns the same state of the disk after a save that did not touch the name.
  fileprivate func carried(to now: FileStatus?) -> DirectoryNode.Baseline {
    if case .present(let before?) = self, let now, now.isCarried(from: before) { return .present(now) }
    return self
  }
}

extension FileStatus {
  /// Returns whether this status can follow from a save that left the node alone.
  ///
  /// Such a save makes a link to the same file, a copy of it, or a new directory.
  fileprivate func isCarried(from before: FileStatus) -> Bool {
    guard kind == before.kind else { return false }
    return kind == .directory || (size == before.size && modified == before.modified)
  }
}

extension PackageSnapshot.Node {
  package func change(_ name: FileName) -> PackageSnapshot.Change? {
    if case .directory(let changes) = content { changes[name] } else { nil }
  }
}

extension FileStatus {
  /// A status that no node ever has.
  fileprivate var disowned: FileStatus {
    var status = self
    status.identity.inode = 0
    // With the real status time, the node would pass for a copy of the file on disk.
    status.identity.modified = FileTime(seconds: .min, nanoseconds: 0)
    return status
  }
}

extension StoredNode {
  /// Returns the statuses of these names on disk; an absent name has no entry.
  fileprivate func presentStatuses(
    of names: Set<FileName>
  ) throws(FilePackageError) -> [FileName: FileStatus] {
    var statuses: [FileName: FileStatus] = [:]
    guard !names.isEmpty else { return statuses }
    do {
      let directory = try location.openDirectory(path)
      for name in names { statuses[name] = try disk.statusIfPresent(of: name, in: directory) }
    } catch {
      throw FilePackageError(error, .read, self, activity: "looking at")
    }
    return statuses
  }
}

extension FileStatus {
  /// Returns whether size and date are those of the saved file or, if none was saved, of the file before.
  fileprivate func isFile(of saved: PackageSnapshot.Node?, from before: StoredNode?) -> Bool {
    if case .file(let contents) = saved?.content {
      return size == contents.size && (saved?.attributes.modified ?? modified) == modified
    }
    return size == before?.status?.size && modified == before?.status?.modified
  }
}

extension StoredNode? {
  /// Returns whether both are the same place, or both are nil.
  fileprivate func isSamePlace(as other: StoredNode?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSamePlace(as: other)
  }
}
