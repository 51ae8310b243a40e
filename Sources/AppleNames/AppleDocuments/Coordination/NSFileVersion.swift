import Documents
import FilePackages
public import Foundation
import Synchronization

/// One version of a document: the current one, one in its history, or one that is in conflict with it.
///
/// Counterpart of Apple's `NSFileVersion`, over `FileVersion`. Its members wait for the disk on the calling thread.
///
/// Differences from Apple's:
///
/// - A version's `url` is a copy, which is there as long as the process.
/// - `isResolved = true` hides a version from `unresolvedConflictVersionsOfItem(at:)`. The document's conflict ends with
///   the last version that is hidden, and only then the disk changes.
/// - A flat file has no history. The conflict versions of one that a `UIDocument` or an `NSDocument` has are its recovery
///   copies, and resolving the last one removes them.
public final class NSFileVersion: NSObject, Sendable {
  /// The way to replace an item by a version.
  public struct ReplacingOptions: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The version leaves the history.
    public static let byMoving = ReplacingOptions(rawValue: 1)
  }

  /// The way to add a version.
  public struct AddingOptions: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The file with the contents goes.
    public static let byMoving = AddingOptions(rawValue: 1)
  }

  private let version: AnyVersion

  private init(_ version: AnyVersion) {
    self.version = version
    super.init()
  }

  private convenience init(_ version: FileVersion) { self.init(.stored(version)) }

  // MARK: Finding

  /// Returns the current version; nil if there is no document, or if it cannot be read.
  public class func currentVersionOfItem(at url: URL) -> NSFileVersion? {
    // Apple's method has no error either.
    (try? waitBlocking { try await FileVersion.present(at: url) }).map { NSFileVersion($0) }
  }

  /// Returns the versions of the history, the newest first; nil if there is no document, or if it cannot be read.
  public class func otherVersionsOfItem(at url: URL) -> [NSFileVersion]? {
    if isFlatFile(url) { return [] }
    // Apple's method has no error either.
    let versions = try? waitBlocking { try await FileVersion.otherVersionsOfItem(at: url) }
    return versions?.map { NSFileVersion($0) }
  }

  /// Returns the versions that are in conflict with the current one and not resolved, the newest first.
  ///
  /// It returns nil if there is no document, or if it cannot be read.
  public class func unresolvedConflictVersionsOfItem(at url: URL) -> [NSFileVersion]? {
    // Apple's method has no error either.
    let versions = try? AnyVersion.conflicts(at: url, isFlat: isFlatFile(url))
    return versions?.filter { !ResolvedVersions.contains($0) }.map { NSFileVersion($0) }
  }

  /// Returns the version of that identifier; nil if there is none.
  public class func version(
    itemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
  ) -> NSFileVersion? {
    guard let identifier = persistentIdentifier as? UUID else { return nil }
    let versions = [currentVersionOfItem(at: url)] + (otherVersionsOfItem(at: url) ?? [])
    let all = versions.compactMap { $0 } + (unresolvedConflictVersionsOfItem(at: url) ?? [])
    return all.first { $0.version.persistentIdentifier == identifier }
  }

  /// Gives the versions that are on other computers: none.
  public class func getNonlocalVersionsOfItem(
    at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async { completionHandler([], nil) }
  }

  private static func isFlatFile(_ url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
      && !isDirectory.boolValue
  }

  // MARK: Looking

  /// The file or folder with the version's contents: for the current version the document, otherwise a copy.
  ///
  /// The copy is made when this is first read. If that fails, there is nothing at the URL.
  public var url: URL { version.currentURL ?? VersionCopies.url(of: version) }
  /// The name for the user.
  public var localizedName: String? { version.localizedName }
  /// The computer that saved the version.
  public var localizedNameOfSavingComputer: String? { version.localizedNameOfSavingComputer }
  /// The date of the save.
  public var modificationDate: Date? { version.modificationDate }
  /// The identifier of the version, a `UUID`, which is the same in every process.
  public var persistentIdentifier: Any { version.persistentIdentifier }
  /// Whether two writers caused the version.
  public var isConflict: Bool { version.isConflict }
  /// True.
  public var hasLocalContents: Bool { true }
  /// False.
  public var hasThumbnail: Bool { false }

  /// Whether a conflict is resolved; true for every version that is in no conflict.
  ///
  /// After the last conflict version of a document is resolved, the document has none. False is a programming error. If
  /// the document cannot be written, the version stays unresolved.
  public var isResolved: Bool {
    get { version.isResolved || ResolvedVersions.contains(version) }
    set {
      precondition(newValue, "a version cannot become unresolved")
      guard version.isConflict, !isResolved else { return }
      ResolvedVersions.insert(version)
      if isResolved { ConflictResolutions.note(Resolution(url: version.documentURL, version: self)) }
    }
  }

  /// Whether the retention policy may drop the version.
  ///
  /// If the history cannot be written, it stays as it is.
  public var isDiscardable: Bool {
    get {
      guard case .stored(let version) = version else { return false }
      let url = version.documentURL
      // A version that is gone can be dropped.
      let present = try? waitBlocking { [id = version.persistentIdentifier] in
        try await FileVersion.version(itemAt: url, forPersistentIdentifier: id)
      }
      return present?.isDiscardable ?? version.isDiscardable
    }
    set {
      guard case .stored(let version) = version else { return }
      // A property has no way to report an error.
      try? waitBlocking { try await version.setDiscardable(newValue) }
    }
  }

  // MARK: Changing

  /// Adds a version with the contents of another document.
  ///
  /// - Throws: `FilePackageError` as `FileVersion.addOfItem(at:withContentsOf:byMoving:)`.
  @discardableResult
  public class func addOfItem(
    at url: URL, withContentsOf contentsURL: URL, options: AddingOptions = []
  ) throws -> NSFileVersion {
    NSFileVersion(
      try waitBlocking {
        try await FileVersion.addOfItem(
          at: url, withContentsOf: contentsURL, byMoving: options.contains(.byMoving))
      })
  }

  /// Returns a new folder for the contents of a version; the caller removes it.
  ///
  /// If the folder cannot be made, there is nothing at the URL.
  public class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Version-\(UUID())")
    // Apple's method has no error either.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Replaces the document at `url` by this version, and returns its URL. If there is none, makes it.
  ///
  /// If the version is in conflict with that package, all its conflicts are resolved. A version of a flat file stays
  /// unresolved until `isResolved` is set, as on Apple's systems.
  ///
  /// - Throws: `FilePackageError` as `FileVersion.replaceItem(at:byMoving:)`; `CocoaError` for a flat file.
  @discardableResult
  public func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
    switch version {
    case .stored(let version):
      let url = try waitBlocking {
        try await version.replaceItem(at: url, byMoving: options.contains(.byMoving))
      }
      // The conflict has ended without a change that a watcher sees.
      if version.isConflict { ConflictResolutions.note(Resolution(url: version.documentURL, version: self)) }
      return url
    case .copy(let copy):
      // The copy must be there after the version is gone, for a caller that knows its URL.
      _ = self.url
      try copy.file().write(to: url, options: .atomic, originalContentsURL: nil)
      if options.contains(.byMoving) { isResolved = true }
      return url
    }
  }

  /// Removes the version from the history. A conflict version counts as resolved.
  ///
  /// - Throws: `FilePackageError` as `FileVersion.remove()`.
  public func remove() throws {
    switch version {
    case .stored(let version) where !version.isConflict: try waitBlocking { try await version.remove() }
    default: isResolved = true
    }
  }

  /// Removes all versions of the history. Conflict versions stay until they are resolved.
  ///
  /// - Throws: `FilePackageError` as `FileVersion.removeOtherVersionsOfItem(at:)`.
  public class func removeOtherVersionsOfItem(at url: URL) throws {
    if isFlatFile(url) { return }
    try waitBlocking { try await FileVersion.removeOtherVersionsOfItem(at: url) }
  }

  // MARK: Equality

  /// Returns whether both are the same version of the same document.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? NSFileVersion)?.version == version
  }

  /// A hash of the identifier.
  public override var hash: Int { version.hashValue }
}

extension FileVersion {
  /// Returns the current version of a package or a flat file; nil if there is none.
  fileprivate static func present(at url: URL) async throws -> FileVersion? {
    do {
      return try await currentVersionOfItem(at: url)
    } catch {
      // A flat file, and a package without metadata, have a name and a date.
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      guard let date = attributes[.modificationDate] as? Date else { throw error }
      return FileVersion(currentModified: date, at: url)
    }
  }
}

extension NSFileVersion {
  /// A conflict version that the program has resolved.
  struct Resolution: Sendable {
    /// The document.
    var url: URL
    var version: NSFileVersion
  }
}
