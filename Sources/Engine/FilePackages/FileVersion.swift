import DurableIO
public import FoundationEssentials
import SystemPackage

/// One version of a document: the current one, one in its history, or one that is in conflict with it.
///
/// Counterpart of Apple's `NSFileVersion`, with its members. Differences:
///
/// - It is a value; two values of one version of one document are equal.
/// - A member that waits for a disk is `async` and throws the reason of a failure. It also throws if Apple's member
///   traps, for example when it removes the current version.
/// - A version has no file of its own: `contents()` is its tree, and `write(to:)` makes a document of it.
public struct FileVersion: Sendable {
  /// The document.
  public let documentURL: URL
  /// The document's metadata in this version.
  public let metadata: PackageMetadata
  /// Whether it is the current version.
  public private(set) var isCurrent = false
  /// Whether the retention policy may drop it; false for the current version and for versions that a caller added.
  public private(set) var isDiscardable = false
  /// The number of bytes of the children that only this version has.
  public private(set) var keptBytes: UInt64 = 0
  /// The children that differ between this version and the next state, as paths in byte order; empty for the current
  /// version.
  ///
  /// For a conflict version, these are the children that differ from the current version.
  public private(set) var differences: [String] = []
  /// The conflict; nil for a version that is in no conflict.
  public private(set) var conflict: ConflictVersion?

  init(_ history: VersionHistory, _ index: Int, at url: URL) {
    let version = history.chain.versions[index]
    documentURL = url
    metadata = version.metadata
    isDiscardable = version.isDiscardable
    keptBytes = version.keptBytes
    differences = version.rows.map(\.path.string)
  }

  init(current metadata: PackageMetadata, at url: URL) {
    (documentURL, self.metadata, isCurrent) = (url, metadata, true)
  }

  /// Makes the current version of a document without metadata.
  package init(currentModified date: Date, at url: URL) {
    var metadata = PackageMetadata()
    metadata.modificationDate = date
    self.init(current: metadata, at: url)
  }

  /// Makes a version that is in conflict with the document at `url`.
  public init(_ conflict: ConflictVersion, at url: URL) {
    documentURL = url
    var known = conflict.metadata ?? PackageMetadata()
    known.revision = conflict.id
    if conflict.metadata == nil {
      known.modificationDate = conflict.modificationDate ?? known.modificationDate
    }
    metadata = known
    differences = conflict.differences
    self.conflict = conflict
  }

  /// The identifier of the version, which is the same in every process.
  public var persistentIdentifier: UUID { metadata.revision }
  /// The document's URL for the current version; nil for every other version, which has no file of its own.
  public var url: URL? { isCurrent ? documentURL : nil }
  /// The name that the user gave the document at that time, or the name of its file.
  public var localizedName: String {
    metadata.displayName ?? FileName(bytes: Array(documentURL.lastPathComponent.utf8)).string
  }
  /// The computer that saved it.
  public var localizedNameOfSavingComputer: String { metadata.savingComputer }
  /// The date of its save, to the second.
  public var modificationDate: Date { metadata.modificationDate }
  /// Whether it is in conflict with the current version; false for every version of the history.
  public var isConflict: Bool { conflict != nil }
  /// Whether the conflict is resolved: a conflict version is unresolved until `PackageStore` or `Document` resolves it.
  public var isResolved: Bool { conflict == nil }
}

extension FileVersion: Hashable {
  /// Returns whether both are the same version of the same document.
  public static func == (left: FileVersion, right: FileVersion) -> Bool {
    left.documentURL.path == right.documentURL.path && left.persistentIdentifier == right.persistentIdentifier
  }

  /// Hashes the identifier, which makes two versions equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(persistentIdentifier) }
}

extension FileVersion: CustomStringConvertible {
  /// One line, such as `1B4E28BA  2026-05-01 12:00:00  generation 12  4.5 KB  Text.txt`.
  public var description: String {
    let names =
      (1...3).contains(differences.count)
      ? differences.map { $0.isEmpty ? "." : displayString($0) }.joined(separator: ", ")
      : counted(differences.count, "child", "children")
    return metadata.line + (isCurrent ? "" : "  \(SaveReport.bytes(keptBytes))  \(names)")
  }
}

