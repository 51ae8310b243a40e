import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

/// The removal of operations that the file system refuses from a committed save.
///
/// It publishes the other operations. Their bytes become a conflict version, durably, before a record without them
/// supersedes the committed one. A crash at any moment leaves one of the two records.
package struct UnpublishableDiscarding {
  private let writer: PackageWriter

  package init(_ writer: PackageWriter) { self.writer = writer }

  /// Commits the save without these operations; the next opening publishes the rest of it.
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
    guard let record = session.live, var publisher = try session.publishAsFarAsPossible(writer.wait),
      !publisher.refused.isEmpty
    else { return [] }
    if let refusal = publisher.refused[PackagePath([PackageLayout.metadata])] { throw refusal.error }
    var discarded: [RecoveryReport.Discarded] = []
    for operation in record.operations {
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
    session.beginSave()
    var rest = try self.rest(of: record, without: Set(publisher.refused.keys), in: session)
    try session.commit(&rest)
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

  /// Returns the record of the save without the operations at some paths.
  private func rest(
    of record: JournalRecord, without refused: Set<PackagePath>, in session: PackageSession
  ) throws(FilePackageError) -> JournalRecord {
    var rest = record
    rest.operations.removeAll { refused.contains($0.path) }
    rest.version?.rows.removeAll { refused.contains($0.path) }
    let plist = rest.operations.firstIndex { $0.path.names == [PackageLayout.metadata] }
    guard let plist, case .put(var staged) = rest.operations[plist].action, let bytes = staged.bytes,
      var batch = record.batch
    else { return rest }
    var metadata = try decode(bytes)
    // The sums without the new children, and with the old ones that stay.
    var summary = metadata.summary
    let made = Manifest(isComplete: true)
    _ = made.append(batch)
    for row in made.rows where refused.contains(row.child.path) {
      summary.subtract(row.child)
      batch.remove(row.child.path)
    }
    let manifest = session.manifest.value
    // A refused folder counts with everything in it.
    for path in refused where !refused.contains(path.parent) {
      try forEachChild(at: path, known: manifest?.revision == batch.parent ? manifest : nil) { row in
        summary.add(row.child)
        batch.add(row)
      }
    }
    metadata.summary = summary
    metadata.revision = .new
    rest.version?.next = metadata.revision
    (batch.revision, batch.digest) = (metadata.revision, summary.digest)
    rest.batch = batch
    let encoded = try encode(metadata)
    rest.operations[plist].old = try presentMetadata(over: rest.operations[plist], in: session)
    (staged.name, staged.bytes) = (session.stagedName(plist), encoded)
    staged.node = JournalRecord.Known(
      kind: .file, inode: JournalRecord.Known.noInode, size: UInt64(encoded.count),
      modified: staged.node.modified, content: ContentHash(of: encoded))
    rest.operations[plist].action = .put(staged)
    return rest
  }

  /// Calls `body` with each child on disk that the sums of the state before have, at a path or beneath it.
  private func forEachChild(
    at path: PackagePath, known: Manifest?, _ body: (ManifestRow) -> Void
  ) throws(FilePackageError) {
    let folder = StoredNode(location: writer.location, path: path.parent)
    guard let name = path.name, try folder.list().position(of: name) != nil,
      let node = try folder.children([name]).first, let status = node.status
    else { return }
    var rows: [ManifestRow] = []
    try summarize(PackageSnapshot.Node(node, kind: status.kind), at: path, known: known) { child in
      guard let accounted = child.accounted else { return }
      let modified = child.node.known?.modified ?? FileTime(seconds: 0, nanoseconds: 0)
      rows.append(ManifestRow(child: accounted, modified: modified))
    }
    rows.forEach(body)
  }

  /// Returns the metadata file that the rest of the save replaces: the old one, or the one of the whole save.
  private func presentMetadata(
    over operation: JournalRecord.Operation, in session: PackageSession
  ) throws(FilePackageError) -> JournalRecord.Known? {
    guard case .put(let staged) = operation.action else { return operation.old }
    do {
      let (disk, root) = (session.disk, session.hidden.root)
      let name = PackageLayout.metadata
      guard let status = try disk.statusIfPresent(of: name, in: root.descriptor), status.kind == .file else {
        return operation.old
      }
      let content = try disk.contentHash(of: name, .file, in: root.descriptor)
      return content == staged.node.content ? JournalRecord.Known(status, content: content) : operation.old
    } catch {
      throw FilePackageError(error, .publish, writer.node, activity: "looking at its metadata")
    }
  }

  private func decode(_ bytes: [UInt8]) throws(FilePackageError) -> PackageMetadata {
    do {
      return try PackageMetadata(decoding: Data(bytes))
    } catch {
      throw FilePackageError(.metadataDamaged, .publish, writer.node, reason: error.words)
    }
  }

  private func encode(_ metadata: PackageMetadata) throws(FilePackageError) -> [UInt8] {
    do {
      return try metadata.encodedBytes()
    } catch {
      throw FilePackageError(.invalidContent, .publish, writer.node, reason: "\(error)")
    }
  }
}

extension FileName {
  /// The name of a staged node's copy.
  fileprivate var copy: FileName { FileName(bytes: bytes + Array("=".utf8)) }
}
