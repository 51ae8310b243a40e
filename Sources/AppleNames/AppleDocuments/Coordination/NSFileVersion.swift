import Documents
import FilePackages
public import Foundation
import Synchronization

/// One version of a document: the current one, an earlier one of its history, or a conflict version.
///
/// Counterpart of Apple's `NSFileVersion`, over `FileVersion`. Its members wait for the disk on the calling thread.
///
/// Differences from Apple's:
///
/// - The `url` of an earlier version or a conflict version is a copy, which exists until the process ends.
/// - `isResolved = true` hides a version from `unresolvedConflictVersionsOfItem(at:)`. The disk changes when the last
///   conflict version is resolved: then the document's conflict ends.
/// - A flat file has no history. Its conflict versions are the conflict copies beside it, and resolving the last one
///   removes them.
public final class NSFileVersion: NSObject, Sendable {
  /// The way to replace an item by a version.
  public struct ReplacingOptions: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Also removes the version from the history.
    public static let byMoving = ReplacingOptions(rawValue: 1)
  }

  /// The way to add a version.
  public struct AddingOptions: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Also removes the document from which the contents came.
    public static let byMoving = AddingOptions(rawValue: 1)
  }

  private let any: AnyVersion
  private var version: FileVersion { any.version }
  var documentURL: URL { version.documentURL }

  private init(_ version: AnyVersion) {
    any = version
    super.init()
  }

  private convenience init(_ version: FileVersion) { self.init(AnyVersion(version: version)) }

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
    let versions = try? AnyVersion.conflicts(at: url, isFlat: isFlatFile(url))  // As Apple's.
    return versions?.filter { !ResolvedVersions.contains($0) }.map { NSFileVersion($0) }
  }

  /// Returns the version with an identifier; nil if there is none.
  public class func version(
    itemAt url: URL, forPersistentIdentifier persistentIdentifier: Any
  ) -> NSFileVersion? {
    guard let identifier = persistentIdentifier as? UUID else { return nil }
    let versions = [currentVersionOfItem(at: url)] + (otherVersionsOfItem(at: url) ?? [])
    let all = versions.compactMap { $0 } + (unresolvedConflictVersionsOfItem(at: url) ?? [])
    return all.first { $0.version.persistentIdentifier == identifier }
  }

  /// Calls the handler with no versions: every version is on this computer.
  public class func getNonlocalVersionsOfItem(
    at url: URL, completionHandler: @escaping @Sendable ([NSFileVersion]?, (any Error)?) -> Void
  ) {
    DispatchQueue.global().async { completionHandler([], nil) }
  }

  private static func isFlatFile(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path) && !FileManager.default.isFolder(at: url)
  }

  // MARK: Looking

  /// The file or folder with the version's contents: for the current version the document, otherwise a copy.
  ///
  /// The first read makes the copy. If that fails, nothing exists at the URL.
  public var url: URL { version.url ?? VersionCopies.url(of: any) }
  /// The name for the user.
  public var localizedName: String? { version.localizedName }
  /// The name of the computer that saved the version; nil for a conflict version of a flat file, which does not name it.
  public var localizedNameOfSavingComputer: String? {
    any.copy == nil ? version.localizedNameOfSavingComputer : nil
  }
  /// The date of the save.
  public var modificationDate: Date? { version.modificationDate }
  /// The identifier of the version, a `UUID`, which is the same in every process.
  public var persistentIdentifier: Any { version.persistentIdentifier }
  /// Whether it is a conflict version, resolved or not.
  public var isConflict: Bool { version.isConflict }
  /// True: the contents of every version are on this computer.
  public var hasLocalContents: Bool { true }
  /// False: no version has a thumbnail.
  public var hasThumbnail: Bool { false }

  /// Whether the conflict is resolved; true for every version that is in no conflict.
  ///
  /// When the last conflict version of a document is resolved, the document's conflict ends. To set false is a
  /// programming error. If the document cannot be written, the version stays unresolved.
  public var isResolved: Bool {
    get { version.isResolved || ResolvedVersions.contains(any) }
    set {
      precondition(newValue, "a version cannot become unresolved")
      guard version.isConflict, !isResolved else { return }
      ResolvedVersions.insert(any)
      if isResolved { ConflictResolutions.note(self) }
    }
  }

  /// Whether the retention policy may remove the version.
  ///
  /// If the history cannot be written, the value does not change.
  public var isDiscardable: Bool {
    get {
      let present = try? waitBlocking { [version] in  // Else the known one.
        try await FileVersion.version(
          itemAt: version.documentURL, forPersistentIdentifier: version.persistentIdentifier)
      }
      return present?.isDiscardable ?? version.isDiscardable
    }
    set {
      // A property has no way to report an error.
      try? waitBlocking { [version] in try await version.setDiscardable(newValue) }
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
  /// If the folder cannot be made, nothing exists at the URL.
  public class func temporaryDirectoryURLForNewVersionOfItem(at url: URL) -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Version-\(UUID())")
    // Apple's method has no error either.
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Replaces the document at `url` by this version, or makes the document if there is none.
  ///
  /// If the version is a conflict version of that package, its conflict is resolved. The other conflict versions stay
  /// unresolved until `isResolved` is set, as on Apple's systems, and so does a version of a flat file.
  ///
  /// - Returns: the URL of the document.
  ///
  /// - Throws: `FilePackageError` as `FileVersion.replaceItem(at:byMoving:)`; `CocoaError` for a flat file.
  @discardableResult
  public func replaceItem(at url: URL, options: ReplacingOptions = []) throws -> URL {
    if let copy = any.copy {
      _ = self.url  // It makes the copy, which a caller may read after the version is gone.
      try copy.file().write(to: url, options: .atomic, originalContentsURL: nil)
      if options.contains(.byMoving) { isResolved = true }
      return url
    }
    let url = try waitBlocking { [version] in
      try await version.replaceItem(at: url, byMoving: options.contains(.byMoving))
    }
    // The conflict has ended without a change that a watcher sees.
    if version.isConflict { ConflictResolutions.note(self) }
    return url
  }

  /// Removes the version from the history. A conflict version counts as resolved.
  ///
  /// - Throws: `FilePackageError` as `FileVersion.remove()`.
  public func remove() throws {
    if version.isConflict { return isResolved = true }
    try waitBlocking { [version] in try await version.remove() }
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
    (object as? NSFileVersion)?.any == any
  }

  /// A hash of the identifier.
  public override var hash: Int { any.hashValue }
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
