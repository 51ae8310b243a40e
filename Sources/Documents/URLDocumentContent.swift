import DurableIO
public import FilePackages
public import FoundationEssentials
import Synchronization
import SystemPackage

/// A content that reads and writes its files itself, by URL, where a tree of file wrappers does not fit: a database, the
/// files of a library that wants a path, or more than memory holds.
///
/// What `UIDocument` has `read(from:)` and `writeContents(_:to:for:originalContentsURL:)` for. It is saved as any other
/// content, and as safely: it writes into a folder that nobody else uses, and once that has succeeded the store commits
/// what is there. Whatever fails or is killed before leaves the document as it was.
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
///     configuration.keep("Samples")     // stays as it is on disk, whatever is in it
///   }
/// }
/// ```
///
/// Cost of a save: what is written, twice, since it is committed from where it was written; on file systems that can
/// share blocks, large files once. What is kept, or linked from the original, costs no bytes.
public protocol URLDocumentContent: DocumentContent {
  /// What reading is told.
  typealias URLReadConfiguration = URLDocumentReadConfiguration
  /// What writing is told.
  typealias URLWriteConfiguration = URLDocumentWriteConfiguration

  /// Reads the content from the file or folder at `url`, which is not to be changed, and not to be asked for after this
  /// returns.
  init(from url: URL, configuration: URLReadConfiguration) throws

  /// Writes the content as a file or a folder at `url`, where nothing is yet. Nothing has to be synchronised.
  func write(to url: URL, configuration: URLWriteConfiguration) throws
}

/// What a content that reads by URL is told.
public struct URLDocumentReadConfiguration: Sendable {
  /// The type of the document on disk.
  public let contentType: UTType

  /// Makes a configuration, also for tests.
  public init(contentType: UTType) { self.contentType = contentType }
}

/// What a content that writes by URL is told.
public struct URLDocumentWriteConfiguration: Sendable {
  /// The type to write.
  public let contentType: UTType
  /// The document as it was last read or saved, to copy or to link from, and not to be changed; nil for one that is not
  /// on disk. A file that is a hard link of one there is not written again.
  public let originalContentsURL: URL?
  private let kept = KeptChildren()

  /// Makes a configuration, also for tests.
  public init(contentType: UTType, originalContentsURL: URL?) {
    (self.contentType, self.originalContentsURL) = (contentType, originalContentsURL)
  }

  /// Leaves a child, and all that is in it, as it is in the document, without writing or linking it. Costs nothing,
  /// whatever is in it; there need not be such a child.
  ///
  /// - Parameter path: its place in the document, such as `Media/Clip.mov`.
  public func keep(_ path: String) { kept.paths.withLock { _ = $0.insert(path) } }

  /// The places of what was left as it is.
  public var keptPaths: Set<String> { kept.paths.withLock { $0 } }
}

private final class KeptChildren: Sendable {
  let paths = Mutex<Set<String>>([])
}

// As a tree: what a `DocumentContent` is.

extension URLDocumentContent {
  /// Reads the content from where the tree is on disk; a tree that is not there as it is, is written among the temporary
  /// files before.
  public init(configuration: ReadConfiguration) throws {
    let reading = URLReadConfiguration(contentType: configuration.contentType)
    if let url = configuration.fileURL {
      try self.init(from: url, configuration: reading)
      return
    }
    let files = try WrittenFiles.folder(beside: nil)
    try files.write(configuration.file, as: WrittenFiles.contents)
    try self.init(from: files.url, configuration: reading)
    withExtendedLifetime(files) {}
  }

  /// Writes the content, and gives a tree of what was written, kept and linked.
  public func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let writing = URLWriteConfiguration(
      contentType: configuration.contentType, originalContentsURL: configuration.originalContentsURL)
    let place = try configuration.fileURL.map { try FilePath(of: $0, for: .save) }
    let files = try WrittenFiles.folder(beside: place)
    try write(to: files.url, configuration: writing)
    // A disk that has no URLs copies nothing from one that has.
    let isOnRealDisk = configuration.fileURL != nil || configuration.originalContentsURL != nil
    let written =
      isOnRealDisk
      ? try files.read(WrittenFiles.contents) : try FileWrapper(url: files.url, options: .immediate)
    guard written.isDirectory, let tree = configuration.existingFile, tree.isDirectory else {
      return written
    }
    try tree.become(written, keeping: writing.keptPaths, at: "")
    return tree
  }
}

extension WrittenFiles {
  fileprivate static let contents = "Contents"

  /// Where the content is written.
  fileprivate var url: URL {
    URL(filePath: path.appending(Self.contents).string, directoryHint: .notDirectory)
  }
}

extension FileWrapper {
  /// Makes this folder what was written; children at the paths that are kept stay, and so do files that were linked.
  fileprivate func become(_ written: FileWrapper, keeping kept: Set<String>, at path: String) throws {
    let new = try Set(written.childNames())
    for name in try childNames() where !new.contains(name) && !kept.contains(path + name) {
      // The metadata are the store's, unless the content writes some.
      if path.isEmpty && name == PackageLayout.metadata.string { continue }
      guard let old = try child(named: name) else { continue }
      let folder = path + name + "/"
      if old.isDirectory, kept.contains(where: { $0.hasPrefix(folder) }) {
        try old.become(FileWrapper(directoryWithFileWrappers: [:]), keeping: kept, at: folder)
      } else {
        removeFileWrapper(old)
      }
    }
    for name in new where !kept.contains(path + name) {
      guard let child = try written.child(named: name) else { continue }
      if let old = try self.child(named: name) {
        if let file = child.storedFile, file == old.storedFile { continue }
        if old.isDirectory && child.isDirectory {
          try old.become(child, keeping: kept, at: path + name + "/")
          continue
        }
        removeFileWrapper(old)
      }
      written.removeFileWrapper(child)
      child.preferredFilename = name
      addFileWrapper(child)
    }
  }
}
