import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
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
  /// Whether a damaged log was set aside.
  public var putLogAside = false
  /// The children whose present state the repair accepted as right, including missing ones.
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
    if putLogAside { lines.append("\(isDryRun ? "would set" : "set") the damaged log aside") }
    lines += accepted.map { "\(isDryRun ? "would accept" : "accepted") \(displayString($0)) as it is" }
    if let versions {
      lines.append(
        "\(versions) version\(versions == 1 ? "" : "s") of the history \(isDryRun ? "would stay" : "stayed")")
    }
    return (lines + remaining.lines).joined(separator: "\n")
  }
}

// The repair of a package. The docs of `PackageStore` say what it guarantees.
extension PackageWriter {
  package func repair(accepting: Bool, dryRun: Bool) throws(FilePackageError) -> RepairReport {
    do throws(FilePackageError) {
      if !dryRun {
        if state.problem == nil { try publish() }
        try refuseUnsavedEdits()
      }
      let verified = try package.verifyChildren()
      var report = RepairReport(remaining: verified.report)
      report.isDryRun = dryRun
      let sources = try verified.expected.isEmpty ? nil : sources(verified)
      var restored: [(row: NotedChild, source: StoredNode)] = []
      for (path, row) in verified.expected.sorted(by: { $0.key < $1.key }) {
        guard row.child.kind == .file, let source = try sources?.find(Entry(row)) else { continue }
        report.restored.append(.init(path: path.string, source: source.path.string))
        restored.append((row, source))
      }
      let right = Set(restored.map(\.row.child.path))
      if accepting { try verified.refuseUnread(but: right) }
      report.putLogAside =
        state.damage != nil
        && (accepting || !restored.isEmpty || verified.report.isAsSavedButForLog)
      if dryRun {
        if accepting && baseline.metadata.known != nil && !verified.report.isAsSavedButForLog {
          report.accepted = verified.report.acceptable.filter { !right.contains(PackagePath($0)) }
          if !report.accepted.isEmpty || verified.report.isUnexplained {
            report.versions = try keptVersions()
          }
        }
        try package.verifyVersions(&report.remaining)
        return report
      }
      if report.putLogAside { try putLogAside() }
      report.warnings += try restore(restored)
      let isRight = restored.isEmpty && verified.report.isAsSavedButForLog
      do throws(FilePackageError) {
        if accepting && baseline.metadata.known != nil && !isRight,
          let accepted = try acceptChildren(&report.warnings)
        {
          report.accepted = accepted.report.acceptable
          report.versions = try keptVersions()
        }
      } catch {
        throw report.restored.isEmpty ? error : error.afterRestoring
      }
      do throws(FilePackageError) {
        report.remaining = try package.verify()
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

  private func keptVersions() throws(FilePackageError) -> Int? {
    try package.history()?.available.count
  }

  private func restore(
    _ restored: [(row: NotedChild, source: StoredNode)]
  ) throws(FilePackageError) -> [SaveWarning] {
    if restored.isEmpty { return [] }
    do throws(FilePackageError) {
      for (row, source) in restored { try restore(row, from: source) }
      var request = SaveRequest(tree)
      // A damaged file may have the size and the date of the noted one.
      request.readsFiles = true
      return try save(request).warnings
    } catch {
      // Nothing is on disk; the restored children in the tree would count as edits, which no caller made.
      if state.isRebased { tree = package.newTree() }
      throw error
    }
  }

  /// Returns the files that may hold the missing bytes: all children, and the files in the hidden folder.
  private func sources(_ verified: VerifiedChildren) throws(FilePackageError) -> ContentSources {
    let sources = ContentSources(at: location, skipsUnreadable: true)
    for row in verified.found.values { sources.add(row) }
    for path in [PackageLayout.conflictsPath, PackageLayout.keptPath, PackageLayout.stagingPath] {
      let folder = StoredNode(location: location, path: path)
      try PackageSnapshot.Node(folder, kind: .directory).forEachChild { _, node throws(FilePackageError) in
        sources.add(unread: node)
      } failed: { _, _ throws(FilePackageError) in
        // A missing or unreadable folder has no usable files.
      }
    }
    return sources
  }

  private func restore(_ row: NotedChild, from source: StoredNode) throws(FilePackageError) {
    try StoredNode(location: location, path: row.child.path).attempt(.repair) {
      let wrapper = FileWrapper(regularFileWithContents: try FileContents.stored(source).data())
      wrapper.state.withLock { state in
        state.attributes = Entry(unkept: row).attributes(from: source)
      }
      try tree.setDescendant(wrapper, at: row.child.path.string)
    }
  }

  /// Sets the damaged log aside, and puts one with everything that can be read in its place.
  private func putLogAside() throws(FilePackageError) {
    let disk = location.disk
    let (name, damaged) = (PackageLayout.log, PackageLayout.damagedLog)
    try node.attempt(.repair, "setting its log aside") {
      let hidden = try HiddenFolder.open(location, on: disk, wait)
      defer { hidden.unlock() }
      let found = try SaveLog.find(in: hidden.folder, on: disk, forWriting: false)
      if let ledger = found.ledger {
        if try disk.exists(damaged, in: hidden.folder) { try disk.removeFile(damaged, in: hidden.folder) }
        // The log has its name at every moment.
        try disk.copy(name, in: hidden.folder, to: damaged, in: hidden.folder)
        let package = try disk.status(of: location.openDirectory(.root))
        let bytes = try SaveLog.contents(ledger, of: package)
        _ = try disk.replace(name, by: PackageLayout.newLog, in: hidden.folder) { file throws(SystemError) in
          try disk.write(bytes, to: file, at: 0)
        }
      } else {
        try disk.rename(name, in: hidden.folder, to: damaged, in: hidden.folder, .replace)
      }
      try disk.synchronize(hidden.folder)
    }
    state.resume()
  }

  /// Computes the digests again from the present children.
  ///
  /// - Returns: the state of the children; nil if they were whole and nothing was done.
  private func acceptChildren(_ warnings: inout [SaveWarning]) throws(FilePackageError) -> VerifiedChildren? {
    let accepted = try withPackageLock { session throws(FilePackageError) -> VerifiedChildren? in
      // The lock is held, so that the counted children stay unchanged.
      let verified = try package.verifyChildren()
      try verified.refuseUnread()
      guard !verified.report.isAsSavedButForLog, let known = try baseline.metadata.get(),
        case .present(_, let status) = baseline.metadata
      else { return nil }
      let draft = MetadataDraft(after: known, verified.summary, location)
      try verified.commit(draft, over: status, by: self, in: session)
      return verified
    }
    guard let accepted else { return nil }
    do throws(FilePackageError) {
      try publishPending()
    } catch {
      warnings.append(SaveWarning(.unpublished, error))
    }
    return accepted
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
  /// Whether the children are as they were saved, regardless of the log.
  fileprivate var isAsSavedButForLog: Bool {
    hasDigests && damaged.isEmpty && unreadable.isEmpty && missing.isEmpty && changed.isEmpty
      && earlier.isEmpty
      && extra.isEmpty
      && !isUnexplained
  }

  /// The children that differ from the saved state, as paths in byte order.
  fileprivate var acceptable: [String] { (damaged + changed + earlier + missing + extra).sorted() }
}
