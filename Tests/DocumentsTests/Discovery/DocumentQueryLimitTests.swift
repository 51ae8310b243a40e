import Dispatch
import Documents
import DurableIO
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// A source that cannot be reached.
private struct LostSource: DocumentSource {
  let sourceRoot: FilePath = "/Lost"

  func sourceDocuments() async throws -> [SourceDocument] {
    throw FilePackageError(.inputOutput, .search, document: "/Lost")
  }

  func changes(every interval: Duration) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

@Suite("The limits of finding", .tags(.process), .temporaryDirectory)
struct DocumentQueryLimitTests {
  @Test func `are said, and what is not watched is looked at from time to time`() async throws {
    for number in 0..<30 { try scratch.makePackage("Folder \(number % 3)/\(number).dnote") }
    let query = DocumentQuery(
      DocumentSearch(in: [scratch.url("")]), options: .hasty, watching: true, maximumWatches: 8)
    query.start()
    await query.update()
    let limitation = try #require(query.limitation)
    #expect(limitation.code == .watchLimit && limitation.description.contains("max_user_watches"))
    #expect(await query.watchCount == 8)
    var heard = HeardResults()
    heard.hear(query)
    for number in 0..<30 { try scratch.save("Folder \(number % 3)/\(number).dnote") }
    try scratch.makePackage("Folder 4/New/New.dnote")
    var updates = query.makeAsyncIterator()
    while heard.counts.changed < 30 || heard.counts.added < 1, let update = await updates.next() {
      heard.hear(update)
    }
    // With fewer folders the watches suffice.
    for number in 0..<3 { try scratch.remove("Folder \(number)") }
    while heard.counts.removed < 30 || query.limitation != nil, let update = await updates.next() {
      heard.hear(update)
      await query.update()
    }
    #expect(query.limitation == nil)
    await query.stop()
  }

  @Test func `say once that a source cannot be reached`() async {
    let query = DocumentQuery(DocumentSearch(in: [URL(filePath: "/Lost")]), of: LostSource(), watching: false)
    query.start()
    for expected in [1, 0] {
      await query.update()
      var problems = 0
      while let update = query.takeUpdate() { if case .unreadable = update { problems += 1 } }
      #expect(problems == expected)
    }
    await query.stop()
  }

  @Test func `are none where everything is looked at anyway`() async throws {
    try scratch.makePackage("One/A.dnote")
    var options = DocumentQuery.Options.patient
    options.polls = true
    let query = DocumentQuery(
      DocumentSearch(in: [scratch.url("")]), options: options, watching: true, maximumWatches: 0)
    var heard = await HeardResults(starting: query)
    try scratch.makeFolder("Two")
    try scratch.rename("One/A.dnote", "Two/B.dnote")
    await heard.update(query)
    #expect(heard.counts.moved == 1 && heard.items.keys.map { $0 } == [scratch.text("Two/B.dnote")])
    await query.stop()
  }

