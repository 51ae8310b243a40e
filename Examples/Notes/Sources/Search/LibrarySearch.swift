import Documents
import FilePackages
import Foundation
import ImageNotes

/// Searches the whole text of the library's documents.
///
/// Nothing is opened or read before the first search. `refresh()` then reads the documents that changed since the index
/// has them. It reads the newest ones first, and a search meanwhile finds those that it has read.
actor LibrarySearch {
  private let library: NotesLibrary
  private let file: URL?
  private var opened: TextIndex?
  private let turn = Turn()

  /// - Parameter file: the file of the index; nil for an index in memory.
  init(_ library: NotesLibrary, file: URL?) {
    self.library = library
    self.file = file
  }

  /// The documents that have all words.
  func documents(with words: SearchWords) async throws -> [String] {
    try await index().documents(with: words)
  }

  /// The part of each document around the words.
  func excerpts(of ids: [DocumentID], with words: SearchWords) async throws -> [String: String] {
    try await index().excerpts(of: ids, with: words)
  }

  /// Reads the documents that changed, and tells all pages of its progress.
  func refresh() async throws {
    await turn.take()
    defer { turn.pass() }
    let index = try index()
    let entries = await library.allEntries()
    let stamps = await Task.detached { Self.stamps(of: entries) }.value
    let known = try await index.stamps()
    try await index.remove(known.keys.filter { stamps[$0] == nil })
    let changed = entries.filter { stamps[$0.id] != nil && stamps[$0.id] != known[$0.id] }
      .sorted { Self.date($0) > Self.date($1) }
    for start in stride(from: 0, to: changed.count, by: Self.batch) {
      await library.tellReading(start, of: changed.count)
      let part = changed[start..<min(start + Self.batch, changed.count)]
      try await index.put(await Self.read(part, stamps))
    }
    if !changed.isEmpty { await library.tellReading(changed.count, of: changed.count) }
  }

  /// The documents of one transaction, and of one event of progress.
  private static let batch = 64

  private func index() throws -> TextIndex {
    if let opened { return opened }
    let index = try TextIndex(at: file)
    opened = index
    return index
  }

  private static func stamps(of entries: [NotesLibrary.Entry]) -> [DocumentID: String] {
    var stamps: [DocumentID: String] = [:]
    for entry in entries {
      stamps[entry.id] = DocumentStamp.stamp(of: entry.url)
    }
    return stamps
  }

  private static func date(_ entry: NotesLibrary.Entry) -> Date {
    entry.item?.modificationDate ?? .distantPast
  }

  /// Reads documents, a few at once. The stamp is older than the content, so a change meanwhile is read the next time.
  private static func read(
    _ entries: ArraySlice<NotesLibrary.Entry>, _ stamps: [DocumentID: String]
  ) async -> [TextIndex.Entry] {
    await withTaskGroup(of: TextIndex.Entry?.self) { group in
      var rest = entries
      var read: [TextIndex.Entry] = []
      func readNext() {
        guard let entry = rest.popFirst(), let stamp = stamps[entry.id] else { return }
        group.addTask { await Self.read(entry, stamp) }
      }
      for _ in 0..<4 { readNext() }
      while let entry = await group.next() {
        if let entry { read.append(entry) }
        readNext()
      }
      return read
    }
  }

  /// Reads one document. One that cannot be read has no words until it changes.
  private static func read(_ entry: NotesLibrary.Entry, _ stamp: String) async -> TextIndex.Entry {
    var indexed = TextIndex.Entry(id: entry.id, stamp: stamp, title: "", text: "", captions: "")
    guard let store = try? await PackageStore.open(at: entry.url),
      let notes: ImageNotes = try? await store.content()
    else { return indexed }
    indexed.title = notes.customName ?? ""
    indexed.text = notes.text
    indexed.captions = notes.images.map(\.caption).joined(separator: "\n")
    return indexed
  }
}
