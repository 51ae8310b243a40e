import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// The conflict versions of a package, here and in the container. The container's last version names them all, so every
// device shows the same ones. A user resolves a conflict here: its version is gone from the package. Then the next
// version of the container does without it.
// A package can have a conflict version that the container lacks: it was in conflict under another identity, as before
// a copy, or another program made the version. It goes to the container as well.
// A conflict version has the children that it changed since its origin, on every device and at any time.

extension DocumentSync {
  /// The conflicts that the package here shows, or showed.
  var shown: Set<BlobName> {
    Set(record.shownConflicts.split(separator: " ").compactMap { BlobName(digits: $0) })
  }

  /// The conflicts that a user resolved here.
  func resolvedConflicts() async throws -> Set<BlobName> {
    guard let local, local.isPackage, !shown.isEmpty else { return [] }
    let present = try await conflictNames(local)
    return shown.filter { !present.contains($0.identifier.uuidString) }
  }

  /// Brings the conflict versions here and in the container together; returns whether nothing was to do.
  mutating func reconcileConflicts(_ head: CloudVersion) async throws -> Bool {
    let mayHaveOwn = seen?.hasConflicts ?? false
    guard let local, local.isPackage, !(shown.isEmpty && head.conflicts.isEmpty && !mayHaveOwn) else {
      return true
    }
    // Its conflicts are part of its content.
    if try merger() != nil { return true }
    let resolved = try await resolvedConflicts()
    let names = head.conflicts.map(\.id)
    if !resolved.isDisjoint(with: names) {
      var version = session.nextVersion(after: head)
      version.conflicts = head.conflicts.filter { !resolved.contains($0.id) }
      if try await commit(version, here: nil) {
        try await note(shown.subtracting(resolved))
        report.uploaded = true
      }
      return false
    }
    let open = Set(names)
    for digest in shown.subtracting(open).sorted() {
      try await change(local) { try await $0.removeConflictVersion(digest.identifier) }
      try await note(shown.subtracting([digest]))
    }
    for lost in head.conflicts where !shown.contains(lost.id) {
      try await show(lost, local, head)
      try await note(shown.union([lost.id]))
      report.conflict = true
    }
    guard mayHaveOwn, head.conflicts.count < CloudVersion.maximumConflicts,
      let own = try await ownConflicts(local, head).first
    else { return true }
    try await share(own, local, head)
    return false
  }

  /// The conflict versions of the package that the container does not have.
  func ownConflicts(_ local: LocalDocument, _ head: CloudVersion) async throws -> [UUID] {
    guard local.isPackage else { return [] }
    let known = Set(shown.union(head.conflicts.map(\.id)).map(\.identifier))
    return try await conflictNames(local).compactMap { UUID(uuidString: $0) }
      .filter { !known.contains($0) }.sorted { $0.uuidString < $1.uuidString }
  }

  /// Gives the container a conflict version that only the package here has. It gets the identifier of its new version.
  private mutating func share(_ own: UUID, _ local: LocalDocument, _ head: CloudVersion) async throws {
    let place = try session.folder.path(of: local.name).appending(PackageLayout.hidden)
      .appending(PackageLayout.conflicts).appending(FileName(own.uuidString))
    var tree = try await session.look(at: place, true, known: KnownChildren())
    try session.check(tree)
    try await session.store(
      &tree, at: place, isPackage: true, over: KnownChildren(), record.id, in: session.blobs)
    let blobs = session.blobs(with: head)
    // The folders around a child are in the document, with modes of their own.
    let entries = try await DocumentTree(head.root, blobs).entries()
    let folders = Set(entries.filter { $0.kind == .directory }.map(\.path))
    var changes: [PackagePath: TreeEntry?] = [:]
    for entry in tree.children.children.map(\.entry) {
      // The plist at the top says only who brought the version.
      if entry.path == PackagePath([PackageLayout.metadata]) { continue }
      if entry.kind == .directory, folders.contains(entry.path) { continue }
      changes[entry.path] = .some(entry)
    }
    let root = try await DocumentTree(head.root, blobs).updated(with: changes)
    if root == head.root {
      // The document has all of it.
      return try await change(local) { try await $0.removeConflictVersion(own) }
    }
    try await session.blobs.put(all: blobs.enclosed.values)
    // Another device may have saved the version, before the document became this one.
    let facts = try await PackageStore.open(at: url(local)).conflictVersions().first { $0.id == own }
    // A name that no version can have stays here.
    let saver = facts?.savingComputer.flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
    let lost = LostVersion(
      root: root, origin: head.root, deviceName: saver ?? session.settings.deviceName,
      date: facts?.modificationDate ?? session.now())
    let (digest, identifier) = (lost.id, lost.id.identifier)
    // An upload that was cut off has renamed it.
    if own != identifier {
      if try await conflictNames(local).contains(identifier.uuidString) {
        // Another one has the same content.
        return try await change(local) { try await $0.removeConflictVersion(own) }
      }
      try await change(local) { try await $0.renameConflictVersion(own, to: identifier) }
    }
    var version = session.nextVersion(after: head)
    version.conflicts = head.conflicts.with(lost)
    guard try await commit(version, here: nil) else { return }
    try await note(shown.union([digest]))
    report.uploaded = true
  }

