import Benchmarks
import TestSupport
import Testing

/// The disk operations of a save of one child of 300, without history but with all deferred work. No noise changes
/// these counts. A change that makes a save need more operations must raise a count here; fewer operations always
/// pass.
@Suite("The operations of a save", .temporaryDirectory)
struct OperationCountTests {
  private static let most = [
    "createFile": 2, "exchange": 2, "extendedAttributes": 2, "lock": 2, "lockByte": 2, "openDirectory": 6,
    "openFile": 4, "openFileForWriting": 1, "read": 5, "removeFile": 2, "room": 1, "setModified": 2,
    "status": 27, "synchronize": 3, "synchronizeData": 1, "write": 6,
  ]

  @Test func `are no more than they were`() async throws {
    let types = SaveBenchmark.allStrategies.filter { ["journal", "published"].contains($0.name) }
    var benchmark = SaveBenchmark(strategies: types)
    benchmark.rounds = 7
    benchmark.budget = .seconds(3600)
    let results = try await benchmark.run(.init(childCount: 300, changedCount: 1, size: 4096), in: folder)
    #expect(results.map(\.strategy) == ["journal", "published"])
    for result in results {
      #expect(result.problem == nil)
      for (name, count) in try #require(result.operations) {
        #expect(count <= Self.most[name] ?? 0, "\(result.strategy): \(name)")
      }
    }
    #expect(results.first?.synchronizations == 1)
  }
}
