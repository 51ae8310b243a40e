import DurableIO
import FoundationEssentials

extension PackageVerification {
  /// Reads the files that only versions have, and compares them with the history.
  func verifyVersions(_ report: inout VerificationReport) throws(FilePackageError) {
    let history: VersionHistory
    do {
      guard package.state.damage == nil, package.state.waiting == nil, let found = try package.history()
      else { return }
      history = found
    } catch {
      guard error.code == .invalidContent else { throw error }
      report.damagedVersions = ["the history cannot be read"]
      report.isWhole = false
      return
    }
    report.versions = history.available.count
    if history.isDamaged {
      report.damagedVersions.append(
        "a part of the history is damaged; the versions before it are lost")
    }
    for version in history.chain.versions[history.available] {
      for row in version.rows {
        guard let node = row.node, node.kind != .directory, node.place != nil else { continue }
        let name = "\(displayString(row.path.string)) of \(version.revision.uuidString.prefix(8))"
        do throws(FilePackageError) {
          guard let kept = try history.find(node) else {
            report.damagedVersions.append("missing: \(name)")
            continue
          }
          let found = try ChildSummary(reading: PackageSnapshot.Node(kept, kind: node.kind), at: row.path)
          if found.content != node.content { report.damagedVersions.append("damaged: \(name)") }
        } catch {
          report.damagedVersions.append("unreadable: \(name): \(error.detail)")
        }
      }
    }
    if !report.damagedVersions.isEmpty { report.isWhole = false }
  }
}
