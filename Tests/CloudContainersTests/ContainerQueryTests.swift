import CloudContainers
import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("A query of a container", .temporaryDirectory)
struct ContainerQueryTests {
  private func makeTwo() async throws -> (DeviceFixture, DeviceFixture) {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.makePackage("Trip.imageNotes", ["Text.txt": "one"])
    try a.write("notes", to: "Folder/Notes.txt")
    try await sync(a, b)
    return (a, b)
  }

  /// Takes the waiting updates, in words.
  private func news(_ query: DocumentQuery) async -> [String] {
    await query.update()
    var news: [String] = []
    while let update = query.takeUpdate() {
      switch update {
      case .startedGathering: news.append("started")
      case .finishedGathering: news.append("finished")
      case .gathered(let items): news += items.map { "gathered \($0.filename)" }
      case .updated(let changes):
        news +=
          changes.added.map { "added \($0.filename)" } + changes.changed.map { "changed \($0.filename)" }
        news += changes.moved.map { "moved \($0.old.filename) \($0.new.filename)" }
        news += changes.removed.map { "removed \($0.filename)" }
      case .unreadable(let problem): news.append("\(problem)")
      case .readable, .typesWithoutExtension: news.append("\(update)")
      }
    }
    return news
  }

  @Test func `finds placeholders, and tells their downloads, edits, uploads, evictions and names`()
    async throws
  {
    let (a, b) = try await makeTwo()
    let query = b.container.query(sortedBy: .name)
    query.start()
    #expect(await news(query) == ["started", "gathered Notes.txt", "gathered Trip.imageNotes", "finished"])
    let items = query.results
    #expect(items.map(\.filename) == ["Notes.txt", "Trip.imageNotes"])
    #expect(items.map(\.isUbiquitous) == [true, true])
    #expect(items.map { $0.ubiquitousAttributes?.downloadingStatus } == [.notDownloaded, .notDownloaded])
    #expect(items.map(\.size) == [5, try await a.container.items().last?.size])
    #expect(items.map(\.isPackage) == [false, true])
    #expect(items.map(\.url.path) == ["Folder/Notes.txt", "Trip.imageNotes"].map { b.url.path + "/" + $0 })
    #expect(await news(query).isEmpty)

    try await b.container.download(itemNamed: "Folder/Notes.txt")
    #expect(await news(query) == ["changed Notes.txt"])
    #expect(query.results.first?.ubiquitousAttributes?.downloadingStatus == .current)
    #expect(query.results.first?.inode != 0)

    try b.write("more notes", to: "Folder/Notes.txt")
    #expect(await news(query) == ["changed Notes.txt"])
    #expect(query.results.first?.ubiquitousAttributes?.isUploaded == false)
    try await b.sync()
    #expect(await news(query) == ["changed Notes.txt"])
    #expect(query.results.first?.ubiquitousAttributes?.isUploaded == true)

    try await b.container.evict(itemNamed: "Folder/Notes.txt")
    #expect(await news(query) == ["changed Notes.txt"])
    try b.write("new", to: "New.txt")
    #expect(await news(query) == ["added New.txt"])
    try await a.sync()
    try a.rename("Trip.imageNotes", to: "Tour.imageNotes")
    try await sync(a, b)
    #expect(await news(query) == ["changed New.txt", "moved Trip.imageNotes Tour.imageNotes"])
    try await b.container.delete(itemNamed: "Tour.imageNotes")
    #expect(await news(query) == ["removed Tour.imageNotes"])
    await query.stop()
    #expect(query.phase == .stopped)
  }

  @Test func `tells by itself what programs here, this container and another process do`() async throws {
    let (a, b) = try await makeTwo()
    var options = DocumentQuery.Options()
    (options.batchingInterval, options.pollInterval) = (.milliseconds(1), .milliseconds(1))
    let query = b.container.query(for: [.text], options: options)
    query.start()
    let names = { @Sendable in query.results.map(\.filename).sorted() }
    try await withDeadline("the gathering") { while query.phase != .live { await Task.yield() } }
    #expect(names() == ["Notes.txt"])
    try b.write("new", to: "New.txt")
    try await withDeadline("a new file") { while names() != ["New.txt", "Notes.txt"] { await Task.yield() } }
    try a.write("theirs", to: "Theirs.txt")
    try await sync(a, b)
    try await withDeadline("a run") { while names().count < 3 { await Task.yield() } }
    try await a.upload("more", to: "More.txt")
    // Another connection to the state, as another process has one.
    try await CloudContainer.open(b.url, in: b.container.session.store).sync()
    try await withDeadline("a run elsewhere") { while names().count < 4 { await Task.yield() } }
    await query.stop()
  }

  @Test func `searches a folder, types and a condition`() async throws {
    let (_, b) = try await makeTwo()
    let query = b.container.query(for: [.text])
    query.start()
    await query.update()
    #expect(query.results.map(\.filename) == ["Notes.txt"])
    query.search = DocumentSearch(in: [b.url.appending(path: "Folder")]) { $0.isUbiquitous }
    await query.update()
    #expect(query.results.map(\.filename) == ["Notes.txt"])
    query.search.predicate = { $0.ubiquitousAttributes?.downloadingStatus == .current }
    await query.update()
    #expect(query.results.isEmpty)
    try await b.container.download(itemNamed: "Folder/Notes.txt")
    await query.update()
    #expect(query.results.map(\.filename) == ["Notes.txt"])
    await query.stop()
  }
}
