/// What was measured of one way of doing some work.
package struct Measurement: Sendable {
  /// What work it was.
  package var work: Work
  /// The way of doing it, as tables and options name it.
  package var strategy: String
  /// Whether what was written survives a power cut.
  package var durable: Bool?
  /// Whether a power cut leaves all of it or nothing of it.
  package var atomic: Bool?

  /// Why the strategy cannot run here.
  package var unavailable: String?
  /// What went wrong: an error, or something on disk that is not what it should be.
  package var problem: String?

  /// Rounds measured.
  package var rounds = 0
  /// How long it took, in seconds.
  package var seconds: Spread?
  /// How much longer it took than each of the others in the same round.
  package var ratios: [String: Spread] = [:]
  /// What the processor worked for it, in seconds, in this process and in those that it started.
  package var cpuSeconds: Double?
  /// Bytes that it wrote to files; where its system calls are its own, `systemBytes`.
  package var bytesWritten: UInt64?
  /// Bytes that it made the system write to the medium, as the system counts them, where it does: in whole pages, and pages
  /// of files that were written in large pieces may have 1 MiB, of which only what changed is written.
  package var systemBytes: UInt64?
  /// How often it asked the disk to keep something before it returned: fsync(2) and fdatasync(2). Nil where its system
  /// calls are its own.
  package var flushes: Int?
  /// What it asked the disk to do, with what it left to be done after it returned.
  package var operations: [String: Int]?
  /// By how much the memory of this process grew at most in its course; of another program, all that it had.
  package var peakBytes: UInt64?
  /// What else is to be said, such as `threads`.
  package var figures: [String: Double] = [:]

  package init(_ work: Work, strategy: String, durable: Bool? = nil, atomic: Bool? = nil) {
    self.work = work
    self.strategy = strategy
    self.durable = durable
    self.atomic = atomic
  }

  /// Enters the figures of the rounds, and the ratios to what the others took in the same rounds.
  package mutating func summarize(_ samples: [Sample], others: [(name: String, samples: [Sample])]) {
    guard !samples.isEmpty else { return }
    rounds = samples.count
    seconds = Spread(samples.map(\.seconds))
    cpuSeconds = Spread(samples.map(\.cpuSeconds))?.median
    systemBytes = samples.compactMap(\.systemBytes).middle
    peakBytes = samples.compactMap(\.peakBytes).max()
    // Nearly all runs are alike; of a count that differs, what is in the middle.
    let middle = samples.sorted { $0.flushes < $1.flushes }[samples.count / 2]
    if middle.operations.isEmpty {
      bytesWritten = systemBytes
    } else {
      (flushes, operations, bytesWritten) = (middle.flushes, middle.operations, middle.bytesWritten)
    }
    for other in others where other.name != strategy {
      let theirs = Dictionary(other.samples.map { ($0.round, $0.seconds) }, uniquingKeysWith: { $1 })
      ratios[other.name] = Spread(
        samples.compactMap { sample in theirs[sample.round].map { sample.seconds / $0 } })
    }
  }
}

extension [UInt64] {
  fileprivate var middle: UInt64? {
    isEmpty ? nil : sorted()[count / 2]
  }
}
