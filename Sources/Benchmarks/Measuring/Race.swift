/// Rounds in which everybody does the same work in turn, so that whatever else the machine does meanwhile slows all of
/// them alike.
package struct Race: Sendable {
  /// How often each does what is measured; fewer times when `budget` is used up.
  package var rounds = 100
  /// Whether a round before the first one warms everything up.
  package var warmsUp = true
  /// The time after which somebody takes part no more, once they did so three times.
  package var budget = Duration.seconds(20)
  /// Whether the system forgets before each run what it has read from the medium.
  package var isCold = false

  package init() {}

  /// - Parameter made: on the file system that is to be at rest before each run.
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
          if isCold { try PageCache.drop() }
        }
      }
    }
    for entrant in entrants {
      progress("comparing what \(entrant.name) left")
      await entrant.verify()
      entrant.leave()
    }
    return entrants.map { $0.summarized(besides: entrants) }
  }
}
