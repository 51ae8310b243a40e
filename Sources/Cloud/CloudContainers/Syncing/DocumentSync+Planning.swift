import FilePackages

extension DocumentSync {
  /// Notes in the report the next step of the document, and carries out nothing.
  ///
  /// A merge is one of both sides: the report does not know whether it ends in a conflict.
  mutating func plan() async throws {
    let (step, head) = try await decide()
    switch step {
    case .nothing:
      guard let head, local != nil, !head.isDeleted else { return }
      try await planConflicts(head)
    case .listAsPlaceholder: report.downloaded = head != nil && record.isWanted
    case .upload:
      report.uploaded = true
      noteName(try await session.freeName(record.name, for: record, among: names))
    case .download:
      guard let head else { return }
      if local != nil { noteName(head.name) }
      report.downloaded = local == nil || session.base(of: record) != head.root
    case .merge: report.merged = true
    case .delete: report.deleted = true
    case .removeHere: report.removed = true
    case .forget: break
    }
  }

  private mutating func noteName(_ name: String) {
    if name != record.name { (report.oldName, report.name) = (record.name, name) }
  }

  private mutating func planConflicts(_ head: CloudVersion) async throws {
    guard let local, local.isPackage else { return }
    report.uploaded = try await !resolvedConflicts().isDisjoint(with: head.conflicts.map(\.id))
    if seen?.hasConflicts == true, try await !ownConflicts(local, head).isEmpty { report.uploaded = true }
    report.conflict = !shown.isSuperset(of: head.conflicts.map(\.id))
  }
}
