import Documents
import FilePackages
import Foundation
import Hummingbird
import ImageNotes

/// Answers the requests about the library.
struct LibraryRoutes {
  let library: NotesLibrary
  let notes: OpenNotes
  let search: LibrarySearch
  let uploads: UploadFolder

  func answer(_ request: PageRequest, _ path: [String]) async throws -> Response {
    switch (request.method, path) {
    case ("GET", ["events"]):
      return .events(of: request) {
        let (channel, number) = try await library.join()
        return (channel, { await library.leave(number) })
      }
    case ("POST", ["details"]):
      struct Asked: Decodable { var ids: [String] }
      let ids = try await request.value(Asked.self).ids.prefix(100).compactMap(DocumentID.init)
      return try .json(["details": await details(ids)])
    case ("POST", ["search"]):
      struct Asked: Decodable { var words: String }
      let words = SearchWords(try await request.value(Asked.self).words)
      return try .json(["documents": try await search.documents(with: words)])
    case ("POST", ["search", "excerpts"]):
      struct Asked: Decodable {
        var words: String
        var ids: [String]
      }
      let asked = try await request.value(Asked.self)
      let ids = asked.ids.prefix(100).compactMap(DocumentID.init)
      return try .json(["excerpts": try await search.excerpts(of: ids, with: SearchWords(asked.words))])
    case ("POST", ["search", "refresh"]):
      try await search.refresh()
      return .done
    case ("POST", ["new"]):
      struct Wanted: Decodable {
        var name: String?
        var text: String?
      }
      let wanted = try await request.value(Wanted.self)
      let new = NewDocument(library: library)
      return try .json(try await new.make(ImageNotes(text: wanted.text ?? ""), named: wanted.name))
    case ("PUT", ["import"]):
      let file = try await uploads.store(request, named: request.query["name"])
      defer { uploads.remove(file) }
      let parts = try request.query["parts"].map(uploads.parts)
      defer { if let parts { uploads.remove(parts: parts) } }
      return try .json(try await NewDocument(library: library).make(from: file, with: parts))
    case ("PUT", ["import", "parts"]):
      let parts = try request.query["parts"].map(uploads.parts) ?? uploads.makeParts()
      _ = try await uploads.store(request, named: request.query["name"], in: parts)
      return try .json(["parts": uploads.key(of: parts)])
    default: throw HTTPRefusal.notFound
    }
  }

  /// The facts of the documents that a page shows at this moment.
  private func details(_ ids: [DocumentID]) async -> [String: DocumentDetails] {
    var details: [String: DocumentDetails] = [:]
    for id in ids {
      // A document that is gone by now has no details.
      guard let entry = try? await library.entry(id) else { continue }
      // Its session may be one that waits for the download.
      let isHere = entry.item?.ubiquitousAttributes?.downloadingStatus != .notDownloaded
      details[id.word] = isHere ? await DocumentDetails(entry, notes.openSession(id)) : DocumentDetails()
    }
    return details
  }
}

/// The part of a document's content that the library shows.
struct DocumentDetails: Encodable {
  var title = ""
  var line = ""
  var images = 0
  /// The bytes of the text and the images.
  var size: UInt64 = 0
  /// The address of the first picture; nil if there is no picture, or none that can be read.
  var thumbnail: String?
  var conflict = false
  var error: String?

  /// A document whose content is elsewhere.
  init() {}

  /// Reads them from the open document, or else from the disk.
  init(_ entry: NotesLibrary.Entry, _ session: NotesSession?) async {
    do {
      let content: ImageNotes
      if let session, await session.isOpen {
        content = try await session.withDocument { try await $0.content }
      } else {
        let store = try await PackageStore.open(at: entry.url)
        content = try await store.content()
        conflict = try await store.hasConflicts()
      }
      title = content.displayName
      let lines = content.text.prefix(2000).split(whereSeparator: \.isNewline).lazy.map(String.init)
        .filter { line in
          // A line that only shows a picture has no words.
          line.contains { !$0.isWhitespace } && line.wholeMatch(of: /\s*!\[.*\]\(.*\)\s*/) == nil
        }
      let isTitle = content.customName?.isEmpty != false
      line = String((isTitle ? lines.dropFirst().first : lines.first)?.prefix(200) ?? "")
      images = content.images.count
      size = UInt64(content.text.utf8.count)
      // The size of an image that cannot be read is unknown.
      for image in content.images { size += (try? image.file())?.regularFileSize ?? 0 }
      if let first = content.images.first {
        var facts = ImageFacts()
        let shown = facts.shown([first], below: "/api/documents/\(entry.id.word)/images")[0]
        thumbnail = shown.url.isEmpty ? nil : shown.url
      }
    } catch {
      self.error = ErrorExplanation(of: error).message
    }
  }
}
