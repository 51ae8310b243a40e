import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage

/// The result of a repair of a package.
public struct RepairReport: Sendable, Hashable, Codable {
  /// A child that was restored.
  public struct Restored: Sendable, Hashable, Codable {
    /// The child.
    public var path: String
    /// The file that held the saved bytes of the child.
    public var source: String
  }

  /// The restored children.
  public var restored: [Restored] = []
  /// Whether a damaged journal was set aside.
  public var putJournalAside = false
  /// The children whose present state counts as right from this repair on, including missing ones.
  ///
  /// The package does not hold their saved state.
  public var accepted: [String] = []
  /// The number of versions in the history; nil if the document has no history, or if nothing was accepted.
  public var versions: Int?
  /// Whether this was a dry run, and the report only lists what a repair would do.
  public var isDryRun = false
  /// The differences from the saved state that remain.
  public var remaining: VerificationReport
  /// The tasks that remain, although the document is repaired.
  public var warnings: [SaveWarning] = []
}

extension RepairReport: CustomStringConvertible {
  /// A line for each child and for each remaining difference.
  public var description: String {
    var lines = restored.map {
      "\(isDryRun ? "would restore" : "restored") \(displayString($0.path)) from \(displayString($0.source))"
    }
    if putJournalAside { lines.append("\(isDryRun ? "would put" : "put") the damaged journal aside") }
    lines += accepted.map { "\(isDryRun ? "would accept" : "accepted") \(displayString($0)) as it is" }
    if let versions {
      lines.append(
        "\(versions) version\(versions == 1 ? "" : "s") of the history \(isDryRun ? "would stay" : "stayed")")
    }
    return (lines + remaining.lines).joined(separator: "\n")
  }
}

extension PackageStore {
  /// Restores damaged and missing children, and sets a damaged journal aside if the children are whole without it.
  ///
  /// The repair finds the bytes of a child by their digest elsewhere in the package, such as among conflict versions or
  /// in conflict copies. It saves the restored children in one save, and the accepted children in the next one. It
  /// removes nothing. If the document keeps history, the state before the repair becomes a version, and earlier
  /// versions stay. Their entry for an accepted child says that its bytes are lost.
  ///
  /// - Parameters:
  ///   - accepting: whether the present children count as right, so that the repair computes the digests again from
  ///     them. A document that is whole stays as it is.
  ///   - dryRun: whether to report the repair without doing it.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits; `permissionDenied` or the system's error if a child to
  ///   accept cannot be read. The repair then changes nothing. Otherwise the errors of `save(_:options:)`.
  public func repair(
    accepting: Bool = false, dryRun: Bool = false
  ) throws(FilePackageError) -> RepairReport {
    do throws(FilePackageError) {
      if !dryRun {
        if state.problem == nil { try publish() }
        try refuseUnsavedEdits()
      }
      let verified = try verifyChildren()
      var report = RepairReport(remaining: verified.report)
      report.isDryRun = dryRun
      let sources = verified.expected.isEmpty ? [:] : try candidates(verified)
      var restored: [(row: ManifestRow, source: StoredNode)] = []
      for (path, row) in verified.expected.sorted(by: { $0.key < $1.key }) {
        guard row.child.kind == .file, let source = sources[row.child.content] else { continue }
        report.restored.append(.init(path: path.string, source: source.path.string))
        restored.append((row, source))
      }
      let right = Set(restored.map(\.row.child.path))
      if accepting { try refuseUnread(verified, but: right) }
      report.putJournalAside =
        state.damage != nil && (accepting || !restored.isEmpty || verified.report.isWholeButForJournal)
      if dryRun {
        if accepting && knownMetadata != nil && !verified.report.isWholeButForJournal {
          report.accepted = verified.report.acceptable.filter { !right.contains(PackagePath($0)) }
          if !report.accepted.isEmpty || verified.report.isUnexplained {
            report.versions = try keptVersions()
          }
        }
        return report
      }
      if report.putJournalAside { try putJournalAside() }
      report.warnings += try save(restored)
      let isRight = restored.isEmpty && verified.report.isWholeButForJournal
      do throws(FilePackageError) {
        if accepting && knownMetadata != nil && !isRight,
          let accepted = try acceptChildren(&report.warnings)
        {
          report.accepted = accepted.report.acceptable
          report.versions = try keptVersions()
        }
      } catch {
        throw report.restored.isEmpty ? error : error.afterRestoring
      }
      do throws(FilePackageError) {
        report.remaining = try verifyChildren().report
      } catch {
        // The repair is saved; `remaining` holds the earlier findings.
        if report.restored.isEmpty && !accepting { throw error }
        report.warnings.append(SaveWarning(.unverified, error))
      }
      return report
    } catch {
      throw error.during(.repair)
    }
  }

  /// Refuses to accept an unread child.
  func refuseUnread(
    _ verified: Verified, but restored: Set<PackagePath> = []
  ) throws(FilePackageError) {
    let unread = verified.unreadable.merging(verified.failing) { first, _ in first }
      .filter { !restored.contains($0.key) }
    guard let (path, first) = unread.min(by: { $0.key < $1.key }) else { return }
    var error = first
    error.child = path.display
    error.activity = "reading"
    error.reason = "\(first.reason ?? first.code.words), and a child that cannot be read cannot be accepted"
    throw error
  }

  private func keptVersions() throws(FilePackageError) -> Int? {
    try keepsHistory() ? try history()?.available.count : nil
  }

