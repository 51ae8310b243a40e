import Benchmarks
import SystemPackage
import TestSupport
import Testing

/// The disk operations of a save of one child of 300, without history but with all deferred work. No noise changes
/// these counts. A change that makes a save need more operations must raise a count here; fewer operations always
/// pass.
@Suite("The operations of a save")
struct OperationCountTests {
  private static let most: [String: [String: Int]] = [
    "journal": [
      "createFile": 2, "exchange": 2, "extendedAttributes": 2, "lock": 2, "lockByte": 2, "openDirectory": 6,
      "openFile": 4, "openFileForWriting": 1, "read": 5, "removeFile": 2, "room": 1, "setModified": 2,
      "startWriting": 2, "status": 27, "synchronize": 3, "synchronizeData": 1, "write": 6,
    ],
    "published": [
      "createFile": 2, "exchange": 2, "extendedAttributes": 2, "lock": 2, "lockByte": 2, "openDirectory": 6,
      "openFile": 4, "openFileForWriting": 1, "read": 5, "removeFile": 2, "room": 1, "setModified": 2,
      "startWriting": 2, "status": 27, "synchronize": 3, "synchronizeData": 1, "write": 6,
    ],
    "rebuilt": [
      "createFile": 2, "exchange": 2, "extendedAttributes": 2, "lock": 2, "lockByte": 2, "openDirectory": 6,
      "openFile": 4, "openFileForWriting": 1, "read": 5, "removeFile": 2, "room": 1, "setModified": 2,
      "startWriting": 2, "status": 330, "synchronize": 3, "synchronizeData": 1, "write": 6,
    ],
    "staged": [
      "createFile": 4, "exchange": 1, "extendedAttributes": 3, "link": 299, "list": 6, "lock": 4,
      "lockByte": 3,
      "makeDirectory": 3, "openDirectory": 20, "openFile": 6, "openFileForWriting": 1, "read": 5,
      "removeDirectory": 3, "removeFile": 303, "setMode": 1, "setModified": 1, "status": 352,
      "synchronize": 5,
      "write": 3,
    ],
  ]

  @Test func `are no more than they were`() async throws {
    try await withTemporaryDirectory { folder in
      let types = SaveBenchmark.inProcess.filter { Self.most[$0.name] != nil }
      var benchmark = SaveBenchmark(strategies: types)
      benchmark.schedule.rounds = 7
      benchmark.schedule.budget = .seconds(3600)
      let results = try await benchmark.run(.init(childCount: 300, changedCount: 1, size: 4096), in: folder)
      #expect(results.count == Self.most.count)
      for result in results {
        #expect(result.problem == nil)
        let operations = try #require(result.operations)
        for (name, count) in operations {
          let most = Self.most[result.strategy]?[name] ?? 0
          #expect(count <= most, "\(result.strategy): \(name)")
        }
      }
      #expect(results.first { $0.strategy == "journal" }?.flushes == 1)
    }
  }
}
