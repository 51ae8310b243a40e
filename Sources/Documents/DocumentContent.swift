// What a document type is made of is at hand with one import, as with SwiftUI's.
@_exported public import FilePackages
import FoundationEssentials

/// What a document holds: a value that is read from a file wrapper and written as one.
///
/// Counterpart of SwiftUI's `FileDocument`: its models conform as they are. The configurations have public
/// initialisers, so that a model can be tested without a document.
public protocol DocumentContent: Sendable {
  /// The types that `init(configuration:)` reads.
  static var readableContentTypes: [UTType] { get }
  /// The types that `fileWrapper(configuration:)` writes; by default those that are read.
  static var writableContentTypes: [UTType] { get }

  /// What reading is told.
  typealias ReadConfiguration = FileDocumentReadConfiguration
  /// What writing is told.
  typealias WriteConfiguration = FileDocumentWriteConfiguration

  /// Reads the content. Children that are not asked for are not read from disk.
  init(configuration: ReadConfiguration) throws

  /// Gives the tree to be saved: a new one, or `configuration.existingFile` with only those children replaced
  /// that changed. What stays the same wrapper is not written again.
  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper

  /// How many bytes an earlier value takes in memory that is kept for undoing, beside what it shares with later
  /// ones; by default 64 KiB.
  var undoCost: Int { get }
}

/// SwiftUI's name for it, so that its models compile as they are.
public typealias FileDocument = DocumentContent

extension DocumentContent {
  /// The types that are read.
  public static var writableContentTypes: [UTType] { readableContentTypes }
  /// 64 KiB, so that a thousand values are kept where nothing else is said.
  public var undoCost: Int { 64 << 10 }
}

/// What a content's initialiser is told.
public struct FileDocumentReadConfiguration: Sendable {
  /// The type of the document on disk.
  public let contentType: UTType
  /// The document's tree.
  public let file: FileWrapper
  /// Where the tree is on disk as it is; nil where that is nowhere.
  let fileURL: URL?

  /// Makes a configuration, also for tests.
  public init(contentType: UTType, file: FileWrapper) {
    self.init(contentType: contentType, file: file, at: nil)
  }

  init(contentType: UTType, file: FileWrapper, at fileURL: URL?) {
    (self.contentType, self.file, self.fileURL) = (contentType, file, fileURL)
  }
}

/// What a content is told when it is to be written.
public struct FileDocumentWriteConfiguration: Sendable {
  /// The type to write.
  public let contentType: UTType
  /// The tree that is on disk; nil for a document that was never saved.
  public let existingFile: FileWrapper?
  /// Where that tree is on disk as it is; nil where that is nowhere.
  let originalContentsURL: URL?
  /// Where the document is to be; nil where nothing is to be written beside it.
  let fileURL: URL?

  /// Makes a configuration, also for tests.
  public init(contentType: UTType, existingFile: FileWrapper?) {
    self.init(contentType: contentType, existingFile: existingFile, at: nil, writingBeside: nil)
  }

  init(
    contentType: UTType, existingFile: FileWrapper?, at originalContentsURL: URL?,
    writingBeside fileURL: URL?
  ) {
    (self.contentType, self.existingFile) = (contentType, existingFile)
    (self.originalContentsURL, self.fileURL) = (originalContentsURL, fileURL)
  }
}
