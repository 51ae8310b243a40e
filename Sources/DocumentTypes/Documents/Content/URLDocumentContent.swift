import DurableIO
public import FilePackages
public import FoundationEssentials
import Synchronization
import SystemPackage

/// A content that reads and writes its files itself, by URL.
///
/// It is for data that does not fit a tree of file wrappers. Examples are a database, the files of a library that needs
/// a path, and data beyond the size of memory. `UIDocument` has `read(from:)` and
/// `writeContents(_:to:for:originalContentsURL:)` for this. A save is as safe as for any other content. The content
/// writes into a folder that no other program uses, and then the store commits the files. If the write fails or its
/// process is killed, the document stays as it was.
///
/// ```swift
/// struct Recording: URLDocumentContent {
///   static var readableContentTypes: [UTType] { [UTType(exportedAs: "org.example.recording", conformingTo: .package)] }
///   var index: Index
///
///   init(from url: URL, configuration: URLReadConfiguration) throws {
///     index = try Index(file: url.appending(path: "Index"))
///   }
///
///   func write(to url: URL, configuration: URLWriteConfiguration) throws {
///     try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
///     try index.write(to: url.appending(path: "Index"))
///     configuration.keep("Samples")     // stays as it is on disk, with all its children
///   }
/// }
/// ```
///
/// Cost of a save: all written bytes twice, because the store commits a copy. On file systems that can share blocks, it
/// writes large files once. Children that the content keeps, or links from the original, cost no bytes.
@preconcurrency
public protocol URLDocumentContent: DocumentContent {
  /// The facts for a read.
  typealias URLReadConfiguration = URLDocumentReadConfiguration
  /// The facts for a write.
  typealias URLWriteConfiguration = URLDocumentWriteConfiguration

  /// Reads the content from the file or folder at `url`. Do not change it, and do not use it after the return.
  init(from url: URL, configuration: URLReadConfiguration) throws

  /// Writes the content as a new file or folder at `url`. The content need not sync it.
  func write(to url: URL, configuration: URLWriteConfiguration) throws
}

/// The input of a content that reads by URL.
public struct URLDocumentReadConfiguration: Sendable {
  /// The type of the document on disk.
  public let contentType: UTType

  /// Makes a configuration, also for tests.
  public init(contentType: UTType) { self.contentType = contentType }
}

/// The input of a content that writes by URL.
public struct URLDocumentWriteConfiguration: Sendable {
  /// The type to write.
  public let contentType: UTType
  /// The document as it was last read or saved; nil for a document that is not on disk.
  ///
  /// The content may copy or link files from it, but must not change it. A save does not write a hard-linked file
  /// again.
  public let originalContentsURL: URL?
  private let kept = KeptChildren()

  /// Makes a configuration, also for tests.
  public init(contentType: UTType, originalContentsURL: URL? = nil) {
    (self.contentType, self.originalContentsURL) = (contentType, originalContentsURL)
  }

  /// Leaves a child and all its children as they are in the document, without a write or a link.
  ///
  /// The cost does not depend on the child's size. The child need not exist.
  ///
  /// - Parameter path: its place in the document, such as `Media/Clip.mov`.
  public func keep(_ path: String) { kept.paths.withLock { _ = $0.insert(path) } }  // It may be there.

  /// The places of the children that stay.
  var keptPaths: Set<String> { kept.paths.withLock { $0 } }
}

private final class KeptChildren: Sendable {
  let paths = Mutex<Set<String>>([])
}

// The tree form, which a `DocumentContent` has.

extension URLDocumentContent {
  /// True: the content reads the folder on disk, which has the file.
  public static var seesMetadata: Bool { true }

  /// Reads the content from the tree on disk.
  ///
  /// If the disk does not hold the same tree, it writes the tree to a temporary folder first.
  public init(configuration: ReadConfiguration) throws {
    let reading = URLReadConfiguration(contentType: configuration.contentType)
    if let url = configuration.fileURL {
      try configuration.file.noteStatuses()
      try self.init(from: url, configuration: reading)
      return
    }
    let files = try WrittenFiles.folder(beside: nil)
    try files.write(configuration.file, as: WrittenFiles.contents)
    try self.init(from: files.url, configuration: reading)
    withExtendedLifetime(files) {}
  }

  /// Writes the content, and returns a tree of the children that it wrote, kept and linked.
  public func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let writing = URLWriteConfiguration(
      contentType: configuration.contentType, originalContentsURL: configuration.originalContentsURL)
    let place = try configuration.fileURL.map { try FilePath(of: $0, for: .save) }
    let files = try WrittenFiles.folder(beside: place)
    try write(to: files.url, configuration: writing)
    // A disk without URLs copies nothing from a disk with URLs.
    let isOnRealDisk = configuration.fileURL != nil || configuration.originalContentsURL != nil
    let written =
      isOnRealDisk
      ? try files.read(WrittenFiles.contents) : try FileWrapper(url: files.url, options: .immediate)
    guard written.isDirectory, let tree = configuration.existingFile, tree.isDirectory else {
      return written
    }
    try tree.become(written, keeping: writing.keptPaths)
    return tree
  }
}

extension WrittenFiles {
  fileprivate static let contents = "Contents"

  /// The place at which the content writes.
  fileprivate var url: URL {
    URL(filePath: path.appending(Self.contents).string, directoryHint: .notDirectory)
  }
}
