import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

// The removal of operations that the file system refuses from a committed save.
//
// It publishes the other operations. Their bytes become a conflict version, durably. Then a record without them
// supersedes the committed one. A crash at any moment leaves one of the two records.
extension PackageWriter {
  /// Publishes the save without these operations.
  ///
  /// - Returns: the operations; empty if the save can be published as it is, or if none waits.
  package func discardUnpublishable() throws(FilePackageError) -> [RecoveryReport.Discarded] {
    if state.waiting == nil { return [] }
    return try withPackageLock(superseding: true) { session throws(FilePackageError) in
      // The next opening publishes what this store has committed.
      defer { session.hidden.unlock() }
      return try discard(in: session)
    }
  }

  private func discard(in session: PackageSession) throws(FilePackageError) -> [RecoveryReport.Discarded] {
    guard var publisher = try session.publishAsFarAsPossible(wait), !publisher.refused.isEmpty else {
      return []
    }
    if let refusal = publisher.refused[PackagePath([PackageLayout.metadata])] { throw refusal.error }
    var discarded: [RecoveryReport.Discarded] = []
    for change in publisher.record.changes.rows {
      guard let refusal = publisher.refused[change.path] else { continue }
      var kept: PackagePath?
      if let source = try publisher.stagedRefused(change) {
        let node = change.needsStaged ? try copy(source, change, in: session) : source
        kept = try publisher.keepRefused(node, of: change.path)
      }
      discarded += change.plannedSteps.map { operation in
        RecoveryReport.Discarded(
          operation: operation, reason: refusal.error.reason ?? "",
          kept: [.write, .link].contains(operation.kind) ? kept?.string : nil)
      }
    }
    try supersede(publisher, in: session)
    return discarded
  }

  /// Copies a staged node that the record does not hold: the record relies on it until another one supersedes it.
  ///
  /// - Returns: the name of the copy.
  private func copy(
    _ name: FileName, _ change: Change, in session: PackageSession
  ) throws(FilePackageError) -> FileName {
    let (staging, copyName) = (session.hidden.staging, name.copy)
    try StoredNode(location: location, path: change.path).attempt(.publish, "copying") {
      // A killed program may have left a part of it.
      session.disk.removeEverything(copyName, from: staging.descriptor)
      try session.disk.copy(name, in: staging.descriptor, to: copyName, in: staging.descriptor)
    }
    return copyName
  }

  /// Commits the save without the refused changes, in place of the one that waits (S1).
  ///
  /// Everything else is published and durable. The save takes over the refused children as they are.
  private func supersede(_ publisher: Publisher, in session: PackageSession) throws(FilePackageError) {
    var (record, sums) = (publisher.record, ContentSummary())
    let plist = PackagePath([PackageLayout.metadata])
    session.seen.metadata = try baseline.reloadMetadata(
      in: session.hidden.root, on: session.disk, at: location)
    // Another program may have written them since they were published.
    if record.metadata != nil, let known = try baseline.metadata.get() {
      record.metadata?.applicationValues = known.applicationValues
    }
    for position in record.changes.rows.indices {
      var row = record.changes[position]
      if publisher.refused[row.path] != nil {
        if let left = row.left { sums.subtract(left.child) }
        row.new =
          try record.metadata == nil
          ? nil : row.work == .node ? present(row.path) : row.left.map { Entry($0) }
        row.bytes = nil
        // A record may have the package's own folder for its attributes only; without these it has no step.
        row.work = row.path.isRoot ? .attributes : .none
        if let left = row.left { sums.add(left.child) }
      } else if row.path == plist {
        row.found = try present(plist)
        row.new?.inode = Entry.noInode
        // The metadata that were there before; the new ones come under the same name.
        publisher.removeLeftover(row.name)
        publisher.removeLeftover(row.name.rewritten)
      }
      record.changes[position] = row
    }
    record.metadata?.revision = .new
    record.metadata?.summary.add(sums)
    try node.attempt(.publish, "preparing its metadata") { try record.makePlist() }
    try session.commit(&record)
  }

  /// Returns the child in a place.
  private func present(_ path: PackagePath) throws(FilePackageError) -> Entry? {
    guard let stored = try location.node(at: path), let status = stored.status, status.kind.isSupported else {
      return nil
    }
    return Entry(status, content: try stored.content(as: status.kind))
  }
}

extension FileName {
  /// The name of a staged node's copy.
  fileprivate var copy: FileName { FileName(bytes: bytes + Array("=".utf8)) }
}
