public import FoundationEssentials

/// A place where documents are kept under names: a folder here, an object store elsewhere.
///
/// A name is the document's filename, after the names of the folders that it is in, if any, with slashes between them.
/// Nothing is said of paths and descriptors: what a location has may have to be brought to this machine before it can
/// be opened. Every call may take as long as a network does.
public protocol StorageLocation: Sendable {
  /// What people call it.
  var displayName: String { get }

  /// All documents that it has, without opening them.
  ///
  /// - Throws: where the location as a whole cannot be reached. What cannot be looked at within it is in the listing.
  func documents() async throws -> StorageListing

  /// What is known of one document; nil when there is none of that name.
  func document(named name: String) async throws -> StoredDocument?

  /// Where the document is on this machine; nil where it is not, or not yet.
  func localURL(of name: String) async throws -> URL?

  /// Brings a document here from this machine. When this returns it is kept here, also after a power cut, and is no
  /// longer at `url`; when it throws, or is cut short, it is still there. Called again after it was cut short, it goes on.
  ///
  /// - Returns: the name that the document has here: another one where `name` is another document's.
  func moveIn(_ url: URL, as name: String) async throws -> String

  /// Brings a document from here to a folder of this machine, with the same promises.
  ///
  /// - Returns: where it is now.
  func moveOut(_ name: String, to folder: URL, as newName: String) async throws -> URL

  /// Removes a document for good.
  func delete(_ name: String) async throws
}

/// What a location says of one document.
public struct StoredDocument: Sendable, Hashable {
  /// Where its content is.
  public enum State: Sendable, Hashable {
    /// Only there: it has to be fetched before it can be opened.
    case notDownloaded
    /// Also here, in a state that is no longer the newest.
    case downloaded
    /// The newest state is here.
    case current
  }

  /// Its name in the location.
  public var name: String
  /// What it is.
  public var contentType: UTType
  /// When the content was last changed.
  public var contentChangeDate: Date
  /// When it was made; nil where that is not known.
  public var creationDate: Date?
  /// Bytes; nil where that is not known without opening it.
  public var size: UInt64?
  /// Where its content is.
  public var state: State

  /// Makes a description of these facts.
  public init(
    name: String, contentType: UTType, contentChangeDate: Date, creationDate: Date? = nil,
    size: UInt64? = nil,
    state: State = .current
  ) {
    (self.name, self.contentType, self.contentChangeDate) = (name, contentType, contentChangeDate)
    (self.creationDate, self.size, self.state) = (creationDate, size, state)
  }
}

/// What a location has.
public struct StorageListing: Sendable {
  /// The documents, by name.
  public var documents: [StoredDocument]
  /// Why there may be more that could not be looked at.
  public var problems: [any Error]

  /// Makes a listing of these.
  public init(documents: [StoredDocument], problems: [any Error] = []) {
    (self.documents, self.problems) = (documents, problems)
  }
}
