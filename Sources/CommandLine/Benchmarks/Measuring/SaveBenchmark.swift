import DurableIO
import Glibc
package import SystemPackage

/// A benchmark of saves of a package by several strategies.
///
/// In each round all strategies make the same save in turn, so that other load on the machine slows all of them alike.
package struct SaveBenchmark: Sendable {
  /// The strategies, in the order of the results.
  package var strategies: [any SaveStrategy.Type]
  /// The number of measured saves of each strategy. One more, which warms up, does not count.
  package var rounds = 100
  /// The measured time after which a strategy ends, but not before three rounds.
  package var budget = Duration.seconds(20)

  package init(strategies: [any SaveStrategy.Type] = Self.allStrategies) {
    self.strategies = strategies
  }

  package static var allStrategies: [any SaveStrategy.Type] {
    [
      FloorStrategy.self, JournalStrategy.self, PublishedStrategy.self, SQLiteStrategy.self,
      NaiveStrategy.self,
      LinksStrategy.self, FullStrategy.self,
    ]
  }

  /// Measures all strategies with packages like the model, in a temporary directory in `folder`.
  ///
  /// In a cancelled task it ends after the present save; its results are then incomplete.
  ///
  /// - Parameter progress: receives the present step in a few words.
  /// - Throws: `BenchmarkError` for an error of that directory. A strategy's error is in its result.
  package func run(
    _ model: ModelPackage, in folder: FilePath, progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [Measurement] {
    try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      var trials: [Trial] = []
      for type in strategies where !Task.isCancelled {
        progress("making \(model.childCount) children for \(type.name)")
        trials.append(
          await Trial(type, model, at: SavePlace(folder: try made.folder(type.name), disk: PosixDisk())))
      }
      // This sync keeps earlier writes out of the rounds.
      sync()
      for round in 0...max(rounds, 1) {
        let running = trials.filter { $0.isRunning && ($0.time < budget || $0.samples.count < 3) }
        for turn in running.indices where !Task.isCancelled {
          let trial = running[(turn + round) % running.count]
          progress("round \(round) of \(rounds): \(trial.name)")
          await trial.run(round: round) { try made.rest(seconds: Int64(round)) }
        }
      }
      for trial in trials where !Task.isCancelled {
        progress("comparing the result of \(trial.name)")
        await trial.verify()
      }
      return trials.map { $0.summarized(besides: trials) }
    }
  }
}
