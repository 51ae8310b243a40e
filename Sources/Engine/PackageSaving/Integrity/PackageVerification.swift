import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

/// The comparison of every child on disk with the saved state.
package struct PackageVerification {
  package let package: OpenPackage

  package init(package: OpenPackage) {
    self.package = package
  }
  private var location: Location { package.location }

  /// Reads and compares the children, and the files that only versions have.
  package func verify() throws(FilePackageError) -> VerificationReport {
    do {
      var report = try verifyChildren().report
      if !report.extra.isEmpty {
        report.possibleCopies = try ConflictSet(package).possibleCopies(in: package)
      }
      try verifyVersions(&report)
      return report
    } catch {
      throw error.during(.verify)
    }
  }

  func verifyChildren() throws(FilePackageError) -> VerifiedChildren {
    var verified = VerifiedChildren()
    verified.report.log =
      package.state.damage?.reason ?? package.state.problem.map { "a save waits: \($0.reason ?? "")" }
    let uncounted = package.baseline.metadata.known?.uncounted ?? []
    try package.present.forEachChild(leavingOut: uncounted) {
      path, child throws(FilePackageError) in
      verified.report.children += 1
      do throws(FilePackageError) {
        let row = try NotedChild(reading: child, at: path)
        verified.report.bytes += row.child.size
        verified.found[path] = row
      } catch {
        verified.note(error, at: path)
      }
    } failed: { path, error throws(FilePackageError) in
      if path.isRoot { throw error }
      verified.note(error, at: path)
    }
    verified.report.unreadable = verified.unreadable.sorted { $0.key < $1.key }.map { path, error in
      .init(path: path.string, reason: error.reason ?? error.code.words)
    }

    guard let metadata = try package.baseline.metadata.get() else {
      verified.report.damaged = verified.failing.keys.sorted().map(\.string)
      verified.report.isWhole = verified.isAllRead && verified.report.log == nil
      return verified
    }
    verified.report.hasDigests = true
    let isSum = verified.isAllRead && verified.summary == metadata.summary
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
    var damaged = Set(verified.failing.keys)
    guard let table = try package.table(of: metadata) else {
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
        earlier.contains(Content(path: path, hash: found.child.content))
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

  /// The content of a child.
  private struct Content: Hashable {
    var path: PackagePath
    var hash: ContentHash
  }

  /// Returns the contents that the children have in the versions of the history.
  ///
  /// No disk makes an earlier content: another program brought it back, whatever date it gave the file. A
  /// log that cannot be read has none.
  private func earlierContents() throws(FilePackageError) -> Set<Content> {
    do throws(FilePackageError) {
      let versions = try package.history()?.chain.versions ?? []
      return Set(
        versions.flatMap(\.rows).compactMap { row in
          row.node?.content.map { Content(path: row.path, hash: $0) }
        })
    } catch {
      if error.code == .logDamaged { return [] }
      throw error
    }
  }
}
