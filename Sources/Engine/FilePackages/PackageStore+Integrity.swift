package import DurableIO
public import FoundationEssentials
package import SystemPackage

extension PackageStore {
  /// Reads every child on disk and compares it with the saved state.
  ///
  /// The digest in the metadata alone shows a difference; the notes of the saves show the differing child. The verification also
  /// reads the files that only versions have. It ignores unsaved edits of the tree. Cost: every byte of the package, a
  /// chunk at a time.
  ///
  /// An edit by another program does not count as damage: the report names it among `changed`, and the document stays
  /// whole. A later save takes over the digest of such a child if the program has read the child with `contents()` or
  /// `forEachChunk(_:)`.
  ///
  /// - Throws: the error that prevents reading the package as a whole. A child that the device cannot read is
  ///   damaged; one that this user may not read is `unreadable`, and neither damaged nor missing.
  public func verify() throws(FilePackageError) -> VerificationReport {
    try writer.package.verify()
  }

  /// Restores damaged and missing children, and sets a damaged log aside if the children are whole without it.
  ///
  /// A child that another program changed is not restored: its present bytes are an edit.
  ///
  /// The repair finds the bytes of a child by their digest elsewhere in the package, such as among conflict versions or
  /// in conflict copies. It saves the restored children in one save, and the accepted children in the next one. It
  /// removes nothing, and `remaining` is the result of `verify()` after it. If the document keeps history, the state before the repair becomes a version, and earlier
  /// versions stay. Their entry for an accepted child says that its bytes are lost.
  ///
  /// - Parameters:
  ///   - accepting: whether the present children count as right, so that the repair computes the digests again from
  ///     them. A document whose children are as they were saved stays as it is.
  ///   - dryRun: whether to report the repair without doing it.
  /// - Throws: `unsavedEdits` if the tree has unsaved edits; `permissionDenied` or the system's error if a child to
  ///   accept cannot be read. The repair then changes nothing. Otherwise the errors of `save(_:options:)`.
  public func repair(
    accepting: Bool = false, dryRun: Bool = false
  ) throws(FilePackageError) -> RepairReport {
    try withWriter { try $0.repair(accepting: accepting, dryRun: dryRun) }
  }

  /// Returns the contents of a package's log, without opening the package and without writing anything.
  ///
  /// - Throws: `noSuchFile`; `notAPackage`; the system's error.
  public static func recoveryReport(at url: URL) throws(FilePackageError) -> RecoveryReport {
    try recoveryReport(FilePath(of: url, for: .open), on: PosixDisk())
  }

  package static func recoveryReport(
    _ path: FilePath, on disk: any Disk
  ) throws(FilePackageError) -> RecoveryReport {
    let node = try StoredNode.find(path, on: disk)
    guard node.status?.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(path).string)
    }
    return try RecoveryReport(of: node)
  }

  /// Drops the changes of a committed save that the file system refuses, and publishes the rest of the save.
  ///
  /// A save can never be published if the file system refuses the name of a child or a rename at its place. The new
  /// bytes of a dropped child become a conflict version, and its old bytes stay in its place. If the disk is full or
  /// fails, the call throws an error and drops nothing.
  ///
  /// - Returns: the dropped changes; empty if the file system refused none.
  /// - Throws: the errors of opening, publishing and closing. If the file system refuses the metadata, nothing is dropped.
  public static func discardUnpublishable(
    at url: URL
  ) async throws(FilePackageError) -> [RecoveryReport.Discarded] {
    try await discardUnpublishable(FilePath(of: url, for: .open), on: PosixDisk())
  }

  package static func discardUnpublishable(
    _ path: FilePath, on disk: any Disk
  ) async throws(FilePackageError) -> [RecoveryReport.Discarded] {
    let blocked = try await open(path, on: disk)
    let discarded = try await blocked.discardUnpublishable()
    // This opening publishes the rest.
    let store = try await open(path, on: disk)
    if let problem = await store.unpublishedProblem { throw problem.during(.publish) }
    try await store.close()
    return discarded
  }

  private func discardUnpublishable() throws(FilePackageError) -> [RecoveryReport.Discarded] {
    // The tree has the dropped changes.
    defer { writer.relinquish() }
    do {
      return try writer.discardUnpublishable()
    } catch {
      throw error.during(.publish)
    }
  }

  /// Removes the leftovers in the package's hidden folder and beside the package: parts of saves that were never
  /// committed.
  ///
  /// First publishes a committed save that is not published yet.
  ///
  /// - Returns: the removed files, by paths from the folder that holds the package.
  /// - Throws: the errors of opening and closing a store.
  @discardableResult
  public static func removeLeftovers(at url: URL) async throws(FilePackageError) -> [String] {
    try await removeLeftovers(FilePath(of: url, for: .open), on: PosixDisk())
  }

  package static func removeLeftovers(
    _ path: FilePath, on disk: any Disk
  ) async throws(FilePackageError) -> [String] {
    let leftovers = Leftovers(location: try StoredNode.find(path, on: disk).location)
    let within = leftovers.within
    if !within.isEmpty {
      let store = try await open(path, on: disk)
      try await store.removeLeftovers()
      try await store.close()
    }
    return within + leftovers.removeBeside()
  }

  /// Opens the hidden folder as a save does, which removes the leftovers of other programs.
  private func removeLeftovers() throws(FilePackageError) {
    try withWriter { try $0.withPackageLock { _ in } }
  }
}
