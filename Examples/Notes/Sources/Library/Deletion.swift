import CloudContainers
import Documents
import FilePackages
import Foundation

/// A document that a user deleted, by this server or by a file manager. It is in the trash of the desktop, or among the container's deleted
/// documents.
struct Deletion: Sendable {
  private enum Source: Sendable {
    case trash(TrashLocation, TrashLocation.Entry)
    case container(CloudContainer, CloudDocumentID)
  }

  /// The key with which a page restores it.
  let key: String
  /// The document as it was.
  let entry: NotesLibrary.Entry
  private let date = Date()
  private let source: Source

  /// Deletes a document.
  init(of entry: NotesLibrary.Entry, _ places: NotesPlaces) async throws {
    key = UUID().uuidString
    self.entry = entry
    if entry.place == .container, let container = places.container {
      guard let item = try await container.items().first(where: { $0.name == entry.name }) else {
        throw HTTPRefusal.notFound
      }
      try await container.delete(itemNamed: entry.name)
      source = .container(container, item.id)
    } else {
      guard let trash = TrashLocation() else {
        throw HTTPRefusal(
          status: .unprocessableContent, message: "There is no trash, because HOME is not set.",
          advice: "Start 'docpkg serve' with HOME set.")
      }
      source = .trash(trash, try await trash.moveIn(entry.url))
    }
  }

  /// Notes that a file manager moved a document to a trash; nil if it is in none.
  init?(of entry: NotesLibrary.Entry, movedTo url: URL) {
    guard let (trash, place) = TrashLocation.holder(of: url, from: entry.url) else { return nil }
    key = UUID().uuidString
    self.entry = entry
    source = .trash(trash, place)
  }

  /// The deletion as pages get it.
  var shown: LibraryEvent.Deleted {
    let name = entry.displayName
    return .init(id: key, name: name, date: date.milliseconds)
  }

  /// The answer at the document's address.
  var refusal: HTTPRefusal {
    HTTPRefusal(
      status: .notFound, message: "'\(entry.displayName)' was deleted.",
      advice: "'Recently deleted' in the library puts it back.", deletion: key)
  }

  /// Brings the document back; returns its place.
  func restore() async throws -> (place: DocumentLibrary.Place, url: URL) {
    switch source {
    case .trash(let trash, let entry): return (.local, try await trash.restore(entry))
    case .container(let container, let id):
      let name = try await container.restore(id)
      return (.container, container.url.appending(path: name))
    }
  }
}
