import DurableIO
import FilePackages

/// A workload with its measurements so far.
final class Trial {
  private var workload: (any Workload)?
  private(set) var samples: [Sample] = []
  private var measurement: Measurement
  /// The measured time so far.
  private(set) var time = Duration.zero

  /// - Parameter make: prepares the workload; the result holds an error of it.
  init(_ measurement: Measurement, make: () async throws -> any Workload) async {
    self.measurement = measurement
    await attempt { workload = try await make() }
  }

  var name: String { measurement.strategy }

  /// Whether the workload can take part in another round.
  var isRunning: Bool { workload != nil }

  /// Does the work once more.
  ///
  /// - Parameters:
  ///   - round: the number of the round; nil for one that does not count.
  ///   - rest: brings the machine to rest before the measurement.
  func run(round: Int?, rest: () throws -> Void) async {
    guard let workload else { return }
    await attempt {
      try await workload.arrange()
      try rest()
      let before = workload.disk?.counts
      let meter = ProcessMeter()
      try await workload.run()
      let (seconds, cpu, peak) = meter.read()
      try await workload.finish()
      let after = workload.disk?.counts
      guard let round else { return }
      time += .seconds(seconds)
      var sample = Sample(
        round: round, seconds: seconds, cpuSeconds: cpu, systemBytes: meter.writtenBytes, peakBytes: peak)
      if let before, let after {
        sample.bytesWritten = after.bytesWritten - before.bytesWritten
        sample.flushes = workload.flushes ?? after.flushes - before.flushes
        sample.operations = after.operations(since: before)
      }
      samples.append(sample)
    }
  }

  /// Compares the result with the expected one.
  func verify() async {
    guard let workload else { return }
    measurement.figures = workload.figures
    await attempt { try await workload.verify() }
  }

  /// Releases the workload, so that its memory does not count for later ones.
  func leave() {
    workload = nil
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
    } catch let error as StrategyUnavailable {
      measurement.unavailable = error.description
      workload = nil
    } catch {
      measurement.problem = sentence(of: error)
      workload = nil
    }
  }
}

extension CountingDisk.Counts {
  /// The number of syncs: fsync(2) and fdatasync(2).
  var flushes: Int { self[.synchronize] + self[.synchronizeData] }

  /// Returns the counts since an earlier moment, by the operations' names.
  fileprivate func operations(since earlier: Self) -> [String: Int] {
    var operations: [String: Int] = [:]
    for operation in DiskOperation.allCases where self[operation] > earlier[operation] {
      operations["\(operation)"] = self[operation] - earlier[operation]
    }
    return operations
  }
}
