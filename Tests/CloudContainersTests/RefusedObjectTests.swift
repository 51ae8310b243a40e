import CloudContainers
import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// One object that a service refuses, or answers for with something else.
struct Refusal: Sendable, CustomTestStringConvertible {
  /// What the service does instead of its answer.
  enum Fault: String, CaseIterable { case forbidden, failure, absent, truncated, compressed, page }
  /// The object and the call.
  enum Target: String, CaseIterable {
    case storedContent, readContent, storedEntry, readEntry
  }

  var fault: Fault
  var target: Target

  var testDescription: String { "\(fault), \(target)" }

  static let all = Target.allCases.flatMap { target in
    Fault.allCases.map { Refusal(fault: $0, target: target) }
  }

  /// The method of the call.
  var method: String { [.storedContent, .storedEntry].contains(target) ? "PUT" : "GET" }

  /// Whether one document alone needs the object.
  var concernsDocument: Bool { [.storedContent, .readContent].contains(target) }

  var trouble: S3Server.Trouble {
    switch fault {
    case .forbidden: .refusal(403, "AccessDenied")
    case .failure: .refusal(500, "InternalError")
    case .absent: .refusal(404, "NoSuchKey")
    case .truncated: .truncated
    case .compressed: Self.answer("Content-Encoding: gzip", "no object")
    case .page: Self.answer("Content-Type: text/html; charset=utf-8", "<html>Please sign in.</html>")
    }
  }

