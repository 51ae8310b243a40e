/// The measurements of one strategy that saved packages of one kind. As JSON it is one flat object.
package struct Measurement: Sendable, Encodable {
  /// The number of the package's children.
  package var children: Int
  /// The number of children that each save changed.
  package var changed: Int
  /// Bytes of each child.
  package var size: Int
  /// The name of the strategy in tables and options.
  package var strategy: String
  /// Whether a power cut leaves all of a save or nothing of it.
  package var atomic: Bool
  /// A failure: an error, or a wrong result on disk.
  package var problem: String?

  /// The number of measured rounds.
  package private(set) var rounds = 0
  /// The elapsed time of a save, and the times that a tenth of the rounds fell short of and exceeded.
  package private(set) var medianSeconds: Double?
  package private(set) var p10: Double?
  package private(set) var p90: Double?
  /// The ratios to the times of the other strategies in the same rounds.
  package private(set) var ratios: [String: Spread] = [:]
  /// Processor time in seconds.
  package private(set) var cpuSeconds: Double?
  /// Bytes that the strategy wrote to files. For SQLite, which makes its own system calls, they are the bytes that
  /// the system counts, in whole pages.
  package private(set) var bytesWritten: UInt64?
  /// The number of syncs before the save returned: fsync(2) and fdatasync(2). Nil for SQLite.
  package private(set) var synchronizations: Int?
  /// The requests to the disk, including those after the save returned. Nil for SQLite.
  package private(set) var operations: [String: Int]?
  /// The greatest growth of this process's memory.
  package private(set) var peakBytes: UInt64?

  package init(_ model: ModelPackage, strategy: String, atomic: Bool) {
    (children, changed, size) = (model.childCount, model.changedCount, model.size)
    (self.strategy, self.atomic) = (strategy, atomic)
  }

  /// The elapsed times.
  package var seconds: Spread? {
    guard let medianSeconds, let p10, let p90 else { return nil }
    return Spread(median: medianSeconds, p10: p10, p90: p90)
  }

  /// Returns the ratio to another strategy in the same rounds; 1 for the strategy itself.
  package func ratio(to other: String) -> Spread? {
    strategy == other && seconds != nil ? Spread(median: 1, p10: 1, p90: 1) : ratios[other]
  }

  /// Enters the figures of the rounds, and the ratios to the other strategies in the same rounds.
  package mutating func summarize(_ samples: [Sample], others: [(name: String, samples: [Sample])]) {
    guard let seconds = Spread(samples.map(\.seconds)) else { return }
    rounds = samples.count
    (medianSeconds, p10, p90) = (seconds.median, seconds.p10, seconds.p90)
    cpuSeconds = Spread(samples.map(\.cpuSeconds))?.median
    peakBytes = samples.compactMap(\.peakBytes).max()
    // Nearly all runs have equal counts; otherwise the median run serves.
    let middle = samples.sorted { $0.total < $1.total }[samples.count / 2]
    if middle.operations.isEmpty {
      bytesWritten = samples.compactMap(\.systemBytes).middle
    } else {
      (synchronizations, operations) = (middle.flushes, middle.operations)
      bytesWritten = samples.map(\.bytesWritten).middle
    }
    for other in others where other.name != strategy {
      let theirs = Dictionary(other.samples.map { ($0.round, $0.seconds) }, uniquingKeysWith: { $1 })
      ratios[other.name] = Spread(
        samples.compactMap { sample in theirs[sample.round].map { sample.seconds / $0 } })
    }
  }
}

extension [UInt64] {
  fileprivate var middle: UInt64? { isEmpty ? nil : sorted()[count / 2] }
}
