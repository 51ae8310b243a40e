/// What was measured of one strategy with one package.
package struct SaveResult: Sendable, Encodable {
  /// The strategy's name.
  package var strategy: String
  /// The package's children.
  package var children: Int
  /// How many of them each save was about.
  package var changed: Int
  /// Bytes of each child.
  package var size: Int
  /// Whether what was saved survives a power cut.
  package var durable: Bool
  /// Whether a power cut leaves all of a save or nothing of it.
  package var atomic: Bool

  /// Why the strategy cannot run here.
  package var unavailable: String?
  /// What went wrong: an error, or a package on disk that is not what was saved.
  package var problem: String?

  /// Rounds measured.
  package var rounds = 0
  /// What a save took, in seconds.
  package var medianSeconds: Double?
  /// What a tenth of the saves took less than, in seconds.
  package var p10: Double?
  /// What a tenth of the saves took more than, in seconds.
  package var p90: Double?
  /// Median of how much longer it took than another strategy in the same round, for each of the others.
  package var ratios: [String: Double] = [:]
  /// Bytes that a save wrote to files; where the strategy's system calls are its own, `systemBytes`.
  package var bytesWritten: UInt64?
  /// Bytes that a save made the system write to the medium, as the system counts them, where it does: in whole
  /// pages, and pages of files that were written in large pieces may have 1 MiB, of which only what changed is
  /// written.
  package var systemBytes: UInt64?
  /// How often a save asked the disk to keep something before it returned: fsync(2) and fdatasync(2). Nil where the strategy's
  /// system calls are its own.
  package var flushes: Int?
  /// What a save asked the disk to do, with what it left to be done after it returned.
  package var operations: [String: Int]?

  package init(strategy: String, children: Int, changed: Int, size: Int, durable: Bool, atomic: Bool) {
    self.strategy = strategy
    self.children = children
    self.changed = changed
    self.size = size
    self.durable = durable
    self.atomic = atomic
  }
}

/// What was measured of one save.
package struct SaveSample: Sendable {
  package var round: Int
  package var seconds: Double
  package var bytesWritten: UInt64
  package var systemBytes: UInt64?
  package var flushes: Int
  package var operations: [String: Int]

  package init(
    round: Int, seconds: Double, bytesWritten: UInt64, systemBytes: UInt64?, flushes: Int,
    operations: [String: Int]
  ) {
    self.round = round
    self.seconds = seconds
    self.bytesWritten = bytesWritten
    self.systemBytes = systemBytes
    self.flushes = flushes
    self.operations = operations
  }
}

extension SaveResult {
  /// Enters the figures of the rounds, and the ratios to what the others took in the same rounds.
  package mutating func summarize(_ samples: [SaveSample], others: [(name: String, samples: [SaveSample])]) {
    guard !samples.isEmpty else { return }
    let seconds = samples.map(\.seconds).sorted()
    rounds = samples.count
    medianSeconds = seconds.quantile(0.5)
    p10 = seconds.quantile(0.1)
    p90 = seconds.quantile(0.9)
    let counted = samples.compactMap(\.systemBytes).sorted()
    systemBytes = counted.isEmpty ? nil : counted[counted.count / 2]
    // Nearly all saves are alike; of a count that differs, what is in the middle.
    let middle = samples.sorted { $0.flushes < $1.flushes }[samples.count / 2]
    if middle.operations.isEmpty {
      bytesWritten = systemBytes
    } else {
      (flushes, operations, bytesWritten) = (middle.flushes, middle.operations, middle.bytesWritten)
    }
    for other in others where other.name != strategy {
      let theirs = Dictionary(other.samples.map { ($0.round, $0.seconds) }, uniquingKeysWith: { $1 })
      let pairs = samples.compactMap { sample in theirs[sample.round].map { sample.seconds / $0 } }
      if !pairs.isEmpty { ratios[other.name] = pairs.sorted().quantile(0.5) }
    }
  }
}

extension [Double] {
  /// The value below which a part of these sorted values lies, between two of them in proportion.
  func quantile(_ part: Double) -> Double {
    let place = part * Double(count - 1)
    let (below, above) = (self[Int(place)], self[Swift.min(Int(place) + 1, count - 1)])
    return below + (above - below) * (place - place.rounded(.down))
  }
}