  /// Removes the conflict versions that the container has from the package, before the package goes.
  mutating func hideConflicts(of head: CloudVersion) async throws {
    guard let local, local.isPackage else { return }
    for digest in shown.intersection(head.conflicts.map(\.id)).sorted() {
      try await note(shown.subtracting([digest]))
      try await change(local) { try await $0.removeConflictVersion(digest.identifier) }
    }
  }

  private mutating func note(_ shown: Set<BlobName>) async throws {
    record.shownConflicts = shown.sorted().map(\.description).joined(separator: " ")
    try await session.state.save(record)
  }

  private func conflictNames(_ local: LocalDocument) async throws -> Set<String> {
    let store = try await PackageStore.open(at: url(local))
    return Set(try await store.conflictVersionURLs().map(\.lastPathComponent))
  }

  func url(_ local: LocalDocument) throws -> URL {
    try session.folder.url(of: local.name, isPackage: local.isPackage)
  }

  private func change(
    _ local: LocalDocument, _ body: @escaping @Sendable (PackageStore) async throws -> Void
  ) async throws {
    try await FileCoordinator().coordinate(writingItemAt: url(local)) { url in
      let store = try await PackageStore.open(at: url)
      try await body(store)
      try await store.close()
    }
  }

  /// Adds a version to the conflict versions of the package: the children that it changed since its origin.
  private func show(_ lost: LostVersion, _ local: LocalDocument, _ head: CloudVersion) async throws {
    let identifier = lost.id.identifier
    if try await conflictNames(local).contains(identifier.uuidString) { return }
    let entries = try await changes(of: lost, beside: head).compactMap { difference in
      let isChanged = difference.new.map { difference.old?.hasSameBytes(as: $0) != true }
      return isChanged == true ? difference.new : nil
    }
    let staged = session.folder.path(ofStaged: identifier)
    try session.folder.removeStaged(identifier)
    try await DocumentDownload(ofNewPackage: staged, entries, in: session.blobs).run()
    let children = try await PackageStore.open(at: staged.url(isDirectory: true)).tree
    try await change(local) {
      try await $0.addConflictVersion(
        children, as: identifier, savedBy: lost.deviceName, on: lost.date,
        broughtBy: "docpkg cloud")
    }
    try session.folder.removeStaged(identifier)
  }
}

extension DocumentSync {
  /// The changes of a version that lost. If its origin is not known any more, they are those from the last version.
  fileprivate func changes(
    of lost: LostVersion, beside head: CloudVersion
  ) async throws -> [TreeDifference] {
    let blobs = session.blobs(with: head)
    if let origin = lost.origin {
      switch try await checking(
        nil, { try await DocumentTree.differences(from: origin, to: lost.root, in: blobs) })
      {
      case .success(let changes): return changes
      case .failure(let error) where error.code == .refusedByStore: throw error
      case .failure: break
      }
    }
    return try await DocumentTree.differences(from: head.root, to: lost.root, in: blobs)
  }
}

extension [LostVersion] {
  /// Returns the conflicts with one more, in the order of their names.
  func with(_ lost: LostVersion) -> [LostVersion] {
    (filter { $0.id != lost.id } + [lost]).sorted { $0.id < $1.id }
  }
}
