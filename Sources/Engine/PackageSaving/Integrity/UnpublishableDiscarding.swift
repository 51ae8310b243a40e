import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

/// The removal of operations that the file system refuses from a committed save.
///
/// It publishes the other operations. Their bytes become a conflict version, durably. Then a record without them
/// supersedes the committed one. A crash at any moment leaves one of the two records.
package struct UnpublishableDiscarding {
  private let writer: PackageWriter

  package init(_ writer: PackageWriter) { self.writer = writer }

  /// Publishes the save without these operations.
  ///
  /// - Returns: the operations; empty if the save can be published as it is, or if none waits.
  package func discard() throws(FilePackageError) -> [RecoveryReport.Discarded] {
    if writer.state.waiting == nil { return [] }
    return try writer.withPackageLock(superseding: true) { session throws(FilePackageError) in
      // The next opening publishes what this store has committed.
      defer { session.hidden.unlock() }
      return try discard(in: session)
    }
  }

  private func discard(in session: PackageSession) throws(FilePackageError) -> [RecoveryReport.Discarded] {
    guard var publisher = try session.publishAsFarAsPossible(writer.wait), !publisher.refused.isEmpty else {
      return []
    }
    if let refusal = publisher.refused[PackagePath([PackageLayout.metadata])] { throw refusal.error }
    var discarded: [RecoveryReport.Discarded] = []
    for operation in publisher.record.operations {
      guard let refusal = publisher.refused[operation.path] else { continue }
      var kept: PackagePath?
      if let source = try publisher.stagedRefused(operation) {
        let node = operation.needsStaged ? try copy(source, operation, in: session) : source
        kept = try publisher.keepRefused(node, of: operation.path)
      }
      discarded.append(
        RecoveryReport.Discarded(
          operation: RecoveryReport.Operation(operation), reason: refusal.error.reason ?? "",
          kept: kept?.string))
    }
    try supersede(publisher, in: session)
    return discarded
  }

  /// Copies a staged node that the record does not hold: the record relies on it until another one supersedes it.
  ///
  /// - Returns: the name of the copy.
  private func copy(
    _ name: FileName, _ operation: JournalRecord.Operation, in session: PackageSession
  ) throws(FilePackageError) -> FileName {
    let (staging, copyName) = (session.hidden.staging, name.copy)
    do {
      // A killed program may have left a part of it.
      session.disk.removeEverything(copyName, from: staging.descriptor)
      try session.disk.copy(name, in: staging.descriptor, to: copyName, in: staging.descriptor)
      return copyName
    } catch {
      throw FilePackageError(
        error, .publish, StoredNode(location: writer.location, path: operation.path), activity: "copying")
    }
  }

  /// Commits the save without the refused operations, in place of the one that waits (S1).
  ///
  /// Everything else is published and durable. The digests take the refused children as they are.
  private func supersede(_ publisher: Publisher, in session: PackageSession) throws(FilePackageError) {
    let refused = Set(publisher.refused.keys)
    let metadata = PackagePath([PackageLayout.metadata])
    var rest = publisher.record
    rest.operations.removeAll { refused.contains($0.path) }
    rest.version?.rows.removeAll { refused.contains($0.path) }
    session.beginSave()
    session.seen.metadata = try writer.baseline.reloadMetadata(
      in: session.hidden.root, on: session.disk, at: writer.location)
    if let state = rest.state, let known = try writer.baseline.metadata.get() {
      var plan = SavePlan()
      plan.base = writer.location
      let draft = MetadataDraft(after: known, nil, writer.location)
      var saving = try InPlaceSave(
        plan.writingMetadata(over: session.seen.metadata), in: session, options: .init([]), metadata: draft)
      try saving.children.takeOver(
        refused.sorted(), insteadOf: state, beneath: session.hidden.root.descriptor)
      try saving.prepare()
      rest.operations.removeAll { $0.path == metadata }
      rest.operations += saving.record.operations
      rest.state = saving.record.state
      if let revision = rest.state?.revision { rest.version?.next = revision }
    }
    try session.commit(&rest)
  }
}

extension FileName {
  /// The name of a staged node's copy.
  fileprivate var copy: FileName { FileName(bytes: bytes + Array("=".utf8)) }
}
