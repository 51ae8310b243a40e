public import Foundation

extension NSURL {
  /// The way to make a bookmark. Every way gives the same bookmark here.
  public struct BookmarkCreationOptions: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A small bookmark.
    public static let minimalBookmark = BookmarkCreationOptions(rawValue: 1 << 9)
    /// A bookmark for a file.
    public static let suitableForBookmarkFile = BookmarkCreationOptions(rawValue: 1 << 10)
    /// A bookmark for a sandbox.
    public static let withSecurityScope = BookmarkCreationOptions(rawValue: 1 << 11)
    /// A bookmark for a sandbox that reads.
    public static let securityScopeAllowOnlyReadAccess = BookmarkCreationOptions(rawValue: 1 << 12)
    /// A bookmark without a sandbox.
    public static let withoutImplicitSecurityScope = BookmarkCreationOptions(rawValue: 1 << 29)
  }

  /// The way to resolve a bookmark. Every way gives the same URL here.
  public struct BookmarkResolutionOptions: OptionSet, Sendable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Without a question to the user.
    public static let withoutUI = BookmarkResolutionOptions(rawValue: 1 << 8)
    /// Without mounting a volume.
    public static let withoutMounting = BookmarkResolutionOptions(rawValue: 1 << 9)
    /// For a sandbox.
    public static let withSecurityScope = BookmarkResolutionOptions(rawValue: 1 << 10)
    /// Without a call of `startAccessingSecurityScopedResource()`.
    public static let withoutImplicitStartAccessing = BookmarkResolutionOptions(rawValue: 1 << 15)
  }
}

/// The facts in a bookmark.
private struct Bookmark: Codable {
  /// The absolute path.
  var path: String
  var isDirectory: Bool
}

extension URL {
  /// The way to make a bookmark.
  public typealias BookmarkCreationOptions = NSURL.BookmarkCreationOptions
  /// The way to resolve a bookmark.
  public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions

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
    let bookmark = Bookmark(path: file.path, isDirectory: try file.kindOnDisk() == .typeDirectory)
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return try encoder.encode(bookmark)
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
    guard let bookmark = try? PropertyListDecoder().decode(Bookmark.self, from: data) else {  // Thrown below.
      throw CocoaError(.fileReadCorruptFile)
    }
    let kind = try URL(fileURLWithPath: bookmark.path).kindOnDisk()
    self.init(fileURLWithPath: bookmark.path, isDirectory: kind == .typeDirectory)
    isStale = bookmark.isDirectory != (kind == .typeDirectory)
  }

  private func kindOnDisk() throws -> FileAttributeType {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return attributes[.type] as? FileAttributeType ?? .typeUnknown
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

extension NSURL {
  /// Returns true: a program on Linux has no sandbox of Apple's kind.
  public func startAccessingSecurityScopedResource() -> Bool { true }

  /// Does nothing.
  public func stopAccessingSecurityScopedResource() {}
}
