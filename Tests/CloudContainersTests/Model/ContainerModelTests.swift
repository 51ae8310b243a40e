import Foundation
import TestSupport
import Testing

@Suite("Up to five devices that are cut off, crash and edit the same documents", .tags(.scale))
struct ContainerModelTests {
  /// The seeds to run: `CLOUD_MODEL_SEEDS` of them, from `CLOUD_MODEL_FIRST` on.
  private static var seeds: [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["CLOUD_MODEL_FIRST"].flatMap(UInt64.init) ?? 1
    let count = environment["CLOUD_MODEL_SEEDS"].flatMap(UInt64.init) ?? 6
    return Array(first..<(first + count))
  }

  @Test func `have the same documents in the end, and lose nothing`() async throws {
    for seed in Self.seeds {
      var model = ContainerModel(seed: seed)
      try await withTemporaryDirectory { directory in try await model.run(in: directory, steps: 60) }
      if !model.problems.isEmpty {
        Issue.record(
          "seed \(seed): \(model.problems.joined(separator: "\n"))\n\(model.log.joined(separator: "\n"))")
      }
    }
  }

  /// Breaks one promise at a time: the model has to notice it.
  @Test(arguments: [
    ContainerModel.Sabotage(store: .createIfAbsentLies), ContainerModel.Sabotage(store: .dropsABlob),
    ContainerModel.Sabotage(hasOverlap: false), ContainerModel.Sabotage(hasGrace: false),
    ContainerModel.Sabotage(asksStore: false),
  ])
  func `notice a sabotage`(_ sabotage: ContainerModel.Sabotage) async throws {
    for seed in UInt64(1)...200 {
      var model = ContainerModel(seed: seed, sabotage: sabotage)
      try await withTemporaryDirectory { directory in try await model.run(in: directory, steps: 60) }
      if let problem = model.problems.first {
        return print("\(sabotage): found by program \(seed): \(problem.prefix(200))")
      }
    }
    Issue.record("200 programs did not notice \(sabotage)")
  }
}