  @Test func `of the system's queue lose nothing`() async throws {
    // The query finds changes that no event reported (Q2).
    let text = try String(
      contentsOf: URL(filePath: "/proc/sys/fs/inotify/max_queued_events"), encoding: .utf8)
    let queue = try #require(Int(text.filter(\.isNumber)))
    try #require(queue <= 100_000, "a queue that takes too long to fill")
    for number in 0..<50 { try scratch.makePackage("One/\(number).dnote") }
    try scratch.makeFolder("Two")
    let query = DocumentQuery(DocumentSearch(in: [scratch.url("")]), options: .patient)
    var heard = await HeardResults(starting: query)
    let (closed, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocked = Task {
      await query.block {
        closed.signal()
        gate.wait()
      }
    }
    try await waiting { closed.wait() }
    // The system merges two equal events in a row.
    let (one, other) = (scratch.text("One/0.dnote"), scratch.text("One/1.dnote"))
    for _ in 0...(queue / 2) {
      chmod(one, 0o700)
      chmod(other, 0o700)
    }
    // The system reports none of these changes.
    for number in 0..<20 { try scratch.rename("One/\(number).dnote", "Two/\(number).dnote") }
    for number in 20..<25 { try scratch.remove("One/\(number).dnote") }
    for number in 25..<30 { try scratch.save("One/\(number).dnote") }
    for number in 0..<5 { try scratch.makePackage("Three/New/\(number).dnote") }
    gate.signal()
    await blocked.value
    await heard.update(query)
    #expect(heard.counts == (added: 5, changed: 5, moved: 20, removed: 5))
    #expect(try heard.items.mapValues(DiscoveryScratch.Found.init) == scratch.walk([""]).normalized)
    // The query watches the documents that it found without an event.
    try scratch.save("Three/New/0.dnote")
    await heard.update(query)
    #expect(heard.counts.changed == 6)
    await query.stop()
  }

  @Test func `of names are those of the file system`() async throws {
    let long = Array(repeating: UInt8(ascii: "n"), count: 249) + Array(".dnote".utf8)
    let invalid = [0xFF, 0xFE] + Array(" \n.dnote".utf8)
    for name in [long, invalid] { try #require(mkdir(scratch.bytes(name), 0o700) == 0) }
    let query = DocumentQuery(DocumentSearch(in: [scratch.url("")], sortedBy: .name), options: .patient)
    var heard = await HeardResults(starting: query)
    #expect(query.results.map(\.filename) == [FileName(bytes: long).string, FileName(bytes: invalid).string])
    #expect(query.results[1].displayName == "\\xFF\\xFE \\x0A")
    let folder = try PosixDisk().openDirectory(at: FilePath(lossless: query.results[1].path))
    withExtendedLifetime(folder) {}
    let other = [0xFE] + Array(".dnote".utf8)
    try #require(rename(scratch.bytes(invalid), scratch.bytes(other)) == 0)
    await heard.update(query)
    #expect(heard.counts.moved == 1 && query.results[1].filename == FileName(bytes: other).string)
    await query.stop()
  }

  @Test func `do not let links lead anywhere`() async throws {
    try scratch.makePackage("One/A.dnote")
    try scratch.makePackage("Outside/B.dnote")
    for (target, name) in [
      (".", "One/loop"), ("../Outside", "One/out"), ("A.dnote", "One/C.dnote"), ("x", "One/no"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: scratch.text(name), withDestinationPath: target)
    }
    // One folder under three names.
    try FileManager.default.createSymbolicLink(atPath: scratch.text("Link"), withDestinationPath: "One")
    let search = DocumentSearch(in: ["One", "One/../One/", "Link"].map(scratch.url))
    #expect(await search.documents().items.map(\.filename) == ["A.dnote"])
  }

  @Test func `of permissions are told, and the rest is found`() async throws {
    // The test runs in a process of its own, which gives up its privileges.
    await #expect(processExitsWith: .success) {
      try await withTemporaryDirectory { folder in
        let scratch = DiscoveryScratch(path: folder.string)
        for name in ["Open", "Closed"] { try scratch.makePackage("\(name)/A.dnote") }
        for name in ["", "Open", "Closed", "Closed/A.dnote"] {
          try #require(chown(scratch.text(name), 65_534, 65_534) == 0)
        }
        try #require(chmod(scratch.text("Closed"), 0) == 0)
        let privileged = geteuid()
        try #require(seteuid(65_534) == 0)
        let query = DocumentQuery(DocumentSearch(in: [scratch.url("")]), options: .patient)
        query.start()
        await query.update()
        // The reading thread has the rights of the process.
        var heard = HeardResults()
        heard.hear(query)
        let closed = scratch.text("Closed")
        precondition(heard.problems == [closed: .permissionDenied], "\(heard.problems)")
        precondition(heard.items.keys.map { $0 } == [scratch.text("Open/A.dnote")], "\(heard.items.keys)")
        // The folder that could not be read is read now (Q3).
        try #require(chmod(closed, 0o700) == 0)
        await heard.update(query)
        precondition(
          heard.problems.isEmpty && heard.items.count == 2, "\(heard.problems) \(heard.items.keys)")
        await query.stop()
        try #require(seteuid(privileged) == 0)
      }
    }
  }
}

extension [String: DiscoveryScratch.Found] {
  /// The same results, with one slash for two in their paths.
  fileprivate var normalized: Self {
    Dictionary(uniqueKeysWithValues: map { ($0.key.replacing("//", with: "/"), $0.value) })
  }
}
