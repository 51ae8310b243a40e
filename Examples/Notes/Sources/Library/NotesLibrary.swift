import CloudContainers
import Documents
import FilePackages
import Foundation
import ImageNotes

/// The documents that the server shows: those of a folder, and those of a container. It is live.
actor NotesLibrary {
  typealias Place = DocumentLibrary.Place

  /// One document.
  struct Entry: Sendable {
    let id: DocumentID
    let place: Place
    /// The path in its place, with the extension.
    let name: String
    let url: URL
    /// Nil for a document that the queries have not told yet.
    var item: DocumentItem?
    var isPinned = false

    var displayName: String { displayString(url.deletingPathExtension().lastPathComponent) }
  }

  /// The new place of an open document that another program moved.
  enum DocumentMove: Sendable {
    case moved(DocumentID)
    /// It is in a trash; `restore(_:)` brings it back by the key.
    case deleted(key: String)
  }

  /// The places, by which the server finds, makes and moves documents.
  let places: NotesPlaces
  private var entries: [DocumentID: Entry] = [:]
  /// The present identifiers of documents that moved: a page may know an earlier one.
  private var moves: [DocumentID: DocumentID] = [:]
  private var listeners: [Int: EventChannel] = [:]
  private var lastListener = 0
  private var problems: [URL: String] = [:]
  private var gathering: Set<Place>
  /// Has a turn, which passes from wait to wait, as soon as `gathering` is empty.
  private let gathered = Turn(isTaken: true)
  private var queries: [(place: Place, query: DocumentQuery, task: Task<Void, Never>)] = []
  private var pins: Pins
  /// The last deletions, the newest first.
  private var deletions: [Deletion] = []
  /// Told of documents that appeared, and of those that are gone.
  private var onChange: @Sendable (_ added: Set<DocumentID>) async -> Void = { _ in }

  init(_ places: NotesPlaces, _ pins: Pins) {
    (self.places, self.pins) = (places, pins)
    gathering = Set(places.all)
  }

  /// Begins to look for documents.
  func start(_ onChange: @escaping @Sendable (_ added: Set<DocumentID>) async -> Void) {
    self.onChange = onChange
    for place in places.all {
      let query = places.query(place)
      query.start()
      queries.append(
        (place, query, Task { [weak self] in for await update in query { await self?.take(update, place) } }))
    }
  }

  /// Ends all looking, and the pages' channels.
  func stop() async {
    for (_, query, task) in queries {
      task.cancel()
      await query.stop()
    }
    for channel in listeners.values { channel.finish() }
  }

  // MARK: Finding

  /// The present identifier of a document.
  func present(_ id: DocumentID) -> DocumentID {
    var id = id
    while let next = moves[id] { id = next }
    return id
  }

  /// Finds a document.
  ///
  /// - Throws: `HTTPRefusal` `notFound`.
  func entry(_ id: DocumentID) async throws -> Entry {
    if let entry = entries[id] { return entry }
    await finishGathering()
    guard let entry = entries[id] else {
      throw deletions.first { $0.entry.id == id }?.refusal ?? HTTPRefusal.notFound
    }
    return entry
  }

  /// Waits until the first look is over.
  private func finishGathering() async {
    if gathering.isEmpty { return }
    await gathered.take()
    gathered.pass()
  }

  /// All documents, once the first look is over.
  func allEntries() async -> [Entry] {
    await finishGathering()
    return Array(entries.values)
  }

  /// The names that are taken in a place.
  func names(in place: Place) -> [String] { entries.values.filter { $0.place == place }.map(\.name) }

  /// Notes a document that the server made or moved, before the queries tell it.
  func note(_ place: Place, _ url: URL) -> DocumentID {
    let name = places.name(of: url, in: place)
    let id = DocumentID(place, name)
    moves[id] = nil
    if entries[id] == nil {
      entries[id] = Entry(
        id: id, place: place, name: name, url: url, item: nil, isPinned: pins.contains(id))
    }
    return id
  }

  /// Notes the new place of a document; returns its identifier. A pin moves with the document.
  func noteMove(of old: DocumentID, to url: URL) -> DocumentID {
    let place = places.place(of: url)
    move(old, to: DocumentID(place, places.name(of: url, in: place)))
    return note(place, url)
  }

  // MARK: Pins

  /// Pins a document to the top of the library, or takes the pin away.
  func setPin(_ isPinned: Bool, of id: DocumentID) async throws {
    _ = try await entry(id)
    try pins.set(id, isPinned)
    entries[id]?.isPinned = isPinned
    if let item = entries[id]?.shown { tell("changes", LibraryChanges(changed: [item])) }
  }

  private func move(_ old: DocumentID, to new: DocumentID) {
    moves[new] = nil
    if old != new { moves[old] = new }
    do {
      try pins.move(old, to: new)
    } catch {
      tell("problem", NoticeEvent(message: ErrorExplanation(of: error).message))
    }
  }

  /// Notes that another program moved an open document.
  ///
  /// - Parameter id: the document's identifier before.
  func noteMove(of id: DocumentID, from old: URL, to url: URL) -> DocumentMove {
    let place = places.place(of: old)
    let entry = entries[id] ?? Entry(id: id, place: place, name: places.name(of: old, in: place), url: old)
    guard let deletion = Deletion(of: entry, movedTo: url) else { return .moved(noteMove(of: id, to: url)) }
    add(deletion)
    return .deleted(key: deletion.key)
  }

  // MARK: Deleting

  /// Deletes a document, so that `restore(_:)` can bring it back.
  func delete(_ entry: Entry) async throws -> String {
    let deletion = try await Deletion(of: entry, places)
    add(deletion)
    return deletion.key
  }

  private func add(_ deletion: Deletion) {
    deletions.insert(deletion, at: 0)
    if deletions.count > 100 { deletions.removeLast() }
    if entries.removeValue(forKey: deletion.entry.id) != nil {
      tell("changes", LibraryChanges(removed: [deletion.entry.id.word]))
    }
    tellLibrary()
  }

  /// Brings a deleted document back.
  func restore(_ key: String) async throws -> (id: DocumentID, name: String) {
    guard let deletion = deletions.first(where: { $0.key == key }) else { throw HTTPRefusal.notFound }
    let (place, url) = try await deletion.restore()
    deletions.removeAll { $0.key == key }
    tellLibrary()
    let id = note(place, url)
    if id == deletion.entry.id, entries[id]?.item == nil {
      // The query tells nothing of a document that was away only between two of its looks.
      entries[id] = deletion.entry
      if let item = deletion.entry.shown { tell("changes", LibraryChanges(added: [item])) }
    }
    return (id, url.deletingPathExtension().lastPathComponent)
  }

  // MARK: Telling

  /// Shows the library to a page.
  ///
  /// - Returns: the page's channel, and its number for `leave(_:)`.
  func join() async throws -> (EventChannel, number: Int) {
    // Also the documents whose update waits for the next batch.
    for (place, query, _) in queries where gathering.isEmpty {
      await query.update()
      for item in query.results { _ = put(item, place) }
    }
    let channel = EventChannel()
    channel.send(try ServerEvent("library", shown))
    channel.send(try ServerEvent("reset", LibraryChanges.Nothing()))
    try send(entries.values.compactMap(\.shown), to: channel)
    if gathering.isEmpty {
      channel.send(try ServerEvent("ready", LibraryChanges.Count(count: entries.count)))
    }
    for message in problems.values { channel.send(try ServerEvent("problem", NoticeEvent(message: message))) }
    lastListener += 1
    listeners[lastListener] = channel
    return (channel, lastListener)
  }

  /// A page no longer shows the library.
  func leave(_ number: Int) { listeners[number] = nil }

  private func send(_ items: [LibraryItem], to channel: EventChannel) throws {
    for start in stride(from: 0, to: items.count, by: 500) {
      let batch = Array(items[start..<min(start + 500, items.count)])
      channel.send(try ServerEvent("items", LibraryChanges.Items(items: batch)))
    }
  }

  private var shown: LibraryEvent {
    LibraryEvent(
      name: places.displayName, places: places.shown, deleted: deletions.map(\.shown))
  }

  /// Tells the pages how many of the changed documents the search has read.
  func tellReading(_ read: Int, of count: Int) {
    tell("reading", LibraryChanges.Reading(read: read, of: count))
  }

  private func tellLibrary() { tell("library", shown) }

  private func tell(_ name: String, _ value: some Encodable) {
    // The values are this server's own, which can be encoded.
    guard let event = try? ServerEvent(name, value) else { return }
    for channel in listeners.values { channel.send(event) }
  }

  // MARK: The queries

  private func take(_ update: DocumentQuery.Update, _ place: Place) async {
    var changes = LibraryChanges()
    switch update {
    case .startedGathering:
      entries = entries.filter { $0.value.place != place }
      tell("reset", LibraryChanges.Nothing())
      for channel in listeners.values { try? send(entries.values.compactMap(\.shown), to: channel) }
    case .gathered(let items):
      let shown = items.compactMap { put($0, place).shown }
      for channel in listeners.values { try? send(shown, to: channel) }
    case .finishedGathering:
      gathering.remove(place)
      guard gathering.isEmpty else { return }
      tell("ready", LibraryChanges.Count(count: entries.count))
      gathered.pass()
    case .updated(let news):
      for item in news.removed {
        let id = DocumentID(place, places.name(of: item.url, in: place))
        if entries.removeValue(forKey: id) != nil { changes.removed.append(id.word) }
      }
      for move in news.moved {
        let old = DocumentID(place, places.name(of: move.old.url, in: place))
        entries[old] = nil
        self.move(old, to: DocumentID(place, places.name(of: move.new.url, in: place)))
        if let item = put(move.new, place).shown {
          changes.moved.append(.init(from: old.word, item: item))
        }
      }
      changes.added = news.added.compactMap { put($0, place).shown }
      changes.changed = news.changed.compactMap { put($0, place).shown }
      tell("changes", changes)
      await onChange(Set(news.added.map { DocumentID(place, places.name(of: $0.url, in: place)) }))
    case .unreadable(let problem):
      problems[problem.url] = ErrorExplanation(of: problem.error).message
      tell("problem", NoticeEvent(message: ErrorExplanation(of: problem.error).message))
    case .readable(let url):
      problems[url] = nil
      if problems.isEmpty { tell("problems-over", LibraryChanges.Nothing()) }
    case .typesWithoutExtension: break
    }
  }

  private func put(_ item: DocumentItem, _ place: Place) -> Entry {
    let name = places.name(of: item.url, in: place)
    let id = DocumentID(place, name)
    moves[id] = nil
    let entry = Entry(
      id: id, place: place, name: name, url: item.url, item: item, isPinned: pins.contains(id))
    entries[entry.id] = entry
    return entry
  }
}
