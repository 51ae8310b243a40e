import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

extension OpenPackage {
  /// Reads and compares the children, and the files that only versions have.
  package func verify() throws(FilePackageError) -> VerificationReport {
    do {
      var report = try verifyChildren().report
      if !report.extra.isEmpty {
        report.possibleCopies = try ConflictSet(self).possibleCopies()
      }
      try verifyVersions(&report)
      return report
    } catch {
      throw error.during(.verify)
    }
  }

  /// Reads and compares the children.
  ///
  /// - Parameter isCancelled: whether to stop before the next child, with `cancelled`.
  func verifyChildren(
    unless isCancelled: () -> Bool = { false }
  ) throws(FilePackageError) -> VerifiedChildren {
    var verified = VerifiedChildren()
    verified.report.log =
      state.damage?.reason ?? state.problem.map { "a save waits: \($0.reason ?? "")" }
    let uncounted = baseline.metadata.known?.uncounted ?? []
    try present.forEachChild(leavingOut: uncounted) {
      path, child throws(FilePackageError) in
      if isCancelled() { throw FilePackageError(.cancelled, .verify, node) }
      verified.report.children += 1
      do throws(FilePackageError) {
        let row = try NotedChild(reading: child, at: path)
        verified.report.bytes += row.child.size
        verified.found[path] = row
      } catch {
        verified.unread[path] = error
      }
    } failed: { path, error throws(FilePackageError) in
      if path.isRoot { throw error }
      verified.unread[path] = error
    }
    verified.report.unreadable = verified.unreadable.sorted { $0.key < $1.key }.map { path, error in
      .init(path: path.string, reason: error.reason ?? error.code.words)
    }

    guard let metadata = try baseline.metadata.get() else {
      verified.report.damaged = verified.failing.sorted().map(\.string)
      verified.report.isWhole = verified.unread.isEmpty && verified.report.log == nil
      return verified
    }
    verified.report.hasDigests = true
    let isSum = verified.unread.isEmpty && verified.summary == metadata.summary
    if !isSum { try explain(&verified, metadata) }
    let report = verified.report
    verified.report.isWhole =
      report.damaged.isEmpty && report.unreadable.isEmpty && report.missing.isEmpty && !report.isUnexplained
      && report.log == nil
    return verified
  }

  /// Names the children that explain the difference of the sums.
  private func explain(
    _ verified: inout VerifiedChildren, _ metadata: PackageMetadata
  ) throws(FilePackageError) {
    var damaged = verified.failing
    guard let table = try table(of: metadata) else {
      verified.report.damaged = damaged.sorted().map(\.string)
      verified.report.isUnexplained = verified.unreadable.isEmpty
      verified.unknown = Array(verified.found.keys)
      return
    }
    let earlier = try earlierContents()
    // The sums of the saved state, as far as the rows have it.
    var saved = ContentSummary()
    for (path, found) in verified.found {
      guard let row = table.row(at: path) else {
        if table.isComplete {
          verified.report.extra.append(path.string)
        } else {
          verified.unknown.append(path)
          saved.add(found.child)
        }
        continue
      }
      saved.add(row.child)
      guard let difference = row.difference(of: found) else { continue }
      if found.child.content != row.child.content,
        earlier[path]?.contains(found.child.content) == true
      {
        verified.edited[path] = row
        verified.report.earlier.append(path.string)
      } else if difference == .changed {
        verified.edited[path] = row
        verified.report.changed.append(path.string)
      } else {
        damaged.insert(path)
      }
    }
    var missing: [PackagePath] = []
    for row in table.rows where verified.found[row.child.path] == nil {
      if !verified.isUnread(row.child.path) { missing.append(row.child.path) }
    }
    for path in damaged.union(missing) { verified.expected[path] = table.row(at: path) }
    verified.report.damaged = damaged.sorted().map(\.string)
    verified.report.changed.sort()
    verified.report.earlier.sort()
    verified.report.missing = missing.sorted().map(\.string)
    verified.report.extra.sort()
    verified.report.isUnexplained =
      damaged.isEmpty && missing.isEmpty && verified.unreadable.isEmpty && saved != metadata.summary
  }

  /// Returns the contents that the children have in the versions of the history.
  ///
  /// No disk makes an earlier content: another program brought it back, whatever date it gave the file. A log that cannot
  /// be read has none.
  private func earlierContents() throws(FilePackageError) -> [PackagePath: Set<ContentHash>] {
    var earlier: [PackagePath: Set<ContentHash>] = [:]
    do throws(FilePackageError) {
      for row in try history()?.chain.versions.flatMap(\.rows) ?? [] {
        if let content = row.node?.content { earlier[row.path, default: []].insert(content) }
      }
    } catch {
      if error.code != .logDamaged { throw error }
    }
    return earlier
  }

  // MARK: Versions

  /// Reads the files that only versions have, and compares them with the history.
  func verifyVersions(_ report: inout VerificationReport) throws(FilePackageError) {
    guard state.damage == nil, state.waiting == nil, let history = try history()
    else { return }
    report.versions = history.available.count
    if history.isDamaged {
      // The damage is a gap, too.
      report.damagedVersions.append(.init(kind: .lostVersions))
    } else {
      report.damagedVersions += history.chain.gaps(before: history.current).map { gap in
        .init(kind: .absent, generations: gap.generations)
      }
    }
    for version in history.chain.versions[history.available] {
      for row in version.rows {
        guard let node = row.node, node.isKept else { continue }
        func note(_ kind: VerificationReport.VersionProblem.Kind, _ reason: String? = nil) {
          report.damagedVersions.append(
            .init(kind: kind, path: row.path.string, version: version.revision, reason: reason))
        }
        do throws(FilePackageError) {
          guard let kept = try history.find(node) else {
            note(.missing)
            continue
          }
          if try kept.content(as: node.kind) != node.content { note(.damaged) }
        } catch {
          note(.unreadable, error.detail)
        }
      }
    }
    if !report.damagedVersions.isEmpty { report.isWhole = false }
  }
}
