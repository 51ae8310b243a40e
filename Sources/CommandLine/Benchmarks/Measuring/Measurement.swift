/// The measurements of one way to do some work.
package struct Measurement: Sendable {
  /// The work.
  package var work: Work
  /// The name of the way in tables and options.
  package var strategy: String
  /// Whether the saved state is durable.
  package var durable: Bool?
  /// Whether a power cut leaves all of a save or nothing of it.
  package var atomic: Bool?

  /// The reason why the strategy cannot run here.
  package var unavailable: String?
  /// A failure: an error, or a wrong result on disk.
  package var problem: String?

  /// The number of measured rounds.
  package var rounds = 0
  /// The elapsed times in seconds.
  package var seconds: Spread?
  /// The ratios to the times of the other ways in the same rounds.
  package var ratios: [String: Spread] = [:]
  /// Processor time in seconds, of this process and of the programs that it started.
  package var cpuSeconds: Double?
  /// Bytes that the way wrote to files; `systemBytes` if it makes its own system calls.
  package var bytesWritten: UInt64?
  /// Bytes that the system counts as written to the device, if it tells them. It counts whole pages. Files that
  /// were written in large pieces may have pages of 1 MiB, although only changed bytes are written.
  package var systemBytes: UInt64?
  /// The number of syncs before the way returned: fsync(2) and fdatasync(2). Nil if it makes its own system calls.
  package var flushes: Int?
  /// The requests to the disk, including those after the way returned.
  package var operations: [String: Int]?
  /// The greatest growth of this process's memory; for another program, all its memory.
  package var peakBytes: UInt64?
  /// Further figures, such as `threads`.
  package var figures: [String: Double] = [:]

  package init(_ work: Work, strategy: String, durable: Bool? = nil, atomic: Bool? = nil) {
    self.work = work
    self.strategy = strategy
    self.durable = durable
    self.atomic = atomic
  }

  /// Enters the figures of the rounds, and the ratios to the other ways in the same rounds.
  package mutating func summarize(_ samples: [Sample], others: [(name: String, samples: [Sample])]) {
    guard !samples.isEmpty else { return }
    rounds = samples.count
    seconds = Spread(samples.map(\.seconds))
    cpuSeconds = Spread(samples.map(\.cpuSeconds))?.median
    systemBytes = samples.compactMap(\.systemBytes).middle
    peakBytes = samples.compactMap(\.peakBytes).max()
    // Nearly all runs have equal counts; otherwise the median run serves.
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
