import CloudContainers
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes

/// Answers the requests about one document.
struct DocumentRoutes {
  let id: DocumentID
  let library: NotesLibrary
  let notes: OpenNotes
  let uploads: UploadFolder
  let thumbnails: Thumbnails

  func answer(_ head: HTTPRequestHead, _ path: [String], _ body: HTTPBody) async throws -> ServerResponse {
    switch (head.method, path.first) {
    case (_, "images"): return try await images(head, Array(path.dropFirst()), body)
    case (_, "versions"): return try await versions(head, Array(path.dropFirst()), body)
    case (_, "conflicts"): return try await conflicts(head, Array(path.dropFirst()), body)
    case ("GET", "events") where path.count == 1: return try await events(head)
    case ("GET", "export") where path.count == 1: return try await export(head)
    case ("POST", .some(let name)) where path.count == 1: return try await command(name, body)
    default: throw HTTPRefusal.notFound
    }
  }

  // MARK: The open document

  private func events(_ head: HTTPRequestHead) async throws -> ServerResponse {
    guard let tab = head.query["tab"], (8...32).contains(tab.utf8.count),
      tab.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw HTTPRefusal(status: .badRequest, message: "The tab has no name.") }
    let session = try await notes.session(id)
    let known: (String, Int)? =
      if let epoch = head.query["epoch"], let seq = head.query["seq"].flatMap({ Int($0) }) {
        (epoch, seq)
      } else { nil }
    let (channel, number) = try await session.join(tab, known: known)
    return ServerResponse(type: "text/event-stream", .events(channel) { await session.leave(number) })
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

