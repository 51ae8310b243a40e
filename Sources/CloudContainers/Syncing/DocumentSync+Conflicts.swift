import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// The conflict versions of a package, here and in the container. The container's last version names them all, so every
// device shows the same ones. A user resolves a conflict here: its version is gone from the package. Then the next
// version of the container does without it.

extension DocumentSync {
  /// The conflicts that the package here shows, or showed.
  var shown: Set<VersionDigest> {
    Set(record.shownConflicts.split(separator: " ").compactMap { VersionDigest($0) })
  }

  /// The conflicts that a user resolved here.
  func resolvedConflicts() async throws -> Set<VersionDigest> {
    guard let local, local.isPackage, !shown.isEmpty else { return [] }
    let present = try await conflictNames(local)
    return shown.filter { !present.contains($0.identifier.uuidString) }
  }

  /// Brings the conflict versions here and in the container together; returns whether nothing was to do.
  mutating func reconcileConflicts(_ head: CloudVersion) async throws -> Bool {
    guard let local, local.isPackage, !(shown.isEmpty && head.conflicts.isEmpty) else { return true }
    let resolved = try await resolvedConflicts()
    if !resolved.isDisjoint(with: head.conflicts) {
      var version = session.nextVersion(after: head)
      version.parents = [try head.digest()] + resolved.sorted()
      version.conflicts = head.conflicts.filter { !resolved.contains($0) }
      if try await session.commitElsewhere(version, of: &record) {
        note(shown.subtracting(resolved))
        try await session.state.save(record)
        report.uploaded = true
      }
      return false
    }
    let open = Set(head.conflicts)
    for digest in shown.subtracting(open).sorted() {
      try await change(local) { try await $0.removeConflictVersion(digest.identifier) }
      note(shown.subtracting([digest]))
      try await session.state.save(record)
    }
    for digest in open.subtracting(shown).sorted() {
      try await show(digest, local, head)
      note(shown.union([digest]))
      try await session.state.save(record)
      report.conflict = true
    }
    return true
  }

  /// Removes the conflict versions that the container has from the package, before the package goes.
  mutating func hideConflicts(of head: CloudVersion) async throws {
    guard let local, local.isPackage else { return }
    for digest in shown.intersection(head.conflicts).sorted() {
      note(shown.subtracting([digest]))
      try await session.state.save(record)
      try await change(local) { try await $0.removeConflictVersion(digest.identifier) }
    }
  }

  private mutating func note(_ shown: Set<VersionDigest>) {
    record.shownConflicts = shown.sorted().map(\.description).joined(separator: " ")
  }

  private func conflictNames(_ local: LocalDocument) async throws -> Set<String> {
    let store = try await PackageStore.open(at: url(local))
    return Set(try await store.conflictVersionURLs().map(\.lastPathComponent))
  }

  private func url(_ local: LocalDocument) throws -> URL {
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

  /// Adds a version to the conflict versions of the package: the children that differ from the last version.
  private func show(_ digest: VersionDigest, _ local: LocalDocument, _ head: CloudVersion) async throws {
    if try await conflictNames(local).contains(digest.identifier.uuidString) { return }
    let lost = try await session.log.conflict(digest, of: record.document)
    var entries: [PackagePath: TreeEntry] = [:]
    for difference in try await DocumentTree.differences(from: head.root, to: lost.root, in: session.blobs) {
      guard let new = difference.new, difference.old.map({ !$0.hasSameBytes(as: new) }) ?? true else {
        continue
      }
      entries[new.path] = new
      for folder in new.path.folders where entries[folder] == nil {
        entries[folder] = TreeEntry(folder, .directory, mode: 0o755)
      }
    }
    let staged = session.folder.path(ofStaged: digest.identifier)
    try session.folder.removeStaged(digest.identifier)
    let root = try await DocumentTree.store(entries.values.sorted { $0.path < $1.path }, in: session.blobs)
    try await DocumentDownload(
      to: staged, isPackage: true, contentType: nil, from: nil, to: root, in: session.blobs
    ).run()
    let children = try await PackageStore.open(
      at: URL(filePath: FileName(staged).string, directoryHint: .isDirectory)
    )
    .tree
    try await change(local) {
      try await $0.addConflictVersion(
        children, as: digest.identifier, savedBy: lost.deviceName, on: lost.date, broughtBy: "docpkg cloud")
    }
    try session.folder.removeStaged(digest.identifier)
  }
}

extension VersionDigest {
  /// The identifier of the conflict version in a package: the first sixteen bytes.
  var identifier: UUID {
    let digits = Array(description.prefix(32))
    let parts = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    guard let identifier = UUID(uuidString: parts.map { String($0) }.joined(separator: "-")) else {
      preconditionFailure("32 digits make an identifier")
    }
    return identifier
  }
}