  private static func answer(_ field: String, _ body: String) -> S3Server.Trouble {
    .raw("HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }
}

@Suite("One object that the store refuses", .temporaryDirectory)
struct RefusedObjectTests {
  /// A service with a refusal, and machines `a` and `b` that have the same four documents.
  private struct Fixture {
    var server: S3Server
    var a: DeviceFixture
    var b: DeviceFixture
    var names: [String]
    /// Begins or ends the refusal.
    var refuse: (Bool) -> Void
  }

  /// A text that goes as a blob of its own.
  private static func text(_ name: String, _ number: Int) -> String {
    String(repeating: "\(name) \(number)\n", count: 1_000)
  }

  private func with(
    _ refusal: Refusal,
    _ body: (Fixture, _ makeDevice: (String) async throws -> DeviceFixture) async throws -> Void
  ) async throws {
    let path = Mutex<String?>(nil)
    let server = try S3Server { request in
      guard let path = path.withLock({ $0 }), request.method == refusal.method else { return nil }
      return request.path.hasPrefix("/documents/\(path)") ? refusal.trouble : nil
    }
    let store = try server.store()
    let (a, b) = try await DeviceFixture.two(store)
    let names = ["a.txt", "b.txt", "c.txt", "d.txt"]
    for name in names { try a.write(Self.text(name, 1), to: name) }
    try await sync(a, b)
    try await b.container.download(itemsNamed: names)
    try await b.sync()
    let next = try await b.container.session.state.known().position.number + 1
    let key =
      refusal.concernsDocument
      ? BlobName(of: Data(Self.text("b.txt", 2).utf8)).key.string : ContainerLog.key(next).string
    let fixture = Fixture(server: server, a: a, b: b, names: names) { isOn in
      path.withLock { $0 = isOn ? key : nil }
    }
    try await body(fixture) { try await DeviceFixture($0, store) }
  }

  /// Checks that a report has one document's error, and that each message names the document.
  private func expect(_ report: SyncReport, names document: String, _ comment: String) {
    let messages = report.failures.compactMap { $0.error.map { "\($0)" } } + report.problems.map { "\($0)" }
    #expect(!messages.isEmpty, "\(comment)")
    for message in messages {
      #expect(message.contains(document) && !message.contains("\n"), "\(comment): \(message)")
    }
    #expect(!"\(report)".contains("nothing to do"), "\(comment)")
  }

  @Test(arguments: Refusal.all.filter { $0.method == "PUT" })
  func `stops no other document on its way up, and the next run after it brings the rest`(
    refusal: Refusal
  ) async throws {
    try await with(refusal) { fixture, _ in
      let (a, b) = (fixture.a, fixture.b)
      for name in fixture.names { try a.write(Self.text(name, 2), to: name) }
      fixture.refuse(true)
      let others = fixture.names.filter { $0 != "b.txt" }
      for round in 1...2 where refusal.concernsDocument {
        let report = try await a.container.sync()
        #expect(report.documents.filter(\.uploaded).map(\.name).sorted() == (round == 1 ? others : []))
        #expect(report.failures.map(\.name) == ["b.txt"])
        expect(report, names: "b.txt", "round \(round)")
      }
      if refusal.concernsDocument {
        // The news of the others came.
        _ = try await b.container.sync()
        for name in others { #expect(b.text(name) == Self.text(name, 2), "\(name)") }
      } else {
        // An entry has them all. It is told, and nothing here changes.
        let report = try await a.container.sync()
        #expect(report.failures.count == 4 && report.documents.allSatisfy { !$0.uploaded }, "\(report)")
        _ = try? await a.container.sync()
      }
      fixture.refuse(false)
      try await sync(a, b)
      for name in fixture.names {
        #expect(a.text(name) == Self.text(name, 2) && b.text(name) == Self.text(name, 2), "\(name)")
      }
      #expect(try await a.container.check(reads: true).isWhole)
    }
  }

  @Test func `is asked for once in a run, and told once, also beside a conflict`() async throws {
    try await with(Refusal(fault: .forbidden, target: .storedContent)) { fixture, _ in
      let (a, b) = (fixture.a, fixture.b)
      try await b.upload(Self.text("theirs", 2), to: "c.txt")
      for name in ["b.txt", "c.txt"] { try a.write(Self.text(name, 2), to: name) }
      fixture.refuse(true)
      let report = try await a.container.sync()
      #expect(report.documents.contains(where: \.conflict) && report.failures.map(\.name) == ["b.txt"])
    }
  }

  @Test(arguments: Refusal.all.filter { $0.method == "GET" })
  func `stops no other document on its way down, is named by each run, and comes after it`(
    refusal: Refusal
  ) async throws {
    try await with(refusal) { fixture, makeDevice in
      let (a, b) = (fixture.a, fixture.b)
      for name in fixture.names { try a.write(Self.text(name, 2), to: name) }
      try await a.sync()
      fixture.refuse(true)
      let others = fixture.names.filter { $0 != "b.txt" }
      for round in 1...2 {
        if refusal.concernsDocument {
          let report = try await b.container.sync()
          expect(report, names: "b.txt", "round \(round)")
          for name in others { #expect(b.text(name) == Self.text(name, 2), "\(name)") }
        } else {
          await #expect(throws: CloudDataError.self) { try await b.container.sync() }
        }
        #expect(b.text("b.txt") == Self.text("b.txt", 1))
      }
      if refusal.concernsDocument {
        let item = try #require(try await b.container.items().first { $0.name == "b.txt" })
        #expect((item.downloadingError ?? item.uploadingError) != nil)
        let check = try await a.container.check(reads: true)
        #expect(!check.isWhole && check.problems.allSatisfy { "\($0)".contains("b.txt") }, "\(check)")
        let repair = try await a.container.repair(reads: true)
        #expect(
          !repair.check.isWhole && repair.check.problems.allSatisfy { "\($0)".contains("b.txt") },
          "\(repair.check)")
        // A new machine has the others, and names this one.
        let c = try await makeDevice("c")
        #expect(try await c.container.sync().problems.isEmpty)
        let failed = Mutex<[String]>([])
        try await c.container.download(itemsNamed: fixture.names) { name, outcome in
          if case .failure = outcome { failed.withLock { $0.append(name) } }
        }
        #expect(failed.withLock { $0 } == ["b.txt"])
        // A collection removes nothing that a version needs.
        let keys = Set(fixture.server.objects.keys.filter { $0.hasPrefix("blobs/") })
        _ = try await a.container.collectGarbage(isDryRun: false)
        #expect(Set(fixture.server.objects.keys.filter { $0.hasPrefix("blobs/") }) == keys)
      }
      fixture.refuse(false)
      try await sync(b, a)
      for name in fixture.names { #expect(b.text(name) == Self.text(name, 2), "\(name)") }
      for item in try await b.container.items() {
        #expect(item.downloadingError == nil && item.uploadingError == nil, "\(item)")
      }
      #expect(try await a.container.check(reads: true).isWhole)
    }
  }

  @Test(arguments: ["log/0000000000000001", "state/"])
  func `is read in another way, by a machine that is new`(refused: String) async throws {
    let isOn = Mutex(false)
    let server = try S3Server { request in
      guard isOn.withLock({ $0 }), request.method == "GET" else { return nil }
      return request.path.hasPrefix("/documents/\(refused)") ? .refusal(403, "AccessDenied") : nil
    }
    let a = try await DeviceFixture("a", in: folder, server.store())
    try a.write("one", to: "a.txt")
    // More entries than a new machine reads one by one.
    for number in 1...20 {
      try await a.upload("\(number)", to: "b.txt")
    }
    // It stores a snapshot.
    #expect(try await a.container.repair().check.isWhole)
    isOn.withLock { $0 = true }
    let b = try await DeviceFixture("b", in: folder, server.store())
    try await b.sync()
    #expect(try await b.container.items().map(\.name) == ["a.txt", "b.txt"])
  }

  @Test func `stays if a collection of garbage may not remove it, and stops no upload`() async throws {
    let server = try S3Server { $0.method == "DELETE" ? .refusal(403, "AccessDenied") : nil }
    let store = try server.store()
    let a = try await DeviceFixture("a", in: folder, store)
    let b = try await DeviceFixture("b", in: folder, store)
    try a.write("one", to: "Notes.txt")
    try await sync(a, b)
    let name = BlobName(of: Data("no version needs it".utf8))
    try await store.put(Data("no version needs it".utf8), at: name.key)
    let report = try await a.container.collectGarbage(isDryRun: false)
    #expect(report.blobs == 0 && report.keptBlobs == 1)
    #expect(report.problems.map(\.key) == [name.key.string], "\(report)")
    // The collection has ended.
    try b.write("two", to: "Other.txt")
    #expect(try await b.sync().documents.map(\.uploaded) == [true])
  }

  @Test func `leaves no version without content if the object's place has a folder`() async throws {
    let place = folder.appending("store")
    let key = BlobName(of: Data("one".utf8)).key
    try createFolder(at: place.appending(key.string))
    let store = FolderStore(place, on: PosixDisk())
    let a = try await DeviceFixture("a", store, enclosesSmall: false)
    try a.write("one", to: "one.txt")
    try a.write("two", to: "two.txt")
    let failure = try #require(try await a.container.sync().failures.first)
    #expect(failure.name == "one.txt" && (failure.error as? CloudDataError)?.key == key.string)
    #expect(try await StoredLog(store).heads.map(\.name) == ["two.txt"])
  }

  @Test func `is the container's if the listing fails, too`() async throws {
    let isOff = Mutex(false)
    let server = try S3Server { _ in isOff.withLock { $0 } ? .refusal(403, "AccessDenied") : nil }
    let a = try await DeviceFixture("a", server.store())
    try a.write("one", to: "Notes.txt")
    isOff.withLock { $0 = true }
    await TestSupport.expect(\ObjectStoreError.code, .forbidden) { try await a.container.sync() }
  }
}
