import CloudContainers
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

  /// Runs the program of each seed.
  private static func run(_ model: (_ seed: UInt64) -> ContainerModel) async throws {
    for seed in seeds {
      var model = model(seed)
      try await withTemporaryDirectory { directory in try await model.run(in: directory, steps: 60) }
      if !model.problems.isEmpty {
        Issue.record(
          "seed \(seed): \(model.problems.joined(separator: "\n"))\n\(model.log.joined(separator: "\n"))")
      }
    }
  }

  @Test func `have the same documents in the end, and lose nothing`() async throws {
    try await Self.run { ContainerModel(seed: $0) }
  }

  @Test func `have all that is on one of them in the container after a repair, and the names of the rest`()
    async throws
  {
    try await Self.run { ContainerModel(seed: $0, losesObjects: true) }
  }

  @Test func `have no conflict if there is only one of them`() async throws {
    try await Self.run { ContainerModel(seed: $0, isAlone: true) }
  }

  /// Breaks one promise at a time: the model has to notice it.
  ///
  /// A program that fails without the sabotage notices nothing.
  @Test(arguments: [
    ContainerModel.Sabotage(store: .createIfAbsentLies), ContainerModel.Sabotage(store: .dropsABlob),
    ContainerModel.Sabotage(rules: .all.subtracting(.chain)),
    ContainerModel.Sabotage(rules: .all.subtracting(.names)),
    ContainerModel.Sabotage(rules: .all.subtracting(.pending)),
    ContainerModel.Sabotage(rules: .all.subtracting(.collections)),
    ContainerModel.Sabotage(rules: .all.subtracting(.common)), ContainerModel.Sabotage(repairs: false),
  ])
  func `notice a sabotage`(_ sabotage: ContainerModel.Sabotage) async throws {
    // A device that forgets its pending entry takes its own version for one of another device.
    let (losesObjects, isAlone) = (!sabotage.repairs, !sabotage.rules.contains(.pending))
    func problem(_ seed: UInt64, _ sabotage: ContainerModel.Sabotage) async throws -> String? {
      var model = ContainerModel(seed: seed, sabotage: sabotage, losesObjects: losesObjects, isAlone: isAlone)
      try await withTemporaryDirectory { directory in try await model.run(in: directory, steps: 60) }
      return model.problems.first
    }
    for seed in UInt64(1)...1_000 {
      if let found = try await problem(seed, sabotage), try await problem(seed, .init()) == nil {
        return print("\(sabotage): found by program \(seed): \(found.prefix(200))")
      }
    }
    Issue.record("1,000 programs did not notice \(sabotage)")
  }
}
