import CloudContainers
import Documents
import FilePackages
import Foundation
import ImageNotes

/// The folder and the container whose documents the server shows; one of the two may be missing.
struct NotesPlaces: Sendable {
  /// The folder of this machine.
  let local: FolderLocation?
  /// The container.
  let container: CloudContainer?

  /// Names the places.
  init(folder: URL?, container: CloudContainer?) {
    local = folder.map { FolderLocation(URL(filePath: $0.absoluteURL.standardized.path), for: [.imageNotes]) }
    self.container = container
  }

  /// The places, the one for new documents first.
  var all: [DocumentLibrary.Place] {
    (local == nil ? [] : [.local]) + (container == nil ? [] : [.container])
  }

  /// The name of the library.
  var displayName: String { (local?.displayName ?? container?.displayName).map(displayString) ?? "" }

  /// The places as pages get them.
  var shown: [LibraryEvent.Place] {
    var places: [LibraryEvent.Place] = []
    if let local { places.append(.init(key: "local", name: displayString(local.displayName))) }
    if let container {
      places.append(
        .init(
          key: "cloud", name: displayString(container.displayName), address: displayString(container.address))
      )
    }
    return places
  }

  /// One of the places, for making and moving documents.
  func location(_ place: DocumentLibrary.Place) throws -> any StorageLocation {
    let location: (any StorageLocation)? = place == .local ? local : container
    guard let location else {
      throw HTTPRefusal(status: .unprocessableContent, message: "The library has no such place.")
    }
    return location
  }

  /// The folder of a place on this machine.
  func folder(_ place: DocumentLibrary.Place) throws -> URL {
    guard let folder = try location(place).folderURL else { throw HTTPRefusal.notFound }
    return folder
  }

  /// The place of new documents.
  var preferred: DocumentLibrary.Place { local == nil ? .container : .local }

  /// A live query of the documents of a place.
  func query(_ place: DocumentLibrary.Place) -> DocumentQuery {
    var options = DocumentQuery.Options()
    options.batchingInterval = .milliseconds(200)
    if place == .container, let container { return container.query(for: [.imageNotes], options: options) }
    return DocumentQuery(
      DocumentSearch(in: local.map { [$0.url] } ?? [], for: [.imageNotes]), options: options)
  }

  /// The path of a document in its place.
  func name(of url: URL, in place: DocumentLibrary.Place) -> String {
    let folder = (place == .local ? local?.url.path : container?.url.standardized.path) ?? ""
    let path = url.standardized.path
    return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.utf8.count + 1)) : path
  }

  /// The place in which a document is.
  func place(of url: URL) -> DocumentLibrary.Place {
    guard let container else { return .local }
    return url.standardized.path.hasPrefix(container.url.standardized.path + "/") ? .container : .local
  }

  /// The program that brings a document's content here before it is opened.
  func provider(_ place: DocumentLibrary.Place) -> (any DocumentProvider)? {
    place == .container ? container : nil
  }
}