extension PackageMetadata {
  /// The revision, the date and the generation in one line.
  package var line: String {
    "\(revision.uuidString.prefix(8))  \(localTime(modificationDate))  generation \(generation)"
  }
}

extension FileVersion {
  // MARK: Finding

  /// Returns the current version; nil if there is no document.
  ///
  /// - Throws: the errors of `PackageStore.open(at:)` except `noSuchFile`; `noSuchVersion` for a package without
  ///   metadata.
  public static func currentVersionOfItem(at url: URL) async throws(FilePackageError) -> FileVersion? {
    guard let store = try await store(at: url) else { return nil }
    return FileVersion(current: try await store.requireMetadata(), at: url)
  }

  /// Returns the versions of the history, the newest first, without the current one; nil if there is no document.
  ///
  /// - Throws: as `PackageStore.versions()`.
  public static func otherVersionsOfItem(at url: URL) async throws(FilePackageError) -> [FileVersion]? {
    try await store(at: url)?.versions()
  }

  /// Returns the versions that are in conflict with the current one, the newest first; nil if there is no document.
  ///
  /// - Throws: as `PackageStore.conflicts()`.
  public static func unresolvedConflictVersionsOfItem(
    at url: URL
  ) async throws(FilePackageError) -> [FileVersion]? {
    try await store(at: url)?.conflictVersions().map { FileVersion($0, at: url) }
  }

  /// Returns the version of that identifier; nil if there is none.
  ///
  /// - Throws: as `PackageStore.versions()`.
  public static func version(
    itemAt url: URL, forPersistentIdentifier identifier: UUID
  ) async throws(FilePackageError) -> FileVersion? {
    guard let store = try await store(at: url) else { return nil }
    let current = FileVersion(current: try await store.requireMetadata(), at: url)
    if current.persistentIdentifier == identifier { return current }
    if let kept = try await store.versions().first(where: { $0.persistentIdentifier == identifier }) {
      return kept
    }
    return try await store.conflictVersions().first { $0.id == identifier }.map { FileVersion($0, at: url) }
  }

