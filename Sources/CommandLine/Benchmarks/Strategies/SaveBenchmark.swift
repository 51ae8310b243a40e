import DurableIO
import Glibc
package import SystemPackage

/// A benchmark of saves of a package by several strategies.
package struct SaveBenchmark {
  /// The strategies, in the order of the results.
  package var strategies: [any SaveStrategy.Type]
  package var schedule = RoundRobin()
  package var flushing = Flushing.asItIs
  /// The path of `docpkg`, for strategies that run it.
  package var command: FilePath?

  package init(strategies: [any SaveStrategy.Type]) {
    self.strategies = strategies
  }

  /// All strategies; those that run whole commands come last.
  package static var allStrategies: [any SaveStrategy.Type] { inProcess + wholeCommands }

  /// The strategies that run in this process.
  package static var inProcess: [any SaveStrategy.Type] {
    [
      FloorStrategy.self, JournalStrategy.self, PublishedStrategy.self, RebuiltStrategy.self,
      StagedStrategy.self,
      SQLiteStrategy.self, SQLiteRollbackStrategy.self, NaiveStrategy.self, EachStrategy.self,
      LinksStrategy.self, ReflinksStrategy.self, FullStrategy.self,
    ]
  }

  /// The strategies that run other programs from start to end.
  package static var wholeCommands: [any SaveStrategy.Type] {
    [
      CommandStrategy.self, GitStrategy.self, ZipStrategy.self, PythonStrategy.self, RsyncStrategy.self,
      CopyStrategy.self,
    ]
  }

  /// Measures all strategies with packages like the model, in a temporary directory in `folder`.
  ///
  /// - Parameter progress: receives the present step in a few words.
  /// - Throws: `BenchmarkError` for an error of that directory. A strategy's error is in its result.
  package func run(
    _ model: ModelPackage, in folder: FilePath, progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [Measurement] {
    var work = Work(
      "save", children: model.childCount, changed: model.changedCount, size: model.size)
    work.flushes = flushing != .leftOut
    if case .slower(let delay) = flushing { work.flushDelay = delay / .seconds(1) }
    return try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      var trials: [Trial] = []
      for type in strategies {
        progress("making \(model.childCount) children for \(type.name)")
        let place = SavePlace(
          folder: try made.folder(type.name), disk: PosixDisk(), flushing: flushing, command: command)
        let blank = Measurement(
          work, strategy: type.name, durable: type.isDurable && work.flushes, atomic: type.isAtomic)
        trials.append(await Trial(blank) { try await SaveWorkload(type, model, at: place) })
      }
      // This sync keeps earlier writes out of the rounds.
      sync()
      return await schedule.run(trials, in: made, progress)
    }
  }
}
