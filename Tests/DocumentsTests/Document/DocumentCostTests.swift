import Documents
import DurableIO
import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("What an open document costs", .tags(.scale), .temporaryDirectory)
struct DocumentCostTests {
  private typealias Book = DocumentFixture<Chapters>

  /// A document of many children that edits only one of them: the other ones are never objects.
  struct Chapters: DocumentContent {
    static var readableContentTypes: [UTType] { Pages.readableContentTypes }
    var first: String

    init(configuration: ReadConfiguration) throws {
      let file = try configuration.file.regularFile(at: "5.txt")
      first = String(decoding: try file.contents(), as: UTF8.self)
    }

    func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
      let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
      try tree.setDescendant(FileWrapper(regularFileWithContents: Data(first.utf8)), at: "5.txt")
      return tree
    }
  }

  private static func disk(_ count: Int) async throws -> CrashDisk {
    var entries: [FileName: TestTree] = [:]
    for number in 0..<count { entries[FileName("\(number).txt")] = .file(Array("child \(number)".utf8)) }
    let disk = try CrashDisk(["Trip.pages": .directory(entries)])
    let store = try await PackageStore.open(Book.path, on: disk)
    // The first application values make the metadata.
    let metadata = PackageMetadata(applicationValues: ["DisplayName": .string("Book")])
    await store.tree.addRegularFile(withContents: try metadata.encoded(), preferredFilename: "Metadata.plist")
    try await store.save()
    try await store.close()
    return disk
  }

  @Test func `is, to save one change among ten thousand children, what the log takes`() async throws {
    let log = try await Self.costOfStore(10)
    for count in [10, 10_000] {
      let cost = try await Self.costOfAutosave(count)
      #expect(cost == log)
      #expect(cost[.synchronizeData] == 1 && cost[.synchronize] == nil)
      #expect(cost[.list] == nil && cost[.createFile] == nil)
      #expect(cost[.rename] == nil && cost[.exchange] == nil)
    }
  }

  /// Returns the requests of the third save of an open document: the log is there by then, and full of zeros.
  private static func costOfAutosave(_ count: Int) async throws -> [DiskOperation: Int] {
    let disk = CountingDisk(try await Self.disk(count))
    let clock = ManualClock()
    let document = try await Book.open(on: disk) { options in
      options.autosave = AutosavePolicy()
      options.clock = clock
    }
    var cost: [DiskOperation: Int] = [:]
    for number in 0..<3 {
      try await document.edit { $0.first = "changed \(number)" }
      await clock.nextDeadline()
      let before = disk.counts
      let saved = Task { await document.states(until: .normal, after: .progressAvailable) }
      clock.advance(by: .seconds(2))
      #expect(await saved.value)
      cost = disk.counts.since(before)
      try await document.synchronize()
    }
    try await document.close()
    return cost
  }

  /// Returns the same requests without a document.
  private static func costOfStore(_ count: Int) async throws -> [DiskOperation: Int] {
    let disk = CountingDisk(try await Self.disk(count))
    let store = try await PackageStore.open(Book.path, on: disk)
    _ = try await store.tree.regularFile(at: "5.txt").contents()
    var cost: [DiskOperation: Int] = [:]
    for number in 0..<3 {
      let before = disk.counts
      let child = FileWrapper(regularFileWithContents: Data("changed \(number)".utf8))
      try await store.tree.setDescendant(child, at: "5.txt")
      try await store.save(options: .returnsAtCommit)
      cost = disk.counts.since(before)
      try await store.publish()
    }
    try await store.close()
    return cost
  }

  @Test func `is told as a fraction while it is saved`() async throws {
    let gate = FaultyDisk(try CrashDisk())
    let document = try await DocumentFixture<Pages>.create(Pages(["a.txt": "0"]), on: gate.disk)
    // Two files that are too large for the log.
    let page = String(repeating: "0123456789abcdef", count: 128 << 10)
    try await document.edit { ($0["a.txt"], $0["b.txt"]) = (page, page) }
    #expect(await document.progress == nil)
    gate.close(for: .synchronize)
    let saving = Task { try await document.save() }
    // The first sync is that of the first file, before the save writes the second one.
    await gate.arrival()
    let progress = try #require(await document.progress)
    #expect(progress.fractionCompleted == 0.5)
    #expect(progress.totalBytes == UInt64(2 * page.utf8.count))
    gate.open()
    _ = try await saving.value
    #expect(await document.progress == nil)
    try await document.close()
  }

  @Test func `is little where a thousand are open, and all of them are saved`() async throws {
    // The figures are the process's, which runs other tests, too. They count only if it runs this test alone. Beside
    // other tests, a thousand documents would take the descriptors that those need.
    let isAlone = ProcessInfo.processInfo.environment["ALONE"] == "1"
    let count = isAlone ? 1000 : 50
    let urls = (0..<count).map { URL(filePath: folder.appending("\($0).pages").string) }
    let clock = ManualClock()
    var documents: [Document<Pages>] = []
    let before = ProcessUse.now
    for url in urls {
      documents.append(
        try await Document.create(
          Pages(["a.txt": "0"]), at: url,
          options: .quiet(nil) { options in
            options.autosave = AutosavePolicy()
            options.clock = clock
          }))
    }
    let opened = ProcessUse.now
    try await withThrowingTaskGroup { group in
      for document in documents {
        group.addTask { try await document.edit { $0["a.txt"] = "1" } }
      }
      try await group.waitForAll()
    }
    let most = Mutex(0)
    try await withDeadline("\(count) autosaves") { [documents] in
      for document in documents {
        while await document.hasUnsavedChanges {
          clock.advance(by: .seconds(3))
          await document.performAsynchronousFileAccess {}
        }
        most.withLock { $0 = max($0, ProcessUse.now.threads) }
      }
    }
    let saved = ProcessUse.now
    try await withThrowingTaskGroup { group in
      for document in documents { group.addTask { try await document.close() } }
      try await group.waitForAll()
    }
    for url in urls {
      #expect(try String(decoding: Data(contentsOf: url.appending(path: "a.txt")), as: UTF8.self) == "1")
    }
    print(
      "\(count) documents: \((opened.bytes - before.bytes) / count) bytes each open, "
        + "\((saved.bytes - before.bytes) / count) saved, \(most.withLock { $0 }) threads")
    guard isAlone else { return }
    // A store has a thread only while it has work.
    #expect(most.withLock { $0 } < 64)
    #expect((saved.bytes - before.bytes) / count < 1 << 20)
  }
}

/// The process's use of memory and threads.
private struct ProcessUse {
  var bytes: Int
  var threads: Int

  static var now: ProcessUse {
    let status = (try? String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)) ?? ""
    func field(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line.flatMap { $0.split(whereSeparator: { !$0.isNumber }).first }.flatMap { Int($0) } ?? 0
    }
    return ProcessUse(bytes: field("VmRSS") * 1024, threads: field("Threads"))
  }
}
