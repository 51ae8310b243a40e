import CloudContainers
import Documents
import FilePackages
import Foundation
import Hummingbird
import ImageNotes

/// Answers the requests about one document.
struct DocumentRoutes {
  let id: DocumentID
  let library: NotesLibrary
  let notes: OpenNotes
  let uploads: UploadFolder

  func answer(_ request: PageRequest, _ path: [String]) async throws -> Response {
    switch (request.method, path.first) {
    case (_, "images"): return try await images(request, Array(path.dropFirst()))
    case (_, "versions"): return try await versions(request, Array(path.dropFirst()))
    case (_, "conflicts"): return try await conflicts(request, Array(path.dropFirst()))
    case ("GET", "events") where path.count == 1: return try await events(request)
    case ("GET", "export") where path.count == 1: return try await export(request)
    case ("POST", .some(let name)) where path.count == 1: return try await command(name, request)
    default: throw HTTPRefusal.notFound
    }
  }

  // MARK: The open document

  private func events(_ request: PageRequest) async throws -> Response {
    guard let tab = request.query["tab"], (8...32).contains(tab.utf8.count),
      tab.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw HTTPRefusal(status: .badRequest, message: "The tab has no name.") }
    let session = try await notes.session(id)
    let known: (String, Int)? =
      if let epoch = request.query["epoch"], let seq = request.query["seq"].flatMap({ Int($0) }) {
        (epoch, seq)
      } else { nil }
    return .events(of: request) {
      let (channel, number) = try await session.join(tab, known: known)
      return (channel, { await session.leave(number) })
    }
  }

  private struct Tab: Decodable { var tab: String }
  private struct Caret: Decodable {
    var tab: String
    var at: Int?
  }
  private struct Title: Decodable {
    var tab: String?
    var title: String
  }
  private struct Name: Decodable { var name: String }
  private struct Place: Decodable { var place: String }
  private struct Recovery: Decodable { var take: Bool }
  private struct Pin: Decodable { var pinned: Bool }

  private func command(_ name: String, _ request: PageRequest) async throws -> Response {
    switch name {
    case "text":
      let edit = try await request.value(TextEdit.self)
      return try .json(["seq": try await notes.session(id).edit(edit)])
    case "caret":
      let caret = try await request.value(Caret.self)
      await notes.openSession(id)?.moveCaret(of: caret.tab, to: caret.at)
    case "undo", "redo":
      let tab = try await request.value(Tab.self).tab
      return try .json(["did": try await notes.session(id).step(name == "undo" ? .undo : .redo, by: tab)])
    case "title":
      let new = try await request.value(Title.self)
      try await notes.session(id).change("Change Title", by: new.tab) {
        $0.customName = new.title.isEmpty ? nil : new.title
      }
    case "save": try await notes.session(id).save()
    case "recovery": try await notes.session(id).recover(request.value(Recovery.self).take)
    case "pin": try await library.setPin(request.value(Pin.self).pinned, of: id)
    case "rename": return try await rename(to: request.value(Name.self).name)
    case "duplicate":
      try await saveIfOpen()
      return try .json(try await NewDocument(library: library).duplicate(library.entry(id)))
    case "delete":
      let entry = try await library.entry(id)
      let session = await notes.openSession(id)
      try await notes.close(id)
      let key = try await library.delete(entry)
      await session?.tellDeleted(key: key)
      return try .json(["deleted": key, "name": entry.displayName])
    case "move": return try await move(to: request.value(Place.self).place)
    case "download":
      let (entry, container) = try await cloudEntry()
      try await container.startDownloading(itemNamed: entry.name)
      // The next run of the sync would do it, too, up to half a minute later. The library shows progress and errors.
      Task { try? await container.download(itemNamed: entry.name) }
    case "evict":
      let (entry, container) = try await cloudEntry()
      try await notes.close(id)
      try await container.evict(itemNamed: entry.name)
    default: throw HTTPRefusal.notFound
    }
    return .done
  }

  private func saveIfOpen() async throws {
    if let session = await notes.openSession(id), await session.isOpen { try await session.save() }
  }

  // MARK: Places

  private func rename(to wish: String) async throws -> Response {
    let entry = try await library.entry(id)
    let name = try NewDocument.checked(wish) + "." + entry.url.pathExtension
    let folder = FolderLocation(entry.url.deletingLastPathComponent())
    if try await folder.document(named: name) != nil, name != entry.url.lastPathComponent {
      throw HTTPRefusal(
        status: .conflict, message: "There is a document '\(displayString(wish))' already.",
        advice: "Choose another name.")
    }
    let url = try await folder.url(of: folder.moveIn(entry.url, as: name))
    await notes.openSession(id)?.follow(to: url)
    let new = await library.noteMove(of: id, to: url)
    return try .json(
      NamedDocument(id: new.word, name: displayString(url.deletingPathExtension().lastPathComponent)))
  }

  private func move(to word: String) async throws -> Response {
    let entry = try await library.entry(id)
    let places = library.places
    let place: NotesLibrary.Place = word == "cloud" ? .container : .local
    guard place != entry.place else {
      throw HTTPRefusal(status: .unprocessableContent, message: "It is there already.")
    }
    try await notes.close(id)
    let url: URL
    if place == .container {
      let target = try places.location(.container)
      let name = try await target.moveIn(entry.url, as: entry.name)
      url = try places.folder(.container).appending(path: name)
    } else {
      url = try await places.location(.container)
        .moveOut(entry.name, to: places.folder(.local), as: entry.url.lastPathComponent)
    }
    let new = await library.noteMove(of: id, to: url)
    return try .json(
      NamedDocument(id: new.word, name: displayString(url.deletingPathExtension().lastPathComponent)))
  }

  private func cloudEntry() async throws -> (NotesLibrary.Entry, CloudContainer) {
    let entry = try await library.entry(id)
    guard entry.place == .container, let container = library.places.container else {
      throw HTTPRefusal(status: .unprocessableContent, message: "The document is in no container.")
    }
    return (entry, container)
  }

  // MARK: Images

  private func image(_ key: String) async throws -> FileWrapper {
    if let session = await notes.openSession(id), await session.isOpen {
      return try await session.image(key).file()
    }
    let store = try await PackageStore.open(at: library.entry(id).url)
    let content: ImageNotes = try await store.content()
    guard let image = content.images.first(where: { ImageFacts.key(of: $0.name) == key }) else {
      throw HTTPRefusal.notFound
    }
    return try image.file()
  }

  private func images(_ request: PageRequest, _ path: [String]) async throws
    -> Response
  {
    switch (request.method, path.count) {
    case ("GET", 1), ("HEAD", 1):
      return try .image(try await image(path[0]))
    case ("PUT", 0):
      let file = try await uploads.store(request, named: request.query["name"])
      let index = request.query["at"].flatMap { Int($0) }
      let path = try await added(file, request) { notes in
        let name = try notes.add(imageAt: file, at: index)
        return notes.images.first { $0.name == name }?.path ?? name
      }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      return try .json(["key": ImageFacts.key(of: name), "name": name, "path": path])
    case ("PUT", 1):
      let old = try await notes.session(id).image(path[0]).name
      let file = try await uploads.store(request, named: request.query["name"])
      let name = try await added(file, request) { notes in try notes.replace(image: old, withImageAt: file) }
      return try .json(["key": ImageFacts.key(of: name)])
    case ("POST", 2): return try await imageCommand(path[1], path[0], request)
    default: throw HTTPRefusal.notFound
    }
  }

  /// Adds an uploaded picture; removes the file of one that the document refuses.
  private func added(
    _ file: URL, _ request: PageRequest, _ body: @escaping @Sendable (inout ImageNotes) throws -> String
  ) async throws -> String {
    do {
      return try await notes.session(id).change("Add Image", by: request.query["tab"], body)
    } catch {
      uploads.remove(file)
      throw error
    }
  }

  private struct ImageCommand: Decodable {
    var tab: String?
    var caption: String?
    var to: Int?
  }

  private func imageCommand(_ command: String, _ key: String, _ request: PageRequest) async throws -> Response
  {
    let session = try await notes.session(id)
    let name = try await session.image(key).name
    let wanted = try await request.value(ImageCommand.self)
    switch (command, wanted.caption, wanted.to) {
    case ("caption", let caption?, _):
      try await session.change("Change Caption", by: wanted.tab) {
        try $0.setCaption(caption, ofImage: name)
      }
    case ("move", _, let place?):
      try await session.change("Move Image", by: wanted.tab) { try $0.move(image: name, to: place) }
    case ("remove", _, _):
      try await session.change("Remove Image", by: wanted.tab) { try $0.remove(image: name) }
    case ("caption", _, _), ("move", _, _):
      throw HTTPRefusal(status: .badRequest, message: "The request is malformed: a value is missing.")
    default: throw HTTPRefusal.notFound
    }
    return .done
  }

  // MARK: Versions and conflicts

  private func versions(_ request: PageRequest, _ path: [String]) async throws
    -> Response
  {
    let versions = DocumentVersions(id: id, url: try await library.entry(id).url)
    if request.method == "GET", path.isEmpty {
      try await saveIfOpen()
      return try .json(try await versions.list())
    }
    guard let identifier = path.first.flatMap({ UUID(uuidString: $0) }) else { throw HTTPRefusal.notFound }
    switch (request.method, path.count) {
    case ("GET", 1):
      return try .json(try await versions.detail(identifier, since: Self.previous(request)))
    case ("GET", 2) where path[1] == "words":
      return try .json(["lines": try await versions.words(identifier, since: Self.previous(request))])
    case ("GET", 3) where path[1] == "images":
      return try .image(try await versions.image(path[2], of: identifier))
    case ("POST", 2) where path[1] == "restore":
      struct Part: Decodable { var image: String? }
      let part = try await request.value(Part.self)
      let old = try await versions.notes(of: identifier)
      let session = try await notes.session(id)
      guard let key = part.image else {
        try await session.change("Restore Version", by: nil) { try $0.restore(old) }
        return .done
      }
      guard let name = old.images.first(where: { ImageFacts.key(of: $0.name) == key })?.name else {
        throw HTTPRefusal.notFound
      }
      try await session.change("Restore Image", by: nil) { try $0.restore(image: name, from: old) }
      return .done
    default: throw HTTPRefusal.notFound
    }
  }

  /// The version before the changes that a page asks for; nil for the beginning of the document.
  private static func previous(_ request: PageRequest) throws -> UUID? {
    guard let word = request.query["since"] else { return nil }
    guard let previous = UUID(uuidString: word) else { throw HTTPRefusal.notFound }
    return previous
  }

  private func conflicts(_ request: PageRequest, _ path: [String]) async throws
    -> Response
  {
    let entry = try await library.entry(id)
    let conflicts = DocumentConflicts(
      entry: entry, session: try await notes.session(id), container: library.places.container)
    switch (request.method, path) {
    case ("GET", []): return try .json(try await conflicts.list())
    case ("POST", ["resolve"]):
      let decision = try await request.value(DocumentConflicts.Decision.self)
      let made = try await conflicts.resolve(decision) { [library] content in
        var copy = ImageNotes()
        try copy.restore(content)
        let name = entry.url.deletingPathExtension().lastPathComponent
        let new = try await NewDocument(library: library).make(
          copy, named: "\(name) (other version)", in: entry.url.deletingLastPathComponent())
        guard let id = DocumentID(new.id) else { throw HTTPRefusal.notFound }
        return id
      } removeDocument: { [library] id in
        _ = try await library.delete(library.entry(id))
      }
      return try .json(["id": made?.word])
    default: throw HTTPRefusal.notFound
    }
  }

  // MARK: Export

  private func export(_ request: PageRequest) async throws -> Response {
    guard let format = DocumentExport.Format(rawValue: request.query["as"] ?? "zip") else {
      throw HTTPRefusal.notFound
    }
    let entry = try await library.entry(id)
    let name = entry.url.deletingPathExtension().lastPathComponent
    return try await DocumentExport(session: try await notes.session(id), name: name, uploads: uploads)
      .response(format)
  }
}
