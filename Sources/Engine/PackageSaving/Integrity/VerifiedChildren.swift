import DurableIO
import FileTrees
import PackageFormat

/// The children on disk and their saved state.
struct VerifiedChildren {
  package var report = VerificationReport()
  /// The noted rows of the damaged and missing children.
  var expected: [PackagePath: NotedChild] = [:]
  /// The noted rows of the children that another program changed.
  var edited: [PackagePath: NotedChild] = [:]
  /// The rows of the children that could be read.
  var found: [PackagePath: NotedChild] = [:]
  /// The children on disk whose saved state is unknown.
  var unknown: [PackagePath] = []
  /// The children and folders that could not be read.
  var unread: [PackagePath: FilePackageError] = [:]
  /// Those that the device cannot read.
  var failing: Set<PackagePath> { Set(unread.filter(\.value.isOfMedium).keys) }
  /// Those that could not be read for another reason.
  var unreadable: [PackagePath: FilePackageError] { unread.filter { !$0.value.isOfMedium } }

  /// The changes of other programs.
  private var changes: [Change] {
    let differing = (report.damaged + report.changed + report.earlier + report.missing + report.extra)
      .map { PackagePath($0) }
    let unknown = Set(unknown.filter { found[$0]?.child.kind != .directory })
    return (differing + unknown).map { path in
      var change = Change(path, noted: expected[path] ?? edited[path], new: found[path])
      change.isNotedKnown = !unknown.contains(path)
      return change
    }
  }

  /// Returns whether a child, or a folder that contains it, could not be read.
  func isUnread(_ path: PackagePath) -> Bool {
    path.prefixes.contains { unread[$0] != nil }
  }

  /// The sums of the children that could be read.
  var summary: ContentSummary {
    var summary = ContentSummary()
    for row in found.values { summary.add(row.child) }
    return summary
  }

  /// Their rows.
  var rows: [NotedChild] { found.values.sorted { $0.child.path < $1.child.path } }

  /// Refuses to accept an unread child.
  func refuseUnread(but restored: Set<PackagePath> = []) throws(FilePackageError) {
    let left = unread.filter { !restored.contains($0.key) }
    guard let (path, first) = left.min(by: { $0.key < $1.key }) else { return }
    var error = first
    error.child = path.display
    error.activity = "reading"
    error.reason = "\(first.reason ?? first.code.words), and a child that cannot be read cannot be accepted"
    throw error
  }

  /// Commits a save of the metadata alone, with digests of the children as they are.
  func commit(
    _ draft: MetadataDraft, over status: FileStatus?, by writer: PackageWriter, in session: PackageSession
  ) throws(FilePackageError) {
    var draft = draft
    draft.program = writer.program
    var plan = SavePlan()
    plan.base = writer.location
    var save = try SaveDraft(
      plan.writingMetadata(over: status), in: session, metadata: draft,
      keepsVersion: session.keepsHistory)
    save.changes.recount(rows)
    save.takeOver(changes)
    _ = try writer.commit(&save, of: writer.tree, writer.tree.changesSnapshot(), in: session)
  }
}

extension FilePackageError {
  /// Whether no program can read the bytes from the device: EIO, EBADMSG, EUCLEAN, ENODATA, or no system error at all.
  fileprivate var isOfMedium: Bool {
    systemErrorNumber.map { [5, 74, 117, 61].contains($0) } ?? (code == .inputOutput)
  }
}
