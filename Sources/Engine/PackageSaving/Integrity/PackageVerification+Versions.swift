import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

extension PackageVerification {
  /// Reads the files that only versions have, and compares them with the history.
  func verifyVersions(_ report: inout VerificationReport) throws(FilePackageError) {
    guard package.state.damage == nil, package.state.waiting == nil, let history = try package.history()
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
          let found = try ChildSummary(reading: PackageSnapshot.Node(kept, kind: node.kind), at: row.path)
          if found.content != node.content { note(.damaged) }
        } catch {
          note(.unreadable, error.detail)
        }
      }
    }
    if !report.damagedVersions.isEmpty { report.isWhole = false }
  }
}
