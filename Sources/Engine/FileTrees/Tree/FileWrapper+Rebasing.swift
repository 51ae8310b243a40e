package import DurableIO
package import PackageFormat
import Synchronization

extension FileWrapper {
  /// Makes the state on disk at `place` the baseline for later changes, after a save of the snapshot.
  ///
  /// Changes since the snapshot stay changes. Without a snapshot nothing was saved: the node moved with its children, or
  /// a failed save moved the status time of files that it had linked.
  ///
  /// Cost: one status per known child, or per saved child if the package was saved in place. A caller may call it again
  /// after an error.
  ///
  /// - Returns: the wrappers whose files the save removed, each with the place that its file had.
  @discardableResult
  package func rebase(
    onto place: StoredNode, _ saved: PackageSnapshot.Node? = nil, updatesNames: Bool = true,
    isInPlace: Bool = false
  ) throws(FilePackageError) -> [(wrapper: FileWrapper, origin: StoredNode)] {
    guard let status = place.status else { return [] }
    let before = saved == nil ? stored : saved?.stored
    var rebasing = Rebasing(updatesNames: updatesNames && saved != nil, isInPlace: isInPlace)
    let sight = try rebasing.look(at: self, status, saved, from: before, to: place)
    Self.structure.withLock { _ in rebasing.rebase(self, saved, from: before, to: place, sight) }
    // A watcher hears of the rename of each file in a folder that moved. Without the statuses it tells of these files.
    for folder in rebasing.moved { try? folder.noteStatuses() }
    // A file that was saved at another place still exists.
    return rebasing.replaced.filter { $0.wrapper.isStored(at: $0.origin) }
  }

  /// Returns whether the wrapper's file stands, or stood, at that place.
  package func isStored(at place: StoredNode) -> Bool { stored.isSamePlace(as: place) }

  /// The number of changes of this wrapper and of the nodes beneath it.
  package var revision: UInt64 {
    state.withLock { $0.revision }
  }

  /// Marks a node that another program may have written as that program's.
  ///
  /// So no save replaces it unseen, and no read takes it for the saved one. A node whose size and date are those of the
  /// saved file stays this tree's.
  ///
  /// - Parameter isTheirs: returns whether a status is that of another program's node, if that is known.
  package func disown(
    _ path: PackagePath, saved: PackageSnapshot.Node, if isTheirs: ((FileStatus) -> Bool)? = nil
  ) {
    var (wrapper, saved) = (self, PackageSnapshot.Node?.some(saved))
    for name in path.names {
      saved = saved?.changes[name]?.now
      guard let next = saved?.wrapper ?? wrapper.objects[name] else { return }
      wrapper = next
    }
    wrapper.disown(savedAs: saved, if: isTheirs)
  }

  /// Marks the files whose status on disk is another one than the known one: another program wrote them.
  package func disown(changedSince known: [PackagePath: FileStatus], saved: PackageSnapshot.Node) {
    for (path, status) in known { disown(path, saved: saved) { !$0.isUnchanged(since: status) } }
  }

  fileprivate func disown(
    savedAs saved: PackageSnapshot.Node?, if isTheirs: ((FileStatus) -> Bool)? = nil
  ) {
    state.withLock { state in
      guard case .file(let contents) = state.node, let node = state.disk, let status = node.status,
        isTheirs?(status) ?? !status.isFile(of: saved)
      else { return }
      node.now.status = status.disowned
      if case .data? = contents { state.node = .file(nil) }
    }
  }

  /// Adds a file to the listing that a save wrote into this directory by itself.
  package func list(_ name: FileName) {
    state.withLock { state in state.withDirectory { $0.relist([name: .file]) } }
  }

  /// Drops bytes that were read or given, since other bytes stand on disk at `place`.
  package func reread(at place: StoredNode) {
    state.withLock { state in
      state.take(place, for: self)
      state.node = .file(nil)
      if let status = place.status { state.attributes = NodeAttributes(status) }
    }
  }

  /// The nodes on disk that this directory knows, by their names there; empty if this is no directory.
  fileprivate var knownNodes: [FileName: DiskNode] {
    let (children, changes) = state.withLock { state in
      state.kind == .directory ? state.withDirectory { ($0.children, $0.changes) } : ([:], [:])
    }
    var known = children.compactMapValues { child in child.state.withLock { $0.disk } }
    for (name, baseline) in changes {
      if case .present(let node) = baseline { known[name] = node } else { known[name] = nil }
    }
    return known
  }
}

