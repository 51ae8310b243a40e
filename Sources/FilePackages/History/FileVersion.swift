import DurableIO
public import FoundationEssentials
import SystemPackage

/// One version of a document: the present one, one that its history keeps, or one that is in conflict with it.
///
/// Counterpart of Apple's `NSFileVersion`, with its members. Differences:
///
/// - It is a value; two of the same version of the same document are equal.
/// - What waits for a disk is `async` and says why it failed. What Apple's traps at, such as removing the present version,
///   throws.
/// - A version is no file of its own: `contents()` is its tree, and `write(to:)` makes a document of it.
public struct FileVersion: Sendable {
  /// The document.
  public let documentURL: URL
  /// The document's metadata in this version.
  public let metadata: PackageMetadata
  /// Whether it is the present one.
  public let isCurrent: Bool
  /// Whether the retention policy may drop it; false for the present one and for those that were added by hand.
  public let isDiscardable: Bool
  /// Bytes of children that only this version has.
  public let keptBytes: UInt64
  /// The children that the state after it has otherwise, as paths in byte order; none for the present one. For a version in
  /// conflict, those that the present one has otherwise.
  public let differences: [String]
  /// What is known of the conflict; nil for a version that is in none.
  public let conflict: ConflictVersion?

  init(_ history: VersionHistory, _ index: Int, at url: URL) {
    let version = history.chain.versions[index]
    documentURL = url
    metadata = version.metadata
    isCurrent = false
    isDiscardable = version.isDiscardable
    keptBytes = version.keptBytes
    differences = version.rows.map(\.path.string)
    conflict = nil
  }

  init(current metadata: PackageMetadata, at url: URL) {
    documentURL = url
    self.metadata = metadata
    isCurrent = true
    isDiscardable = false
    keptBytes = 0
    differences = []
    conflict = nil
  }

  /// A version that is in conflict with the document at `url`.
  public init(_ conflict: ConflictVersion, at url: URL) {
    documentURL = url
    var known = conflict.metadata ?? PackageMetadata()
    known.revision = conflict.id
    if conflict.metadata == nil { known.modified = conflict.modificationDate ?? known.modified }
    metadata = known
    isCurrent = false
    isDiscardable = false
    keptBytes = 0
    differences = conflict.differences
    self.conflict = conflict
  }

  /// What finds the version again, also in another process.
  public var persistentIdentifier: UUID { metadata.revision }
  /// Where the version is: the document for the present one; nil for others, which have no file of their own.
  public var url: URL? { isCurrent ? documentURL : nil }
  /// The name that the user gave the document then, or that of its file.
  public var localizedName: String {
    metadata.displayName ?? FileName(bytes: Array(documentURL.lastPathComponent.utf8)).string
  }
  /// The computer that saved it.
  public var localizedNameOfSavingComputer: String { metadata.savingComputer }
  /// When it was saved, to the second.
  public var modificationDate: Date { metadata.modified }
  /// Whether it came about by two writers: versions of the history never did.
  public var isConflict: Bool { conflict != nil }
  /// Whether nobody has to look at it any more: a version in conflict is one until `PackageStore` or `Document` resolves that.
  public var isResolved: Bool { conflict == nil }
  /// Whether its contents are on this computer.
  public var hasLocalContents: Bool { true }
}

extension FileVersion: Hashable {
  /// Whether both are the same version of the same document.
  public static func == (left: FileVersion, right: FileVersion) -> Bool {
    left.documentURL.path == right.documentURL.path && left.persistentIdentifier == right.persistentIdentifier
  }

  /// Hashes what makes two versions equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(persistentIdentifier) }
}

extension FileVersion {
  // MARK: Finding

  /// The present version; nil where there is no document.
  ///
  /// - Throws: what `PackageStore.open(at:)` throws but `noSuchFile`; `noSuchVersion` for a package without metadata.
  public static func currentVersionOfItem(at url: URL) async throws(FilePackageError) -> FileVersion? {
    guard let store = try await store(at: url) else { return nil }
    return FileVersion(current: try await store.requireMetadata(), at: url)
  }

  /// The versions that are kept, the newest first, without the present one; nil where there is no document.
  ///
  /// - Throws: as `PackageStore.versions()`.
  public static func otherVersionsOfItem(at url: URL) async throws(FilePackageError) -> [FileVersion]? {
    try await store(at: url)?.versions()
  }

  /// The versions that are in conflict with the present one, the newest first; nil where there is no document.
  ///
  /// - Throws: as `PackageStore.conflicts()`.
  public static func unresolvedConflictVersionsOfItem(
    at url: URL
  ) async throws(FilePackageError) -> [FileVersion]? {
    try await store(at: url)?.conflicts().map { FileVersion($0, at: url) }
  }

  /// The version of that identifier; nil where there is none.
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
    return try await store.conflicts().first { $0.id == identifier }.map { FileVersion($0, at: url) }
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

