/// Rounds in which all trials do the same work in turn, so that other load on the machine slows all of them alike.
package struct RoundRobin: Sendable {
  /// The number of measured runs of each trial; fewer if `budget` is used up.
  package var rounds = 100
  /// Whether an extra round warms everything up first.
  package var warmsUp = true
  /// The measured time after which a trial with three runs is done.
  package var budget = Duration.seconds(20)
  /// Whether the system's cache is dropped before each run.
  package var isCold = false

  package init() {}

  /// - Parameter made: a folder on the file system that must be at rest before each run.
  func run(
    _ trials: [Trial], in made: BenchmarkFolder, _ progress: (String) -> Void
  ) async -> [Measurement] {
    for round in (warmsUp ? 0 : 1)...max(rounds, 1) {
      let running = trials.filter { $0.isRunning && ($0.time < budget || $0.samples.count < 3) }
      if running.isEmpty { break }
      for turn in running.indices {
        let trial = running[(turn + round) % running.count]
        progress("round \(round) of \(rounds): \(trial.name)")
        await trial.run(round: round == 0 ? nil : round) {
          try made.rest(seconds: Int64(round))
          if isCold { try KernelPageCache.drop() }
        }
      }
    }
    for trial in trials {
      progress("comparing the result of \(trial.name)")
      await trial.verify()
      trial.leave()
    }
    return trials.map { $0.summarized(besides: trials) }
  }
}
