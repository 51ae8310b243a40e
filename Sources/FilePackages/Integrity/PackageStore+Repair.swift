import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage

/// What repairing a package did.
public struct RepairReport: Sendable, Hashable, Codable {
  /// One child that was put right.
  public struct Restored: Sendable, Hashable, Codable {
    /// The child.
    public var path: String
    /// Where the bytes were found that it had when it was saved.
    public var source: String
  }

  /// The children that were put right.
  public var restored: [Restored] = []
  /// Whether a journal that could not be read was put aside.
  public var putJournalAside = false
  /// What is still not as it was saved.
  public var remaining: VerificationReport
  /// What is left to be done, though the document is repaired.
  public var warnings: [SaveWarning] = []
}

extension RepairReport: CustomStringConvertible {
  /// A line for each child, and what is left.
  public var description: String {
    var lines = restored.map { "restored \(displayString($0.path)) from \(displayString($0.source))" }
    if putJournalAside { lines.append("put the damaged journal aside") }
    return (lines + remaining.lines).joined(separator: "\n")
  }
}

extension PackageStore {
  /// Puts right what can be: a child that is damaged or missing is restored where its bytes, told by their digest,
  /// are found elsewhere in the package, such as among conflict versions or in copies that a program which
  /// synchronises folders has left. A damaged journal is put aside once the children are whole without it.
  ///
  /// All is saved in one save. Nothing is removed.
  ///
  /// - Parameters:
  ///   - accepting: whether the children are to count as right as they are then, so that the digests are made
  ///     anew from what is there.
  ///   - dryRun: whether only to say what would be done.
  public func repair(
    accepting: Bool = false, dryRun: Bool = false
  ) throws(FilePackageError) -> RepairReport {
    do throws(FilePackageError) {
      let verified = try verifyChildren()
      var report = RepairReport(remaining: verified.report)
      let sources = verified.expected.isEmpty ? [:] : try candidates(verified)
      for (path, row) in verified.expected.sorted(by: { $0.key < $1.key }) {
        guard row.child.kind == .file, let source = sources[row.child.content] else { continue }
        report.restored.append(.init(path: path.string, source: source.path.string))
        if !dryRun { try restore(row, from: source) }
      }
      let isWholeWithoutJournal = !report.restored.isEmpty || isWholeButForJournal(verified.report)
      if damage != nil, accepting || isWholeWithoutJournal {
        report.putJournalAside = true
        if !dryRun { try putJournalAside() }
      }
      if dryRun { return report }
      if !report.restored.isEmpty { report.warnings += try save().warnings }
      do throws(FilePackageError) {
        if accepting { try acceptChildren(&report.warnings) }
      } catch {
        throw report.restored.isEmpty ? error : error.afterRestoring
      }
      do throws(FilePackageError) {
        report.remaining = try verifyChildren().report
      } catch {
        // What was done is saved; what is left is what was found before.
        if report.restored.isEmpty && !accepting { throw error }
        report.warnings.append(SaveWarning(.unverified, error))
      }
      return report
    } catch {
      throw error.during(.repair)
    }
  }

  private func isWholeButForJournal(_ report: VerificationReport) -> Bool {
    report.hasDigests && report.damaged.isEmpty && report.missing.isEmpty && report.extra.isEmpty
      && !report.isUnexplained
  }

  /// Files that may hold what is missing elsewhere, by what they hold: all children, and what is in the hidden
  /// folder.
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
    if path.names.count > PackageSnapshot.maximumDepth { return }
    let folder = StoredNode(location: location, path: path)
    // A folder that is not there, or cannot be read, holds nothing that could be used.
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
    damage = nil
  }

  /// Makes the digests anew from what is there.
  private func acceptChildren(_ warnings: inout [SaveWarning]) throws(FilePackageError) {
    guard let known = try metadata(), case .present(_, let status) = metadataState else { return }
    let session = try openSession()
    do throws(FilePackageError) {
      let found = try verifyChildren().found
      var summary = ContentSummary()
      for row in found.values { summary.add(row.child) }
      var draft = MetadataDraft(after: known, summary, location)
      draft.program = program
      var plan = SavePlan()
      plan.base = location
      var saving = try JournaledSave(
        plan.writingMetadata(over: status), in: session, options: .init([]), metadata: draft)
      saving.replaceManifest(by: found.values.sorted { $0.child.path < $1.child.path })
      try saving.commit()
      pending = Pending(tree, tree.changesSnapshot(), saving.maker.madeMetadata?.metadata)
    } catch {
      endFailedSession()
      throw error
    }
    do throws(FilePackageError) {
      try publishPending()
    } catch {
      warnings.append(SaveWarning(.unpublished, error))
    }
  }
}

extension FilePackageError {
  /// The error of what comes once children are restored and saved.
  fileprivate var afterRestoring: FilePackageError {
    var error = self
    error.reason = "its children are restored, and then: \(reason ?? code.words)"
    return error
  }
}