/// The statuses on disk of a node and of the children that a tree looked at; an absent child has no entry.
private struct Sight {
  var status: FileStatus
  var children: [FileName: Sight] = [:]
}

/// The step by which a tree learns the state on disk: first it looks at the disk, then it changes with the lock of the
/// structure held.
private struct Rebasing {
  let updatesNames: Bool
  let isInPlace: Bool
  /// The wrappers of removed files, and where these were.
  var replaced: [(wrapper: FileWrapper, origin: StoredNode)] = []
  /// The folders that a save moved within their package.
  var moved: [FileWrapper] = []

  /// Returns whether the children that were not saved are other nodes on disk now, too.
  ///
  /// A child that moved with its folder is at another place, even if the save did not write it.
  private func concernsAll(from before: StoredNode?, to place: StoredNode) -> Bool {
    !isInPlace || !before.isSamePlace(as: place)
  }

  /// - Parameter before: the place that the saved contents came from; nil if they were in memory.
  func look(
    at wrapper: FileWrapper?, _ status: FileStatus, _ saved: PackageSnapshot.Node?, from before: StoredNode?,
    to place: StoredNode
  ) throws(FilePackageError) -> Sight {
    var sight = Sight(status: status)
    guard let wrapper, status.kind == .directory else { return sight }
    let changes = saved?.changes ?? [:]
    // The save is done with removed folders. Now only a program that holds one needs its files.
    wrapper.state.withLock { state in
      if state.kind == .directory { state.withDirectory { $0.forgetLeft(changes.keys) } }
    }
    let known = concernsAll(from: before, to: place) ? wrapper.knownNodes : [:]
    let names = Set(changes.keys).union(known.keys)
    for (name, status) in try place.presentStatuses(of: names) {
      let change = changes[name]
      sight.children[name] = try look(
        at: change == nil ? known[name]?.wrapper : change?.now?.wrapper, status, change?.now,
        from: change == nil ? before?.child(name) : change?.now?.stored, to: place.child(name))
    }
    return sight
  }

  mutating func rebase(
    _ wrapper: FileWrapper, _ saved: PackageSnapshot.Node?, from before: StoredNode?, to place: StoredNode,
    _ sight: Sight
  ) {
    // Contents that the wrapper read from another place after the snapshot stay.
    guard wrapper.stored.isSamePlace(as: before), wrapper.kind == sight.status.kind else { return }
    guard let saved else {
      if let node = wrapper.state.withLock({ $0.disk }), let before { move(node, before, to: place, sight) }
      return
    }
    // A file or link that the save left alone keeps the status that the tree knows, if another program wrote it (T3).
    if isInPlace, sight.status.kind != .directory, let before, let known = before.status,
      before.isSamePlace(as: place), !saved.hasNewAttributes(since: known),
      !sight.status.isUnchanged(since: known)
    {
      return
    }
    wrapper.state.withLock { state in
      let status = sight.status
      let now = StoredNode(location: place.location, path: place.path, status: status)
      state.take(now, for: wrapper)
      if updatesNames { state.filename = place.path.name?.string ?? state.filename }
      if saved.revision == state.revision { state.attributes = NodeAttributes(status) }
      switch state.node {
      case .file(.stored) where saved.revision == state.revision: state.node = .file(nil)
      // These bytes are not those on disk (T2).
      case .file(.data) where !status.isFile(of: saved): state.node = .file(nil)
      case .directory:
        state.withDirectory { directory in
          if before == nil { directory.listing = DirectoryListing(DirectoryListing.Builder()) }
          let names = before == nil ? Array(directory.children.keys) : Array(saved.changes.keys)
          directory.relist(Dictionary(uniqueKeysWithValues: names.map { ($0, directory.children[$0]?.kind) }))
        }
      default: break
      }
    }
    for (name, change) in saved.changes {
      let child = sight.children[name]
      if let now = change.now, let wrapper = now.wrapper, let child {
        rebase(wrapper, now, from: now.stored, to: place.child(name), child)
      }
      if let before, case .present(let node?) = change.baseline, let wrapper = node.wrapper,
        wrapper !== change.now?.wrapper
      {
        replaced.append((wrapper, before.child(name)))
      }
      wrapper.settle(name, change, at: place, child?.status)
    }
    if let before, concernsAll(from: before, to: place) {
      moveChildren(of: wrapper, besides: saved.changes, before, to: place, sight)
      if isInPlace && sight.status.kind == .directory { moved.append(wrapper) }
    }
  }

