import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("The probe of a store", .temporaryDirectory)
struct StoreProbeTests {
  @Test func `refuses a store that lets several writers make one object`() async throws {
    let store = MemoryStore { $0.operation == .put ? .droppedCondition : nil }
    let report = try await StoreProbe(store).run()
    #expect(report.violations.contains(.severalWinners))
    #expect("\(report)".hasPrefix("The store cannot hold a container: it lets several writers"))
    let server = try S3Server { $0.method == "PUT" ? .droppedCondition : nil }
    #expect(try await StoreProbe(server.store()).run().violations.contains(.severalWinners))
  }

  @Test func `tells the broken promise, and not the strange listing that it leads to`() async throws {
    let listing = """
      HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone
      """
    let server = try S3Server {
      $0.method == "PUT" ? .droppedCondition : $0.query.contains("list-type") ? .raw(listing) : nil
    }
    #expect(try await StoreProbe(server.store()).run().violations == [.severalWinners])
    #expect(server.objects.isEmpty)
  }

  @Test func `leaves no folder in a store of files`() async throws {
    #expect(try await StoreProbe(FolderStore(at: URL(filePath: folder.string))).run().isSound)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.string)
    #expect(names.filter { !$0.hasPrefix(".") } == [])
  }

  @Test func `refuses a store that lists late`() async throws {
    let store = MemoryStore { $0.operation == .list ? .staleAnswer : nil }
    #expect(try await StoreProbe(store).run().violations.contains(.lateListing))
  }

  @Test func `refuses a store that returns stale reads`() async throws {
    let store = MemoryStore { $0.operation == .get ? .staleAnswer : nil }
    #expect(try await StoreProbe(store).run().violations.contains(.staleRead))
  }

  /// A store that breaks one promise.
  private struct BrokenStore: ObjectStore {
    let base: any ObjectStore
    let violation: StoreProbe.Violation

    var place: String { base.place }

    func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
      switch (call, violation) {
      case (.put(let bytes, let key, let ifAbsent), .otherBytes):
        return try await base.send(.put(Data(bytes.reversed()), at: key, ifAbsent: ifAbsent))
      // The whole object, as of a server that does not know `Range`.
      case (.get(let key, _), .wrongRange): return try await base.send(.get(key, limit: .max))
      case (.list(let prefix, let start, let limit), .wrongOrder):
        var page = try await base.list(prefix, after: start, limit: limit)
        page.objects.reverse()
        return .page(page)
      case (.delete, .notRemoved): return .removed
      default: return try await base.send(call)
      }
    }
  }

  @Test(arguments: [StoreProbe.Violation.otherBytes, .wrongRange, .wrongOrder, .notRemoved])
  func `refuses a store that breaks one of the other promises`(_ violation: StoreProbe.Violation) async throws
  {
    let report = try await StoreProbe(BrokenStore(base: MemoryStore(), violation: violation)).run()
    #expect(report.violations == [violation] && !report.isSound)
  }

  @Test func `says why it could not look, and removes what it made`() async throws {
    let store = MemoryStore { $0.operation == .list ? .refusal(.forbidden) : nil }
    await expect(\ObjectStoreError.code, .forbidden) { try await StoreProbe(store).run() }
    #expect(store.keys == [])
  }
}

@Suite("A store that tries again")
struct RetryingStoreTests {
  @Test func `waits twice as long each time, and ends`() async throws {
    let waits = Mutex<[Duration]>([])
    let base = MemoryStore { _ in .refusal(.serverFailure) }
    let store = RetryingStore(
      base, policy: .init(attempts: 5, firstWait: .seconds(1), longestWait: .seconds(3))
    ) { wait in
      waits.withLock { $0.append(wait) }
    }
    let error = await #expect(throws: ObjectStoreError.self) { try await store.get("a") }
    #expect(error?.code == .serverFailure && base.callCount == 5)
    let bounds: [ClosedRange<Duration>] = [
      .seconds(0.5) ... .seconds(1), .seconds(1) ... .seconds(2), .seconds(1.5) ... .seconds(3),
      .seconds(1.5) ... .seconds(3),
    ]
    #expect(waits.withLock { $0.count == 4 && zip($0, bounds).allSatisfy { $1.contains($0) } })
  }

  @Test func `does not repeat a call that cannot succeed`() async throws {
    let base = MemoryStore { _ in .refusal(.forbidden) }
    await #expect(throws: ObjectStoreError.self) { try await RetryingStore(base).get("a") }
    #expect(base.callCount == 1)
  }

  @Test func `counts an object with its bytes as its own, and no other`() async throws {
    // The second call loses its answer, and so does the fourth one.
    let base = MemoryStore { [1, 3].contains($0.number) ? .lostAnswer : nil }
    let store = RetryingStore(base, sleep: { _ in })
    try await store.put(Data("theirs".utf8), at: "b")
    #expect(try await store.put(Data("mine".utf8), at: "a", ifAbsent: true))
    #expect(try await store.put(Data("mine".utf8), at: "b", ifAbsent: true) == false)
  }
}

@Suite("A folder that a program copies between machines", .temporaryDirectory)
struct CopiedFolderTests {
  @Test(arguments: [
    (".stfolder", true, "Syncthing"), (".dropbox", false, "Dropbox"), (".dropbox.cache", true, "Dropbox"),
    (".sync_1f2e3d.db", false, "Nextcloud"), ("._sync_1f2e3d.db", false, "Nextcloud"),
  ])
  func `is no store`(mark: String, isFolder: Bool, program: String) async throws {
    let directory = folder
    let root = URL(filePath: directory.string, directoryHint: .isDirectory)
    let folder = root.appending(path: "Documents/disk")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = try FolderStore(at: folder)
    #expect(try await StoreProbe(store).run().isSound)
    let place = root.appending(path: "Documents/\(mark)")
    if isFolder {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    } else {
      try Data().write(to: place)
    }
    #expect(try await StoreProbe(RetryingStore(store)).run().violations == [.copied])
    let error = await #expect(throws: ObjectStoreError.self) { try await StoreProbe(store).check() }
    #expect(error?.code == .unsound && error?.reason?.contains(program) == true)
    // Also by a link from another place.
    let link = root.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    #expect(try FolderStore(at: link).synchronizingProgram == program)
  }

  @Test func `is not one with the settings of Dropbox around it`() throws {
    let root = URL(filePath: folder.string, directoryHint: .isDirectory)
    for name in ["disk", ".dropbox"] {
      try createFolder(at: root.appending(path: name))
    }
    #expect(try FolderStore(at: root.appending(path: "disk")).synchronizingProgram == nil)
  }
}
