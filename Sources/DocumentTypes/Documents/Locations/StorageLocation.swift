public import FoundationEssentials

/// A place that holds documents under names, such as a folder or an object store.
///
/// A name is the document's filename, after the names of its folders, if any, with slashes between them. The protocol
/// has no paths or descriptors: a location may have to fetch a document to this machine before a program can open it.
/// Every call may take as long as a network does.
public protocol StorageLocation: Sendable {
  /// The name for people.
  var displayName: String { get }

  /// The folder that holds the location's documents on this machine; nil if there is none.
  var folderURL: URL? { get }

  /// Returns all documents of the location, without opening them.
  ///
  /// - Throws: if the whole location cannot be reached. The listing has the errors of single documents and folders.
  func documents() async throws -> StorageListing

  /// Returns the facts about one document; nil if none has that name.
  func document(named name: String) async throws -> StoredDocument?

  /// Returns the document's place on this machine; nil if it is not there, or not yet.
  func localURL(of name: String) async throws -> URL?

  /// Moves a document of this machine into the location.
  ///
  /// On return the document is durable in the location, and is no longer at `url`. If the call throws or is cut short,
  /// the document is still at `url`. The next call continues a move that was cut short.
  ///
  /// - Returns: the document's name in the location: not `name` if another document has it.
  func moveIn(_ url: URL, as name: String) async throws -> String

  /// Moves a document of the location to a folder of this machine, with the promises of `moveIn(_:as:)`.
  ///
  /// - Returns: the new place of the document.
  func moveOut(_ name: String, to folder: URL, as newName: String) async throws -> URL

  /// Removes a document for good.
  func delete(_ name: String) async throws
}

extension StorageLocation {
  /// Nil: a location need not have a folder.
  public var folderURL: URL? { nil }
}

/// The facts of a location about one document.
public struct StoredDocument: Sendable, Hashable {
  /// The place of a document's content.
  ///
  /// The location must download one that is `notDownloaded` before a program can open it.
  public typealias State = UbiquitousAttributes.DownloadingStatus

  /// The document's name in the location.
  public var name: String
  /// The document's type.
  public var contentType: UTType
  /// The time of the last change of the content.
  public var modificationDate: Date
  /// The time at which the document was made; nil if it is not known.
  public var creationDate: Date?
  /// The number of bytes; nil if the location does not know it without opening the document.
  public var size: UInt64?
  /// The place of the content.
  public var state: State

  /// Makes a description of these facts.
  public init(
    name: String, contentType: UTType, modificationDate: Date, creationDate: Date? = nil,
    size: UInt64? = nil,
    state: State = .current
  ) {
    (self.name, self.contentType, self.modificationDate) = (name, contentType, modificationDate)
    (self.creationDate, self.size, self.state) = (creationDate, size, state)
  }
}

extension StoredDocument: CustomStringConvertible {
  /// The name, and the place of the content if it is not `current`.
  public var description: String {
    let name = displayString(name)
    return switch state {
    case .current: name
    case .downloaded: "\(name) (an older state is here)"
    case .notDownloaded: "\(name) (not downloaded)"
    }
  }
}

/// The contents of a location.
public struct StorageListing: Sendable {
  /// The documents, by name.
  public var documents: [StoredDocument]
  /// The errors that may hide further documents.
  public var problems: [any Error]

  /// Makes a listing of these documents.
  public init(documents: [StoredDocument], problems: [any Error] = []) {
    (self.documents, self.problems) = (documents, problems)
  }
}
