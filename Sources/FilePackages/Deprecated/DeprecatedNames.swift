public import FoundationEssentials

// Names of version 0.1.0. Each forwards to the name that replaces it.

extension PackageMetadata {
  /// The date of the document's creation.
  @available(*, deprecated, renamed: "creationDate")
  public var created: Date { creationDate }

  /// The date of the save that made this state.
  @available(*, deprecated, renamed: "modificationDate")
  public var modified: Date { modificationDate }

  /// The size of all files together, in bytes.
  @available(*, deprecated, renamed: "size")
  public var byteCount: UInt64 { size }
}

extension PackageEntry {
  /// The date of the last change.
  @available(*, deprecated, renamed: "modificationDate")
  public var modified: Date? {
    get { modificationDate }
    set { modificationDate = newValue }
  }

  /// The destination of a link, for people.
  @available(*, deprecated, renamed: "linkDestination")
  public var target: String? {
    get { linkDestination }
    set { linkDestination = newValue }
  }
}

extension PackageStore {
  /// Makes a new package of a type that an identifier names.
  ///
  /// - Throws: as `create(_:at:contentType:by:)`.
  @available(*, deprecated, message: "a content type is a UTType: use UTType(exportedAs:)")
  public static func create(
    _ tree: FileWrapper, at url: URL, contentType: String, by program: SavingProgram = .current
  ) async throws(FilePackageError) -> (store: PackageStore, report: SaveReport) {
    try await create(tree, at: url, contentType: UTType(exportedAs: contentType), by: program)
  }

  /// Returns the plan of `create(_:at:contentType:by:)`, without touching anything.
  ///
  /// - Throws: as `plan(creating:at:contentType:)`.
  @available(*, deprecated, message: "a content type is a UTType: use UTType(exportedAs:)")
  public static func plan(
    creating tree: FileWrapper, at url: URL, contentType: String
  ) throws(FilePackageError) -> SavePlan {
    try plan(creating: tree, at: url, contentType: UTType(exportedAs: contentType))
  }
}

extension PackageStore {
  /// Returns the versions in conflict with the document on disk.
  ///
  /// - Throws: as `conflictVersions()`.
  @available(*, deprecated, renamed: "conflictVersions()")
  public func conflicts() throws(FilePackageError) -> [ConflictVersion] { try conflictVersions() }

  /// Returns the folders of the conflict versions.
  ///
  /// - Throws: as `conflictVersionURLs()`.
  @available(*, deprecated, renamed: "conflictVersionURLs()")
  @_disfavoredOverload
  public func conflictVersions() throws(FilePackageError) -> [URL] { try conflictVersionURLs() }
}

extension PackageWatcher {
  /// Ends the watching and every iteration.
  @available(*, deprecated, renamed: "stop()")
  public func end() async { await stop() }
}

/// The state on disk that a watcher compares with.
@available(*, deprecated, renamed: "WatchBaseline")
public typealias KnownState = WatchBaseline
