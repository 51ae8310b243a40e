import AppleCloud
import CloudContainers
import Synchronization
import TestSupport
import Testing

@Suite("A metadata query", .cloud)
struct MetadataQueryTests {
  /// The notifications of a query, in words.
  // `@unchecked`: `init` alone changes the observers.
  private final class Log: @unchecked Sendable {
    private let notes = NoteList<[String]>()
    private var observers: [any NSObjectProtocol] = []

    init(_ query: NSMetadataQuery) {
      let names: [(NSNotification.Name, String)] = [
        (.NSMetadataQueryDidStartGathering, "started"), (.NSMetadataQueryGatheringProgress, "progress"),
        (.NSMetadataQueryDidFinishGathering, "finished"), (.NSMetadataQueryDidUpdate, "updated"),
      ]
      for (name, word) in names {
        let observer = NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) {
          [weak self] note in
          let changes = [
            ("added", NSMetadataQueryUpdateAddedItemsKey), ("changed", NSMetadataQueryUpdateChangedItemsKey),
            ("removed", NSMetadataQueryUpdateRemovedItemsKey),
          ]
          let words = changes.flatMap { word, key in
            (note.userInfo?[key] as? [NSMetadataItem] ?? []).map { "\(word) \(MetadataQueryTests.name($0))" }
          }
          self?.notes.add([word] + words)
        }
        observers.append(observer)
      }
    }

    deinit {
      for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }

    func has(_ line: String) -> Bool { notes.all.joined().contains(line) }
    func take() -> [String] { notes.taken().flatMap { $0 } }
  }

  private static func name(_ item: NSMetadataItem) -> String {
    item.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? ""
  }

  private static func names(_ query: NSMetadataQuery) -> [String] {
    query.results.compactMap { ($0 as? NSMetadataItem).map(name) }
  }

  private func query(_ scopes: [Any], _ format: String = "TRUEPREDICATE") -> NSMetadataQuery {
    let query = NSMetadataQuery()
    query.searchScopes = scopes
    query.predicate = NSPredicate(format: format)
    query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
    query.notificationBatchingInterval = 0.001
    query.operationQueue = OperationQueue()
    query.operationQueue?.maxConcurrentOperationCount = 1
    return query
  }

  /// Starts a query, and waits for the end of the gathering.
  private func gather(_ query: NSMetadataQuery) async throws -> [String] {
    let log = Log(query)
    #expect(query.start())
    try await CloudFixture.wait(for: "the gathering") { log.has("finished") }
    return Self.names(query)
  }

  // MQ2
  @Test func `finds placeholders, and tells their downloads, edits, names and removals`() async throws {
    try await cloud.writeThere("one", to: "Documents/Hut.txt")
    let query = query([NSMetadataQueryUbiquitousDocumentsScope])
    let log = Log(query)
    #expect(!query.isStarted && !query.isGathering && !query.isStopped)
    #expect(query.start() && query.isStarted && query.isGathering && !query.start())
    try await CloudFixture.wait(for: "the gathering") { log.has("finished") }
    #expect(log.take() == ["started", "progress", "finished"])
    #expect(!query.isGathering && query.resultCount == 1)
    let item = try #require(query.result(at: 0) as? NSMetadataItem)
    #expect(
      item.value(forAttribute: NSMetadataItemURLKey) as? URL == cloud.documents.appending(path: "Hut.txt"))
    #expect(item.value(forAttribute: NSMetadataItemFSSizeKey) as? Int == 3)
    #expect(item.value(forAttribute: NSMetadataItemDisplayNameKey) as? String == "Hut")
    #expect(item.value(forAttribute: NSMetadataItemContentTypeKey) as? String == "public.plain-text")
    #expect(item.value(forAttribute: NSMetadataItemIsUbiquitousKey) as? Bool == true)
    let status = { @Sendable in
      item.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String
    }
    #expect(status() == NSMetadataUbiquitousItemDownloadingStatusNotDownloaded)

    try FileManager.default.startDownloadingUbiquitousItem(at: cloud.documents.appending(path: "Hut.txt"))
    try await CloudFixture.wait(for: "the download") {
      status() == NSMetadataUbiquitousItemDownloadingStatusCurrent && log.has("updated")
    }
    #expect(Set(log.take()) == ["updated", "changed Hut.txt"])

    try CloudFixture.write("new", to: cloud.documents.appending(path: "Ridge.txt"))
    try await CloudFixture.wait(for: "a new document") { log.has("added Ridge.txt") }
    #expect(Self.names(query) == ["Hut.txt", "Ridge.txt"] && query.index(ofResult: item) == 0)
    try await cloud.here.sync()
    // Another machine renames a document: the item stays the same object.
    try await cloud.there.sync()
    try await cloud.there.download(itemNamed: "Documents/Hut.txt")
    try FileManager.default.moveItem(
      at: cloud.there.url.appending(path: "Documents/Hut.txt"),
      to: cloud.there.url.appending(path: "Documents/Summit.txt"))
    try await cloud.syncBoth()
    try await CloudFixture.wait(for: "the new name") { log.has("changed Summit.txt") }
    #expect(query.index(ofResult: item) == 1 && Self.names(query) == ["Ridge.txt", "Summit.txt"])
    try await cloud.here.delete(itemNamed: "Documents/Summit.txt")
    try await CloudFixture.wait(for: "the removal") { log.has("removed Summit.txt") }
    #expect(query.index(ofResult: item) == NSNotFound)

    query.stop()
    #expect(query.isStopped && Self.names(query) == ["Ridge.txt"])
  }

  @Test func `tells the documents from the data of a container, and searches folders of no container`()
    async throws
  {
    try CloudFixture.write("one", to: cloud.documents.appending(path: "Hut.txt"))
    try CloudFixture.write("two", to: cloud.documents.appending(path: "Trips/Ridge.txt"))
    try CloudFixture.write("{}", to: cloud.here.url.appending(path: "Settings/State.json"))
    try CloudFixture.write("three", to: cloud.local.appending(path: "Local.txt"))
    let (documents, data) = (NSMetadataQueryUbiquitousDocumentsScope, NSMetadataQueryUbiquitousDataScope)
    let trips = cloud.documents.appending(path: "Trips")
    for (scopes, names) in [
      ([documents], ["Hut.txt", "Ridge.txt"]), ([data], ["State.json"]),
      ([documents, data], ["Hut.txt", "Ridge.txt", "State.json"]),
      ([], ["Hut.txt", "Ridge.txt", "State.json"]),
      ([trips], ["Ridge.txt"]), ([data, trips], ["Ridge.txt", "State.json"]),
      ([cloud.local], ["Local.txt"]),
      ([cloud.local.path, documents], ["Hut.txt", "Local.txt", "Ridge.txt"]),
      ([NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope], []),
    ] as [([Any], [String])] {
      let query = query(scopes)
      #expect(try await gather(query) == names)
      query.stop()
    }
    // A folder around the container: each document once, also one that the container ignores.
    try CloudFixture.write("Draft.txt\n", to: cloud.here.url.appending(path: ".docpkgignore"))
    try CloudFixture.write("draft", to: cloud.documents.appending(path: "Draft.txt"))
    let around = cloud.here.url.deletingLastPathComponent()
    let all = try await gather(query([around]))
    #expect(Set(all).isSuperset(of: ["Draft.txt", "Hut.txt", "State.json"]))
    #expect(try await gather(query([around, documents])) == all)
    #expect(try await gather(query([data, around])) == all)
    UbiquityContainers.unregister(identifier: CloudFixture.identifier)
    #expect(try await gather(query([documents])).isEmpty)
  }

  @Test func `has a condition and an order, and starts again with others`() async throws {
    for (name, text) in [("A.txt", "333"), ("B.txt", "1"), ("C.md", "22")] {
      try CloudFixture.write(text, to: cloud.documents.appending(path: name))
    }
    let query = query([NSMetadataQueryUbiquitousDocumentsScope], "kMDItemFSName LIKE '*.txt'")
    #expect(try await gather(query) == ["A.txt", "B.txt"])
    let log = Log(query)
    query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: false)]
    try await CloudFixture.wait(for: "another order") { log.has("finished") }
    #expect(Self.names(query) == ["B.txt", "A.txt"])
    _ = log.take()
    query.predicate = NSPredicate { item, _ in
      (item as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSNameKey) as? String != "A.txt"
    }
    try await CloudFixture.wait(for: "another condition") { log.has("finished") }
    #expect(Self.names(query) == ["C.md", "B.txt"])
    query.stop()
    #expect(!NSMetadataQuery().start())
  }

  // MQ1
  @Test func `holds updates back, and combines them`() async throws {
    let query = query([NSMetadataQueryUbiquitousDocumentsScope])
    #expect(try await gather(query).isEmpty)
    let log = Log(query)
    query.disableUpdates()
    query.disableUpdates()
    try CloudFixture.write("one", to: cloud.documents.appending(path: "A.txt"))
    try await cloud.here.sync()
    try CloudFixture.write("two", to: cloud.documents.appending(path: "B.txt"))
    try await cloud.here.sync()
    query.enableUpdates()
    #expect(query.resultCount == 0 && log.take().isEmpty)
    query.enableUpdates()
    try await CloudFixture.wait(for: "both documents") { query.resultCount == 2 }
    var names: [String] = []
    query.enumerateResults { item, index, stop in
      names.append((item as? NSMetadataItem).map(Self.name) ?? "")
      if index == 0 { stop.pointee = true }
    }
    #expect(names == ["A.txt"])
    query.stop()
  }

  @MainActor
  @Test func `posts on the main queue without a queue of its own`() async throws {
    try CloudFixture.write("one", to: cloud.documents.appending(path: "A.txt"))
    let query = query([NSMetadataQueryUbiquitousDocumentsScope])
    query.operationQueue = nil
    let posted = Posted()
    let observer = NotificationCenter.default.addObserver(
      forName: .NSMetadataQueryDidFinishGathering, object: query, queue: nil
    ) { _ in posted.isMain.withLock { $0 = OperationQueue.current === OperationQueue.main } }
    query.start()
    try await CloudFixture.wait(for: "the gathering") { posted.isMain.withLock { $0 } != nil }
    #expect(posted.isMain.withLock { $0 } == true)
    NotificationCenter.default.removeObserver(observer)
    query.stop()
  }

  private final class Posted: Sendable {
    let isMain = Mutex<Bool?>(nil)
  }
}