  private func command(_ name: String, _ body: HTTPBody) async throws -> ServerResponse {
    switch name {
    case "text":
      let edit = try await body.value(TextEdit.self)
      return try .json(["seq": try await notes.session(id).edit(edit)])
    case "caret":
      let caret = try await body.value(Caret.self)
      await notes.openSession(id)?.moveCaret(of: caret.tab, to: caret.at)
    case "undo", "redo":
      let tab = try await body.value(Tab.self).tab
      return try .json(["did": try await notes.session(id).step(name == "undo" ? .undo : .redo, by: tab)])
    case "title":
      let new = try await body.value(Title.self)
      try await notes.session(id).change("Change Title", by: new.tab) {
        $0.customName = new.title.isEmpty ? nil : new.title
      }
    case "save": try await notes.session(id).save()
    case "recovery": try await notes.session(id).recover(body.value(Recovery.self).take)
    case "pin": try await library.setPin(body.value(Pin.self).pinned, of: id)
    case "rename": return try await rename(to: body.value(Name.self).name)
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
    case "move": return try await move(to: body.value(Place.self).place)
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

  private func rename(to wish: String) async throws -> ServerResponse {
    let entry = try await library.entry(id)
    let name = try NewDocument.checked(wish) + "." + entry.url.pathExtension
    let folder = FolderLocation(entry.url.deletingLastPathComponent())
    if try await folder.document(named: name) != nil, name != entry.url.lastPathComponent {
      throw HTTPRefusal(
        status: .conflict, message: "There is a document '\(displayString(wish))' already.",
        advice: "Choose another name.")
    }
    // An open document follows.
    let url = try await folder.url(of: folder.moveIn(entry.url, as: name))
    let new = await library.noteMove(of: id, to: url)
    return try .json(
      NamedDocument(id: new.word, name: displayString(url.deletingPathExtension().lastPathComponent)))
  }

  private func move(to word: String) async throws -> ServerResponse {
    let entry = try await library.entry(id)
    let places = library.places
    let place: NotesLibrary.Place = word == "cloud" ? .container : .local
    guard place != entry.place else {
      throw HTTPRefusal(status: .unprocessable, message: "It is there already.")
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
      throw HTTPRefusal(status: .unprocessable, message: "The document is in no container.")
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

  private func images(_ head: HTTPRequestHead, _ path: [String], _ body: HTTPBody) async throws
    -> ServerResponse
  {
    switch (head.method, path.count) {
    case ("GET", 1), ("HEAD", 1):
      let file = try await image(path[0])
      if head.query["small"] != nil, let bytes = try await thumbnails.thumbnail(of: file) {
        return .image(bytes)
      }
      return try .image(file, to: head)
    case ("PUT", 0):
      let file = try await uploads.store(body, named: head.query["name"])
      let index = head.query["at"].flatMap { Int($0) }
      let path = try await added(file, head) { notes in
        let name = try notes.add(imageAt: file, at: index)
        return notes.images.first { $0.name == name }?.path ?? name
      }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      return try .json(["key": ImageFacts.key(of: name), "name": name, "path": path])
    case ("PUT", 1):
      let old = try await notes.session(id).image(path[0]).name
      let file = try await uploads.store(body, named: head.query["name"])
      let name = try await added(file, head) { notes in try notes.replace(image: old, withImageAt: file) }
      return try .json(["key": ImageFacts.key(of: name)])
    case ("POST", 2): return try await imageCommand(path[1], path[0], body)
    default: throw HTTPRefusal.notFound
    }
  }

  /// Adds an uploaded picture; removes the file of one that the document refuses.
  private func added(
    _ file: URL, _ head: HTTPRequestHead, _ body: @escaping @Sendable (inout ImageNotes) throws -> String
  ) async throws -> String {
    do {
      return try await notes.session(id).change("Add Image", by: head.query["tab"], body)
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

  private func imageCommand(_ command: String, _ key: String, _ body: HTTPBody) async throws -> ServerResponse
  {
    let session = try await notes.session(id)
    let name = try await session.image(key).name
    let wanted = try await body.value(ImageCommand.self)
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

  private func versions(_ head: HTTPRequestHead, _ path: [String], _ body: HTTPBody) async throws
    -> ServerResponse
  {
    let versions = DocumentVersions(id: id, url: try await library.entry(id).url)
    if head.method == "GET", path.isEmpty {
      try await saveIfOpen()
      return try .json(try await versions.list())
    }
    guard let identifier = path.first.flatMap({ UUID(uuidString: $0) }) else { throw HTTPRefusal.notFound }
    switch (head.method, path.count) {
    case ("GET", 1):
      return try .json(try await versions.detail(identifier, since: Self.previous(head)))
    case ("GET", 2) where path[1] == "words":
      return try .json(["lines": try await versions.words(identifier, since: Self.previous(head))])
    case ("GET", 3) where path[1] == "images":
      return try .image(try await versions.image(path[2], of: identifier), to: head)
    case ("POST", 2) where path[1] == "restore":
      struct Part: Decodable { var image: String? }
      let part = try await body.value(Part.self)
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
  private static func previous(_ head: HTTPRequestHead) throws -> UUID? {
    guard let word = head.query["since"] else { return nil }
    guard let previous = UUID(uuidString: word) else { throw HTTPRefusal.notFound }
    return previous
  }

  private func conflicts(_ head: HTTPRequestHead, _ path: [String], _ body: HTTPBody) async throws
    -> ServerResponse
  {
    let entry = try await library.entry(id)
    let conflicts = DocumentConflicts(
      entry: entry, session: try await notes.session(id), container: library.places.container)
    switch (head.method, path) {
    case ("GET", []): return try .json(try await conflicts.list())
    case ("POST", ["resolve"]):
      let decision = try await body.value(DocumentConflicts.Decision.self)
      let made = try await conflicts.resolve(decision) { [library] content in
        var copy = ImageNotes()
        try copy.restore(content)
        let name = entry.url.deletingPathExtension().lastPathComponent
        let new = try await NewDocument(library: library).make(
          copy, named: "\(name) (other version)", in: entry.url.deletingLastPathComponent())
        guard let id = DocumentID(new.id) else { throw HTTPRefusal.notFound }
        return id
      }
      return try .json(["id": made?.word])
    default: throw HTTPRefusal.notFound
    }
  }

  // MARK: Export

  private func export(_ head: HTTPRequestHead) async throws -> ServerResponse {
    guard let format = DocumentExport.Format(rawValue: head.query["as"] ?? "zip") else {
      throw HTTPRefusal.notFound
    }
    let entry = try await library.entry(id)
    let name = entry.url.deletingPathExtension().lastPathComponent
    return try await DocumentExport(session: try await notes.session(id), name: name, uploads: uploads)
      .response(format)
  }
}
