/// Rounds in which all entrants do the same work in turn, so that other load on the machine slows all of them
/// alike.
package struct Race: Sendable {
  /// The number of measured runs of each entrant; fewer if `budget` is used up.
  package var rounds = 100
  /// Whether an extra round warms everything up first.
  package var warmsUp = true
  /// The measured time after which an entrant with three runs leaves the race.
  package var budget = Duration.seconds(20)
  /// Whether the system's cache is dropped before each run.
  package var isCold = false

  package init() {}

  /// - Parameter made: a folder on the file system that must be at rest before each run.
  func run(
    _ entrants: [Entrant], in made: BenchmarkFolder, _ progress: (String) -> Void
  ) async -> [Measurement] {
    for round in (warmsUp ? 0 : 1)...max(rounds, 1) {
      let running = entrants.filter { $0.isRunning && ($0.time < budget || $0.samples.count < 3) }
      if running.isEmpty { break }
      for turn in running.indices {
        let entrant = running[(turn + round) % running.count]
        progress("round \(round) of \(rounds): \(entrant.name)")
        await entrant.run(round: round == 0 ? nil : round) {
          try made.rest(seconds: Int64(round))
          if isCold { try KernelPageCache.drop() }
        }
      }
    }
    for entrant in entrants {
      progress("comparing the result of \(entrant.name)")
      await entrant.verify()
      entrant.leave()
    }
    return entrants.map { $0.summarized(besides: entrants) }
  }
}
