import Documents
import Foundation

// The events of the library, as the pages get them.

/// The library's places, and the documents that can be brought back.
struct LibraryEvent: Encodable {
  struct Place: Encodable {
    var key: String
    var name: String
    var address: String?
  }

  struct Deleted: Encodable {
    var id: String
    var name: String
    /// Milliseconds since 1970.
    var date: Double
  }

  var name: String
  var places: [Place]
  var deleted: [Deleted]
}

/// One document.
struct LibraryItem: Encodable {
  /// The way of a document to the container and back.
  struct Cloud: Encodable {
    enum Status: String, Encodable {
      case current, uploading, downloading, notDownloaded, waiting
    }

    var status: Status
    var progress: Double?
    var conflict: Bool
    var error: String?
  }

  var id: String
  var name: String
  var place: String
  var folder: String
  /// Milliseconds since 1970.
  var modified: Double
  var size: UInt64?
  var editable = true
  var pinned: Bool?
  var cloud: Cloud?
}

/// Changes of the library.
struct LibraryChanges: Encodable {
  struct Move: Encodable {
    var from: String
    var item: LibraryItem
  }

  struct Items: Encodable {
    var items: [LibraryItem]
  }

  struct Count: Encodable {
    var count: Int
  }

  /// The documents that a search has read of those that changed.
  struct Reading: Encodable {
    var read: Int
    var of: Int
  }

  struct Nothing: Encodable {}

  var added: [LibraryItem] = []
  var changed: [LibraryItem] = []
  var moved: [Move] = []
  var removed: [String] = []
}

/// A document and its name, as an answer.
struct NamedDocument: Encodable {
  var id: String
  var name: String
  var remarks: [String]?
  /// The pictures that the text of an import names, and that it lacks.
  var missing: [String]?
  /// The names of the pictures that were sent with a text, and are in the document.
  var used: [String]?
}

extension NotesLibrary.Entry {
  /// The document as pages get it; nil if the queries have not told it yet.
  var shown: LibraryItem? {
    guard let item else { return nil }
    let folder = name.split(separator: "/").dropLast().joined(separator: "/")
    return LibraryItem(
      id: id.word, name: item.displayName, place: place == .local ? "local" : "cloud", folder: folder,
      modified: item.modificationDate.milliseconds, size: item.size, pinned: isPinned ? true : nil,
      cloud: item.ubiquitousAttributes.map(LibraryItem.Cloud.init))
  }
}

extension LibraryItem.Cloud {
  init(_ attributes: UbiquitousAttributes) {
    conflict = attributes.hasUnresolvedConflicts
    error = attributes.downloadingError ?? attributes.uploadingError
    if attributes.isDownloading {
      (status, progress) = (.downloading, attributes.percentDownloaded / 100)
    } else if attributes.isUploading {
      (status, progress) = (.uploading, attributes.percentUploaded / 100)
    } else if attributes.downloadingStatus == .notDownloaded {
      status = .notDownloaded
    } else {
      status = attributes.isUploaded && attributes.downloadingStatus == .current ? .current : .waiting
    }
  }
}
