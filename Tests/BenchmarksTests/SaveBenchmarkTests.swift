import Benchmarks
import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A benchmark of saves", .tags(.scale), .temporaryDirectory)
struct SaveBenchmarkTests {
  private func results(
    of strategies: [any SaveStrategy.Type],
    _ model: ModelPackage = .init(childCount: 7, changedCount: 3, size: 50)
  ) async throws -> [Measurement] {
    var benchmark = SaveBenchmark(strategies: strategies)
    benchmark.rounds = 4
    // The budget suffices for any machine.
    benchmark.budget = .seconds(3600)
    let results = try await benchmark.run(model, in: folder)
    let disk = PosixDisk()
    #expect(try disk.list(disk.openDirectory(at: folder)).count == 0)
    return results
  }

  @Test func `finds every strategy's package as the model is, and compares each with each`() async throws {
    let results = try await results(of: SaveBenchmark.allStrategies)
    #expect(results.allSatisfy { $0.problem == nil }, "\(results.compactMap(\.problem))")
    #expect(results.allSatisfy { $0.rounds == 4 && $0.ratios.count == results.count - 1 })
    #expect(results.first { $0.strategy == "journal" }?.synchronizations == 1)
  }

  @Test func `takes packages of one child, and changes of all children`() async throws {
    for model in [
      ModelPackage(childCount: 1, changedCount: 1, size: 1),
      ModelPackage(childCount: 9, changedCount: 9, size: 70_000),
    ] {
      let results = try await results(of: SaveBenchmark.allStrategies, model)
      #expect(results.allSatisfy { $0.problem == nil }, "\(results.compactMap(\.problem))")
    }
  }

  enum Wrong: String, CaseIterable {
    case forgets = "differs from the last save"
    case more = "there are 9 files, but 8 were saved"
    case fails = "Input/output error"

    var strategy: any SaveStrategy.Type {
      switch self {
      case .forgets: ForgettingChild.self
      case .more: LeavingOneMore.self
      case .fails: FailingInTheMiddle.self
      }
    }
  }

  @Test(arguments: Wrong.allCases)
  func `says of a wrong strategy what is wrong, and measures the others`(wrong: Wrong) async throws {
    let results = try await results(of: [wrong.strategy, StrategyToCompare.self])
    #expect(results[0].problem?.contains(wrong.rawValue) == true, "\(results[0].problem ?? "nothing")")
    #expect(results[1].problem == nil && results[1].rounds == 4)
  }

  @Test func `counts what a strategy asks the disk to do`() async throws {
    let result = try #require(try await results(of: [StrategyToCompare.self]).first)
    // 3 children of 50 bytes, and the metadata.
    #expect(result.synchronizations == 5 && result.bytesWritten == 1_550)
    #expect(
      result.operations == [
        "openDirectory": 2, "createFile": 4, "write": 4, "rename": 4, "synchronize": 5,
      ])
  }

  @Test func `stops a strategy whose time is used up, not before its third round`() async throws {
    var benchmark = SaveBenchmark(strategies: [StrategyToCompare.self])
    benchmark.budget = .nanoseconds(1)
    let result = try await benchmark.run(.init(childCount: 1, changedCount: 1, size: 1), in: folder)[0]
    #expect(result.rounds == 3 && result.problem == nil)
  }
}

/// The strategy `naive`, for subclasses with errors.
private class StrategyToCompare: DirectSaveStrategy {
  class var name: String { "compare" }
  let place: SavePlace
  let base: any SaveStrategy

  required init(_ model: ModelPackage, at place: SavePlace) throws {
    self.place = place
    base = try Self.naive.init(model, at: place)
  }

  private static var naive: any DirectSaveStrategy.Type {
    get throws {
      let found = SaveBenchmark.allStrategies.first { $0.name == "naive" } as? any DirectSaveStrategy.Type
      return try #require(found)
    }
  }

  func save(_ change: SaveChange) async throws {
    try await base.save(change)
  }

  func verify(_ model: ModelPackage) async throws {
    try await base.verify(model)
  }
}

/// A strategy that omits the last child of each change.
private final class ForgettingChild: StrategyToCompare {
  override class var name: String { "forgets" }

  override func save(_ change: SaveChange) async throws {
    var change = change
    change.children.removeLast()
    try await super.save(change)
  }
}

/// A strategy that saves everything, and makes another child.
private final class LeavingOneMore: StrategyToCompare {
  override class var name: String { "more" }

  override func save(_ change: SaveChange) async throws {
    var change = change
    change.children.append(.init(number: 0, name: "more", contents: change.metadata))
    try await super.save(change)
  }
}

/// A strategy whose second save fails.
private final class FailingInTheMiddle: StrategyToCompare {
  override class var name: String { "fails" }
  private var saves = 0

  override func save(_ change: SaveChange) async throws {
    saves += 1
    if saves == 2 { throw SystemError("fsync", code: .ioError) }
    try await super.save(change)
  }
}
