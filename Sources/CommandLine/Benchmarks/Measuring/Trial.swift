import DurableIO
import FilePackages

/// A strategy with its package and its measurements so far.
final class Trial {
  private var strategy: (any SaveStrategy)?
  private var model: ModelPackage
  private let disk: CountingDisk
  private(set) var samples: [Sample] = []
  private var measurement: Measurement
  /// The measured time so far.
  private(set) var time = Duration.zero

  /// Makes the package. The result holds an error of that.
  init(_ type: any SaveStrategy.Type, _ model: ModelPackage, at place: SavePlace) async {
    self.model = model
    disk = place.disk
    measurement = Measurement(model, strategy: type.name, atomic: type.isAtomic)
    await attempt { strategy = try await type.make(model, at: place) }
  }

  var name: String { measurement.strategy }

  /// Whether the strategy can take part in another round.
  var isRunning: Bool { strategy != nil }

  /// Saves once more.
  ///
  /// - Parameters:
  ///   - round: the number of the round; 0 for one that does not count.
  ///   - rest: brings the machine to rest before the measurement.
  func run(round: Int, rest: () throws -> Void) async {
    guard let strategy else { return }
    await attempt {
      let change = model.change()
      try rest()
      let before = disk.counts
      let meter = ProcessMeter()
      try await strategy.save(change)
      let (seconds, cpu, peak) = meter.read()
      try await strategy.finish()
      let after = disk.counts
      if round == 0 { return }
      time += .seconds(seconds)
      samples.append(
        Sample(
          round: round, seconds: seconds, cpuSeconds: cpu,
          bytesWritten: after.bytesWritten - before.bytesWritten,
          systemBytes: meter.writtenBytes,
          flushes: strategy.flushes ?? after.synchronizations - before.synchronizations,
          operations: after.operations(since: before), peakBytes: peak))
    }
  }

  /// Compares every byte on disk with the model, and releases the strategy's memory.
  func verify() async {
    guard let strategy else { return }
    await attempt { try await strategy.verify(model) }
    self.strategy = nil
  }

  /// Returns the figures after all rounds.
  func summarized(besides others: [Trial]) -> Measurement {
    var measurement = measurement
    measurement.summarize(samples, others: others.map { ($0.name, $0.samples) })
    return measurement
  }

  private func attempt(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      measurement.problem = sentence(of: error)
      strategy = nil
    }
  }
}

extension CountingDisk.Counts {
  /// Returns the counts since an earlier moment, by the operations' names.
  fileprivate func operations(since earlier: Self) -> [String: Int] {
    var operations: [String: Int] = [:]
    for operation in DiskOperation.allCases where self[operation] > earlier[operation] {
      operations["\(operation)"] = self[operation] - earlier[operation]
    }
    return operations
  }
}