  private static func store(at url: URL) async throws(FilePackageError) -> PackageStore? {
    do {
      return try await PackageStore.open(at: url)
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
  }

  // MARK: Reading

  /// Returns the document as it was in this version, as a tree to read.
  ///
  /// If another program has changed a child since, the child's content in this version is lost. The child's path is
  /// then in `lost`, and a caller must ignore the child in the tree.
  ///
  /// - Throws: as `PackageStore.contents(of:)`.
  public func contents() async throws(FilePackageError) -> (tree: FileWrapper, lost: [String]) {
    let store = try await PackageStore.open(at: documentURL)
    if isCurrent { return (await store.tree, []) }
    if let conflict { return (try await store.contents(ofConflict: conflict.id), conflict.missing) }
    return try await store.contents(of: persistentIdentifier)
  }

  // MARK: Adding

  /// Adds a version with the content of another document, as the newest before the current one.
  ///
  /// The retention policy never drops it.
  ///
  /// - Parameter byMoving: whether to remove the other document afterwards.
  /// - Throws: as `PackageStore.addVersion(_:date:)`; the error of opening or removing the other document. An added
  ///   version then stays.
  @discardableResult
  public static func addOfItem(
    at url: URL, withContentsOf contents: URL, byMoving: Bool = false
  ) async throws(FilePackageError) -> FileVersion {
    let other = try await PackageStore.open(at: contents)
    let tree = await other.tree
    let version = try await PackageStore.changingHistory(at: url) { store throws(FilePackageError) in
      try store.addVersion(tree)
    }
    if byMoving { try await other.remove() }
    return version
  }

  /// Sets whether the retention policy may drop the version.
  ///
  /// - Throws: `unsupported` for the current version and for a conflict version; as
  ///   `PackageStore.setDiscardable(_:_:)`.
  public func setDiscardable(_ isDiscardable: Bool) async throws(FilePackageError) {
    if isCurrent || isConflict {
      throw FilePackageError(
        .unsupported, .save, document: documentURL.path, reason: "it is not a version of the history")
    }
    try await PackageStore.changingHistory(at: documentURL) { store throws(FilePackageError) in
      try store.setDiscardable(isDiscardable, [persistentIdentifier])
    }
  }

  // MARK: Changing

  /// Restores this version at `url`, by a save that keeps the replaced version.
  ///
  /// If there is no document, it makes a new one. Restoring one of the document's own conflict versions resolves
  /// that conflict. The other conflict versions stay.
  ///
  /// If another program has changed a child since, its content in this version is lost: the call then changes nothing.
  /// `PackageStore.restore(_:child:options:)` restores the other children.
  ///
  /// - Parameter byMoving: whether to remove the version from the history.
  /// - Returns: the URL of the document.
  /// - Throws: `changedOnDisk` for a lost child; as `PackageStore.restore(_:child:options:)` and
  ///   `PackageStore.create(_:at:contentType:)`.
  @discardableResult
  public func replaceItem(at url: URL, byMoving: Bool = false) async throws(FilePackageError) -> URL {
    if isCurrent { return url }
    let store = try await PackageStore.open(at: documentURL)
    if url.path == documentURL.path, let conflict {
      // The call returns the URL and not the report.
      _ = try await store.resolveConflicts([conflict], keeping: conflict.id, options: .keepsHistory)
    } else {
      let contents = try await contents()
      if let lost = contents.lost.first { throw isLost(lost) }
      if url.path == documentURL.path {
        _ = try await store.restore(persistentIdentifier)  // No child is lost.
      } else if let present = try await Self.store(at: url) {
        try await present.save(contents.tree, options: .keepsHistory)
        try await present.close()
      } else {
        _ = try await PackageStore.create(  // The store ends with its release.
          contents.tree, at: url, contentType: metadata.contentType ?? .package)
      }
    }
    try await store.close()
    if byMoving && !isConflict { try await removeFromHistory() }
    return url
  }

  /// Removes the version from the history; the other versions stay.
  ///
  /// - Throws: `unsupported` for the current version, and for a conflict version, which resolving the conflict removes;
  ///   as `PackageStore.removeVersions(_:)`.
  public func remove() async throws(FilePackageError) {
    if isCurrent || isConflict {
      let version = isCurrent ? "the present version" : "a version in conflict"
      throw FilePackageError(
        .unsupported, .save, document: documentURL.path, reason: "\(version) cannot be removed alone")
    }
    try await removeFromHistory()
  }

  private func removeFromHistory() async throws(FilePackageError) {
    try await PackageStore.changingHistory(at: documentURL) { store throws(FilePackageError) in
      try store.removeVersions([persistentIdentifier])
    }
  }

  /// Removes all versions except the current one.
  ///
  /// Each later save still keeps the version that it replaces.
  ///
  /// - Throws: as `PackageStore.removeVersions(_:)`.
  public static func removeOtherVersionsOfItem(at url: URL) async throws(FilePackageError) {
    try await PackageStore.changingHistory(at: url) { store throws(FilePackageError) in
      let versions = Set(try store.versions().map(\.persistentIdentifier))
      // A document without a history has none to remove.
      if !versions.isEmpty { try store.removeVersions(versions) }
    }
  }

  private func isLost(_ child: String) -> FilePackageError {
    FilePackageError(
      .changedOnDisk, .read, document: documentURL.path, child: child,
      reason: "another program changed it, and its earlier bytes are lost")
  }
}

extension PackageStore {
  /// Removes the package.
  fileprivate func remove() throws(FilePackageError) {
    try close()
    try writer.node.attempt(.save, "removing") {
      try NewPlace(at: location.path, on: location.disk)?.removeDocument()
    }
  }

  fileprivate func requireMetadata() throws(FilePackageError) -> PackageMetadata {
    guard let metadata = try metadata() else {
      throw FilePackageError(
        .noSuchVersion, .read, writer.node, reason: "it has no metadata, and therefore no versions")
    }
    return metadata
  }
}