  /// Records that a node that was not saved is at another place, or has another status there.
  private func move(_ node: DiskNode, _ before: StoredNode, to place: StoredNode, _ sight: Sight) {
    let known = node.now
    guard known.isSamePlace(as: before) else { return }
    // Another program's file keeps the status that the tree knows (T3).
    let isCarried =
      place.location !== before.location || known.status.map(sight.status.isCarried) ?? true
    node.now = StoredNode(
      location: place.location, path: place.path, status: isCarried ? sight.status : known.status)
    if let wrapper = node.wrapper, wrapper.isDirectory {
      moveChildren(of: wrapper, besides: [:], before, to: place, sight)
    }
  }

  /// Records that the children that were not saved moved with their folder, also those that left it meanwhile (T4).
  private func moveChildren(
    of wrapper: FileWrapper, besides saved: [FileName: PackageSnapshot.Change], _ before: StoredNode,
    to place: StoredNode, _ sight: Sight
  ) {
    for (name, node) in wrapper.knownNodes where saved[name] == nil {
      guard let child = sight.children[name] else { continue }
      move(node, before.child(name), to: place.child(name), child)
    }
  }
}

extension FileWrapper.State {
  /// Notes the place and the status of the node. In another document it is another node, and the old one stays.
  fileprivate mutating func take(_ now: StoredNode, for wrapper: FileWrapper) {
    if let disk, disk.now.location === now.location {
      disk.now = now
    } else {
      disk = DiskNode(now, of: wrapper)
    }
  }
}

extension FileWrapper {
  /// Drops the change at a name if it was saved, and sets its baseline otherwise.
  fileprivate func settle(
    _ name: FileName, _ change: PackageSnapshot.Change, at place: StoredNode, _ status: FileStatus?
  ) {
    let holder = state.withLock { state in state.withDirectory { $0.children[name] } }
    let saved = change.now?.wrapper
    let isSaved = holder === saved && (holder == nil || holder?.revision == change.now?.revision)
    var baseline: DirectoryNode.Baseline?
    if !isSaved, change.now != nil, let status {
      let here = place.child(name, status)
      let node = saved?.state.withLock { $0.disk }
      baseline = .present(node?.now.isSamePlace(as: here) == true ? node : DiskNode(here))
    } else if !isSaved {
      // A file under this name is another program's (T5).
      baseline = .absent
    }
    state.withLock { state in state.withDirectory { $0.changes[name] = baseline } }
  }
}

extension DirectoryNode {
  /// Updates the listing, if there is one, to the kinds under these names after a save; nil for a name that is gone.
  ///
  /// Files that other programs added stay unknown, so that no later save takes them for children removed here.
  fileprivate mutating func relist(_ kinds: [FileName: FileKind?]) {
    guard let old = listing else {
      for (name, kind) in kinds {
        if kind == nil { absent.insert(name) } else { absent.remove(name) }
      }
      return
    }
    if kinds.allSatisfy({ old.position(of: $0).map(old.kind(at:)) == $1 }) { return }
    var builder = DirectoryListing.Builder()
    for position in 0..<old.count where kinds[old.name(at: position)] == nil {
      builder.append(old.name(at: position), old.kind(at: position))
    }
    for (name, kind) in kinds {
      if let kind { builder.append(name, kind) }
    }
    listing = DirectoryListing(builder)
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

  /// Returns whether size and date are those of the saved file.
  fileprivate func isFile(of saved: PackageSnapshot.Node?) -> Bool {
    guard let saved, case .file(let contents) = saved.content else { return false }
    return size == contents.size && (saved.attributes.modified ?? modified) == modified
  }

  /// A status that no node ever has.
  fileprivate var disowned: FileStatus {
    var status = self
    status.identity.inode = 0
    // With the real status time, the node would pass for a copy of the file on disk.
    status.identity.modified = FileTime(seconds: .min, nanoseconds: 0)
    return status
  }
}

extension PackageSnapshot.Node {
  /// The changes of a directory; empty for another node.
  fileprivate var changes: [FileName: PackageSnapshot.Change] {
    if case .directory(let changes) = content { changes } else { [:] }
  }

  /// Marks all saved files as nodes that another program may have written.
  package func disown() {
    wrapper?.disown(savedAs: self)
    for change in changes.values { change.now?.disown() }
  }
}

extension StoredNode? {
  /// Returns whether both are the same place, or both are nil.
  fileprivate func isSamePlace(as other: StoredNode?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSamePlace(as: other)
  }
}
