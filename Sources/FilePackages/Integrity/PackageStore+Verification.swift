import DurableIO
import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Reads every child on disk and compares it with what was saved: with the digest in the metadata, which needs
  /// nothing else, and with the manifest, which tells which child it is.
  ///
  /// What only versions have is read, too. Unsaved edits of the tree have no part in it. Cost: every byte of the package, a
  /// chunk at a time.
  ///
  /// - Throws: what keeps the package as a whole from being read. A child that cannot be read is damaged.
  public func verify() throws(FilePackageError) -> VerificationReport {
    do {
      var report = try verifyChildren().report
      try verifyVersions(&report)
      return report
    } catch {
      throw error.during(.verify)
    }
  }

  /// What is on disk and what should be.
  struct Verified {
    var report = VerificationReport()
    /// What the digests say of the damaged and the missing.
    var expected: [PackagePath: ManifestRow] = [:]
    /// What each child that could be read is.
    var found: [PackagePath: ManifestRow] = [:]
  }

  func verifyChildren() throws(FilePackageError) -> Verified {
    var verified = Verified()
    verified.report.journal = damage?.reason ?? pending?.problem.map { "a save waits: \($0.reason ?? "")" }
    var root = StoredNode(location: location, path: .root)
    root.status = status
    var unreadable: [PackagePath] = []
    try visit(PackageSnapshot.Node(root, kind: .directory), at: .root, &verified, &unreadable)

    guard let metadata = try metadata() else {
      verified.report.damaged = unreadable.map(\.string)
      verified.report.isWhole = unreadable.isEmpty && verified.report.journal == nil
      return verified
    }
    verified.report.hasDigests = true
    var summary = ContentSummary()
    for row in verified.found.values { summary.add(row.child) }
    let isSum = unreadable.isEmpty && summary == metadata.summary
    if !isSum { try explain(&verified, unreadable, metadata) }
    verified.report.isWhole = isSum && verified.report.journal == nil
    return verified
  }

  /// Lays the difference to children.
  private func explain(
    _ verified: inout Verified, _ unreadable: [PackagePath], _ metadata: PackageMetadata
  ) throws(FilePackageError) {
    var damaged = Set(unreadable)
    guard let manifest = try loadManifest(for: metadata) else {
      verified.report.damaged = damaged.sorted().map(\.string)
      verified.report.isUnexplained = true
      return
    }
    for (path, found) in verified.found {
      if let row = manifest.row(at: path) {
        if row.child != found.child { damaged.insert(path) }
      } else if manifest.isComplete {
        verified.report.extra.append(path.string)
      }
    }
    var missing: [PackagePath] = []
    for row in manifest.rows where verified.found[row.child.path] == nil {
      if !damaged.contains(row.child.path) { missing.append(row.child.path) }
    }
    for path in damaged.union(missing) { verified.expected[path] = manifest.row(at: path) }
    verified.report.damaged = damaged.sorted().map(\.string)
    verified.report.missing = missing.sorted().map(\.string)
    verified.report.extra.sort()
    verified.report.isUnexplained = damaged.isEmpty && missing.isEmpty && verified.report.extra.isEmpty
  }

  private func visit(
    _ node: PackageSnapshot.Node, at path: PackagePath, _ verified: inout Verified,
    _ unreadable: inout [PackagePath]
  ) throws(FilePackageError) {
    let children: [(name: FileName, node: PackageSnapshot.Node)]
    do {
      children = try node.children(at: path, looking: true)
    } catch {
      if path.isRoot { throw error }
      unreadable.append(path)
      return
    }
    for (name, child) in children {
      let place = path.appending(name)
      if PackageLayout.isOurs(place) { continue }
      verified.report.children += 1
      do {
        let summary = try ChildSummary(reading: child, at: place)
        verified.report.bytes += summary.size
        verified.found[place] = ManifestRow(
          child: summary, modified: child.known?.modified ?? FileTime(seconds: 0, nanoseconds: 0))
      } catch {
        unreadable.append(place)
      }
      if child.kind == .directory { try visit(child, at: place, &verified, &unreadable) }
    }
  }

  /// The manifest, read without writing anything.
  func loadManifest(for metadata: PackageMetadata) throws(FilePackageError) -> Manifest? {
    do {
      let package = try location.openDirectory(.root)
      guard try location.disk.exists(PackageLayout.hidden, in: package) else { return nil }
      let folder = try location.disk.openDirectory(PackageLayout.hidden, in: package)
      var batches: [ManifestBatch] = []
      if case .journal(let journal) = try findJournal() { batches = journal.batches }
      return try Manifest.load(
        in: folder, on: location.disk, batches, for: metadata.revision, writing: false)
    } catch {
      throw FilePackageError(
        error, .verify, StoredNode(location: location, path: .root), activity: "reading its manifest")
    }
  }
}