  private func save(
    _ restored: [(row: ManifestRow, source: StoredNode)]
  ) throws(FilePackageError) -> [SaveWarning] {
    if restored.isEmpty { return [] }
    do throws(FilePackageError) {
      for (row, source) in restored { try restore(row, from: source) }
      return try save().warnings
    } catch {
      // Nothing is on disk; the restored children in the tree would count as edits, which no caller made.
      if state.isSettled { tree = newTree() }
      throw error
    }
  }

  /// Returns files that may hold the missing bytes, by their hashes: all children, and the files in the hidden folder.
  private func candidates(_ verified: Verified) throws(FilePackageError) -> [ContentHash: StoredNode] {
    let wanted = Set(verified.expected.values.map(\.child.content))
    var sources: [ContentHash: StoredNode] = [:]
    for (path, row) in verified.found where row.child.kind == .file && wanted.contains(row.child.content) {
      sources[row.child.content] = StoredNode(location: location, path: path)
    }
    for folder in [PackageLayout.conflicts, PackageLayout.versions, PackageLayout.staging] {
      let path = PackagePath([PackageLayout.hidden, folder])
      try search(path, wanted, &sources)
    }
    return sources
  }

  private func search(
    _ path: PackagePath, _ wanted: Set<ContentHash>, _ sources: inout [ContentHash: StoredNode]
  ) throws(FilePackageError) {
    if path.names.count > PackagePath.maximumDepth { return }
    let folder = StoredNode(location: location, path: path)
    // A missing or unreadable folder has no usable files.
    guard let listing = try? folder.list() else { return }
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      switch listing.kind(at: position) {
      case .directory: try search(path.appending(name), wanted, &sources)
      case .file:
        guard let node = try folder.children([name]).first,
          let child = try? ChildSummary(reading: PackageSnapshot.Node(node, kind: .file), at: node.path),
          wanted.contains(child.content)
        else { continue }
        sources[child.content] = node
      default: break
      }
    }
  }

  private func restore(_ row: ManifestRow, from source: StoredNode) throws(FilePackageError) {
    do {
      let wrapper = FileWrapper(regularFileWithContents: try FileContents.stored(source).data())
      let mode: UInt16 = row.child.isExecutable ? 0o755 : 0o644
      wrapper.state.withLock { state in
        state.attributes = NodeAttributes(mode: mode, modeIsExact: true, modified: row.modified)
      }
      try tree.setDescendant(wrapper, at: row.child.path.string)
    } catch {
      throw error as? FilePackageError
        ?? FilePackageError(.inputOutput, .repair, StoredNode(location: location, path: row.child.path))
    }
  }

  private func putJournalAside() throws(FilePackageError) {
    let disk = location.disk
    do {
      let folder = try location.openDirectory(PackagePath([PackageLayout.hidden]))
      try disk.rename(
        PackageLayout.journal, in: folder, to: PackageLayout.damagedJournal, in: folder, .replace)
      try disk.synchronize(folder)
    } catch {
      throw FilePackageError(
        error, .repair, StoredNode(location: location, path: .root), activity: "putting its journal aside")
    }
    state.resume()
  }

  /// Computes the digests again from the present children.
  ///
  /// - Returns: the state of the children; nil if they were whole and nothing was done.
  private func acceptChildren(_ warnings: inout [SaveWarning]) throws(FilePackageError) -> Verified? {
    let session = try openSession()
    let verified: Verified
    do throws(FilePackageError) {
      // The lock is held, so that the counted children stay unchanged.
      verified = try verifyChildren()
      try refuseUnread(verified)
      guard !verified.report.isWholeButForJournal, let known = try metadata(),
        case .present(_, let status) = baseline.metadata
      else {
        endFailedSession()
        return nil
      }
      var summary = ContentSummary()
      for row in verified.found.values { summary.add(row.child) }
      try commitMetadata(MetadataDraft(after: known, summary, location), over: status, verified, in: session)
    } catch {
      endFailedSession()
      throw error
    }
    do throws(FilePackageError) {
      try publishPending()
    } catch {
      warnings.append(SaveWarning(.unpublished, error))
    }
    return verified
  }

  /// Commits a save of the metadata alone, with digests of the children as they are.
  func commitMetadata(
    _ draft: MetadataDraft, over status: FileStatus?, _ children: Verified, in session: PackageSession
  ) throws(FilePackageError) {
    var draft = draft
    draft.program = program
    var plan = SavePlan()
    plan.base = location
    var saving = try JournaledSave(
      plan.writingMetadata(over: status), in: session, options: .init([]), metadata: draft,
      keepsVersion: session.keepsHistory && !session.hasDamagedHistory)
    saving.accept(children.before)
    saving.replaceManifest(by: children.found.values.sorted { $0.child.path < $1.child.path })
    _ = try commit(&saving, of: tree, tree.changesSnapshot(), in: session)
  }
}

extension FilePackageError {
  /// The error of a step that follows restored and saved children.
  fileprivate var afterRestoring: FilePackageError {
    var error = self
    error.reason = "its children are restored, and then: \(reason ?? code.words)"
    return error
  }
}

extension VerificationReport {
  /// Whether the children are as they were saved, regardless of the journal.
  fileprivate var isWholeButForJournal: Bool {
    hasDigests && damaged.isEmpty && unreadable.isEmpty && missing.isEmpty && extra.isEmpty && !isUnexplained
  }

  /// The children that differ from the saved state, as paths in byte order.
  fileprivate var acceptable: [String] { (damaged + missing + extra).sorted() }
}
