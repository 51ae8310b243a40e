// One import gives a document type all that it needs, as with SwiftUI's.
@_exported public import FilePackages

/// The content of a document: a value that reads itself from a file wrapper and writes itself as one.
///
/// Counterpart of SwiftUI's `FileDocument`, whose models conform without change. The configurations have public
/// initialisers, so that a test can read and write a model without a document.
///
/// In the Swift 5 mode, models conform without a warning even if their properties are not `Sendable`.
///
/// The initialiser and the method may await: they decode images in tasks, for example, or call another actor. The
/// document can be edited meanwhile, but makes no other access to the files. So neither may wait for a save, a read or
/// the closing of the same document.
///
/// A model of the main actor is read and written there. Every other model is read and written on a thread that may
/// block. If the types belong to the main actor, and it runs nothing for 30 seconds, the call fails with an error.
///
/// A class may conform, too. Its document opens and saves, but does not undo.
@preconcurrency
public protocol DocumentContent: Sendable, AwaitedContentTypes, ContentTypes {
  // The order of the protocols counts: generic code finds the members of the last one first.

  /// The facts for a read.
  typealias ReadConfiguration = FileDocumentReadConfiguration
  /// The facts for a write.
  typealias WriteConfiguration = FileDocumentWriteConfiguration

  /// Reads the content. The wrapper reads only the children that the content asks for.
  init(configuration: ReadConfiguration) async throws

  /// Returns the tree to save: a new one, or `configuration.existingFile` with new wrappers for changed children only.
  ///
  /// A save does not write a child again if its wrapper is the same.
  func fileWrapper(configuration: WriteConfiguration) async throws -> FileWrapper

  /// Whether the package's `Metadata.plist` is among the children that the content reads and writes; by default false.
  ///
  /// If it is false, the content sees only its own children, and the store saves the metadata beside them. If it is
  /// true, the content may write values of its own into the file. In both cases the content sees a `Metadata.plist` of
  /// another program as a child.
  static var seesMetadata: Bool { get }

  /// The folders in this value that edits change in place; by default none.
  ///
  /// A `FileWrapper` is a reference, so an earlier value has the same folder. Undo restores the children of the folders
  /// that are named here, and of all folders in them. The document calls it at each edit, on its own actor.
  var heldFolders: [FileWrapper] { get }

  /// The bytes of memory that undo counts for an earlier value, without data that it shares with later values; by
  /// default 64 KiB.
  var undoCost: Int { get }
}

/// SwiftUI's name for `DocumentContent`, so that SwiftUI's models compile without change.
public typealias FileDocument = DocumentContent

extension DocumentContent {
  /// The types that the content reads, for callers on any actor.
  @_disfavoredOverload
  public static var writableContentTypes: [UTType] { get async { await awaitReadableTypes() } }
  /// False: the content sees only its own children.
  public static var seesMetadata: Bool { false }
  /// None: edits change no folder in place.
  public var heldFolders: [FileWrapper] { [] }
  /// 64 KiB, so that by default undo holds a thousand values.
  public var undoCost: Int { 64 << 10 }
}

extension DocumentContent {
  /// Whether the content is a class: then there is one state, which a reference does not remember.
  static var isReference: Bool { Self.self is AnyObject.Type }
}

/// The input of a content's initialiser.
public struct FileDocumentReadConfiguration: Sendable {
  /// The type of the document: one of those that the content reads.
  public let contentType: UTType
  /// The document's tree.
  public let file: FileWrapper

  /// Makes a configuration, also for tests.
  public init(contentType: UTType, file: FileWrapper) { (self.contentType, self.file) = (contentType, file) }
}

/// The input of a content's `fileWrapper(configuration:)`.
public struct FileDocumentWriteConfiguration: Sendable {
  /// The type to write: one of those that the content writes, or the one that it read.
  public let contentType: UTType
  /// The document's tree, for the content to change and return, or to take children from.
  ///
  /// It is the tree that was last read or saved, with the changes that the content has made to it since. It is nil for
  /// a document that was never saved, and for one that another program removed.
  ///
  /// A child whose wrapper stays the same object is not written again.
  public let existingFile: FileWrapper?

  /// Makes a configuration, also for tests.
  public init(contentType: UTType, existingFile: FileWrapper?) {
    (self.contentType, self.existingFile) = (contentType, existingFile)
  }
}
