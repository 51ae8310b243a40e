public import Foundation

extension NSURL {
  /// The ways to make and to resolve a bookmark. They have no effect here.
  public struct BookmarkOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A small bookmark.
    public static let minimalBookmark = BookmarkOptions(rawValue: 1)
    /// A bookmark for a file.
    public static let suitableForBookmarkFile = BookmarkOptions(rawValue: 2)
    /// For a sandbox.
    public static let withSecurityScope = BookmarkOptions(rawValue: 4)
    /// For a sandbox that reads.
    public static let securityScopeAllowOnlyReadAccess = BookmarkOptions(rawValue: 8)
    /// Without a sandbox.
    public static let withoutImplicitSecurityScope = BookmarkOptions(rawValue: 16)
    /// Without a question to the user.
    public static let withoutUI = BookmarkOptions(rawValue: 32)
    /// Without mounting a volume.
    public static let withoutMounting = BookmarkOptions(rawValue: 64)
    /// Without a call of `startAccessingSecurityScopedResource()`.
    public static let withoutImplicitStartAccessing = BookmarkOptions(rawValue: 128)
  }

  /// The way to make a bookmark.
  public typealias BookmarkCreationOptions = BookmarkOptions
  /// The way to resolve a bookmark.
  public typealias BookmarkResolutionOptions = BookmarkOptions
}

extension URL {
  /// The way to make a bookmark.
  public typealias BookmarkCreationOptions = NSURL.BookmarkOptions
  /// The way to resolve a bookmark.
  public typealias BookmarkResolutionOptions = NSURL.BookmarkOptions

  /// Returns a bookmark: data from which a later run of the program can make this URL again.
  ///
  /// Unlike Apple's, it records the path only. So it does not follow a file that is moved or renamed.
  ///
  /// - Throws: `CocoaError.fileReadNoSuchFile` if the file does not exist.
  public func bookmarkData(
    options: BookmarkCreationOptions = [], includingResourceValuesForKeys keys: Set<URLResourceKey>? = nil,
    relativeTo url: URL? = nil
  ) throws -> Data {
    let file = absoluteURL.standardizedFileURL
    return Data((file.path + (try file.isFolderOnDisk() ? "/" : "")).utf8)
  }

  /// Makes the URL of a bookmark.
  ///
  /// - Parameter isStale: set to whether a folder is now at the path of a file, or the reverse.
  /// - Throws: `CocoaError.fileReadNoSuchFile` if the file does not exist, and
  ///   `CocoaError.fileReadCorruptFile` if the data are not a bookmark of `bookmarkData`.
  public init(
    resolvingBookmarkData data: Data, options: BookmarkResolutionOptions = [], relativeTo url: URL? = nil,
    bookmarkDataIsStale isStale: inout Bool
  ) throws {
    guard let path = String(data: data, encoding: .utf8), path.hasPrefix("/") else {
      throw CocoaError(.fileReadCorruptFile)
    }
    let isFolder = try URL(fileURLWithPath: path).isFolderOnDisk()
    self.init(fileURLWithPath: path, isDirectory: isFolder)
    isStale = path.hasSuffix("/") != isFolder
  }

  private func isFolderOnDisk() throws -> Bool {
    do {
      return try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        == .typeDirectory
    } catch {
      throw CocoaError(
        .fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: error])
    }
  }

  /// Returns true: a program on Linux has no sandbox of Apple's kind.
  public func startAccessingSecurityScopedResource() -> Bool { true }

  /// Does nothing.
  public func stopAccessingSecurityScopedResource() {}
}