  /// The document as it was: a tree to be read. What another program has changed since, so that nobody has what it was,
  /// is in `lost` and has no business in the tree.
  ///
  /// - Throws: as `PackageStore.contents(of:)`.
  public func contents() async throws(FilePackageError) -> (tree: FileWrapper, lost: [String]) {
    let store = try await PackageStore.open(at: documentURL)
    if isCurrent { return (await store.tree, []) }
    if let conflict { return (try await store.contents(ofConflict: conflict.id), conflict.missing) }
    return try await store.contents(of: persistentIdentifier)
  }

  // MARK: Adding

  /// Adds a version of the document that holds what another one does, as the newest before the present one; the retention
  /// policy leaves it alone.
  ///
  /// - Parameter byMoving: whether the other one is removed then.
  /// - Throws: as `PackageStore.addVersion(_:date:)`, and what keeps the other one from being opened or removed; a version that
  ///   was added stays then.
  @discardableResult
  public static func addOfItem(
    at url: URL, withContentsOf contents: URL, byMoving: Bool = false
  ) async throws(FilePackageError) -> FileVersion {
    let (store, other) = (try await PackageStore.open(at: url), try await PackageStore.open(at: contents))
    let version = try await store.addVersion(other.tree)
    try await store.close()
    if byMoving { try await other.remove() }
    return version
  }

  /// Says whether the retention policy may drop the version.
  ///
  /// - Throws: `unsupported` for the present one and for one in conflict; as `PackageStore.setDiscardable(_:_:)`.
  public func setDiscardable(_ isDiscardable: Bool) async throws(FilePackageError) {
    if isCurrent || isConflict {
      throw FilePackageError(
        .unsupported, .save, document: documentURL.path, reason: "it is no version of the history")
    }
    let store = try await PackageStore.open(at: documentURL)
    try await store.setDiscardable(isDiscardable, [persistentIdentifier])
    try await store.close()
  }

  // MARK: Changing

  /// Brings the document at `url` to this version, by a save that keeps the version that was there; where there is
  /// no document, makes a new one. A version in conflict that its own document is brought to has decided the conflict: none
  /// is left.
  ///
  /// - Parameter byMoving: whether the version goes from the history.
  /// - Returns: where the document is.
  /// - Throws: as `PackageStore.restore(_:child:options:)` and `PackageStore.create(_:at:contentType:)`.
  @discardableResult
  public func replaceItem(at url: URL, byMoving: Bool = false) async throws(FilePackageError) -> URL {
    if isCurrent { return url }
    let store = try await PackageStore.open(at: documentURL)
    if url.path == documentURL.path {
      if isConflict {
        _ = try await store.resolveConflicts(keeping: persistentIdentifier, options: .keepsHistory)
      } else {
        _ = try await store.restore(persistentIdentifier)
      }
    } else {
      let contents = try await contents()
      if let lost = contents.lost.first { throw isLost(lost) }
      if let present = try await Self.store(at: url) {
        try await present.save(contents.tree, options: .keepsHistory)
        try await present.close()
      } else {
        _ = try await PackageStore.create(
          contents.tree, at: url, contentType: metadata.contentType ?? "public.package")
      }
    }
    if byMoving && !isConflict { try await store.removeVersions([persistentIdentifier]) }
    try await store.close()
    return url
  }

  /// Removes the version from the history; the others stay as they are.
  ///
  /// - Throws: `unsupported` for the present one, and for one in conflict, which goes when the conflict is resolved; as
  ///   `PackageStore.removeVersions(_:)`.
  public func remove() async throws(FilePackageError) {
    if isCurrent || isConflict {
      let version = isCurrent ? "the present version" : "a version in conflict"
      throw FilePackageError(
        .unsupported, .save, document: documentURL.path, reason: "\(version) cannot be removed by itself")
    }
    let store = try await PackageStore.open(at: documentURL)
    try await store.removeVersions([persistentIdentifier])
  }

  /// Removes all versions but the present one. Each save goes on keeping the one it replaces.
  ///
  /// - Throws: as `PackageStore.removeVersions(_:)`.
  public static func removeOtherVersionsOfItem(at url: URL) async throws(FilePackageError) {
    let store = try await PackageStore.open(at: url)
    try await store.removeVersions(Set(store.versions().map(\.persistentIdentifier)))
  }

  private func isLost(_ child: String) -> FilePackageError {
    FilePackageError(
      .changedOnDisk, .read, document: documentURL.path, child: child,
      reason: "another program changed it, and what it was is not kept")
  }
}

extension PackageStore {
  /// Removes the package.
  fileprivate func remove() throws(FilePackageError) {
    try close()
    let disk = location.disk
    do {
      guard let name = location.path.lastComponent else { return }
      let folder = try disk.openDirectory(at: location.path.folder)
      guard disk.removeEverything(FileName(name), from: folder) else {
        throw FilePackageError(.inputOutput, .save, node, reason: "it could not be removed")
      }
      try disk.synchronize(folder)
    } catch let error as SystemError {
      throw FilePackageError(error, .save, node, activity: "removing")
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .save, node)
    }
  }

  fileprivate func requireMetadata() throws(FilePackageError) -> PackageMetadata {
    guard let metadata = try metadata() else {
      throw FilePackageError(.noSuchVersion, .read, node, reason: "it has no metadata, and so no versions")
    }
    return metadata
  }
}
