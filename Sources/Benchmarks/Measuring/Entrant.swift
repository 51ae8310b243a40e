import DurableIO
import FilePackages

/// One contender with what was measured of it so far.
final class Entrant {
  private var contender: (any Contender)?
  private(set) var samples: [Sample] = []
  private var measurement: Measurement
  /// The time that was measured so far.
  private(set) var time = Duration.zero

  /// - Parameter make: has everything ready; what goes wrong is in the result.
  init(_ measurement: Measurement, make: () async throws -> any Contender) async {
    self.measurement = measurement
    await attempt { contender = try await make() }
  }

  var name: String { measurement.strategy }

  /// Whether it can take part in another round.
  var isRunning: Bool { contender != nil }

  /// Does the work once more.
  ///
  /// - Parameters:
  ///   - round: the number of the round, nil for one that does not count.
  ///   - settle: brings the machine to rest before anything is measured.
  func run(round: Int?, settle: () throws -> Void) async {
    guard let contender else { return }
    await attempt {
      try await contender.arrange()
      try settle()
      let before = contender.disk?.counts
      let meter = ProcessMeter()
      try await contender.run()
      let (seconds, cpu, peak) = meter.read()
      try await contender.finish()
      let after = contender.disk?.counts
      guard let round else { return }
      time += .seconds(seconds)
      var sample = Sample(
        round: round, seconds: seconds, cpuSeconds: cpu, systemBytes: meter.writtenBytes, peakBytes: peak)
      if let before, let after {
        sample.bytesWritten = after.bytesWritten - before.bytesWritten
        sample.flushes = contender.flushes ?? after.flushes - before.flushes
        sample.operations = after.operations(since: before)
      }
      samples.append(sample)
    }
  }

  /// Compares what there is with what there should be.
  func verify() async {
    guard let contender else { return }
    measurement.figures = contender.figures
    await attempt { try await contender.verify() }
  }

  /// Lets go of what it has, so that the memory that the next ones need is their own.
  func leave() {
    contender = nil
  }

  /// The figures, once all rounds are done.
  func summarized(besides others: [Entrant]) -> Measurement {
    var measurement = measurement
    measurement.summarize(samples, others: others.map { ($0.name, $0.samples) })
    return measurement
  }

  private func attempt(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch let error as StrategyUnavailable {
      measurement.unavailable = error.description
      contender = nil
    } catch {
      measurement.problem = sentence(of: error)
      contender = nil
    }
  }
}

extension CountingDisk.Counts {
  /// fsync(2) and fdatasync(2).
  var flushes: Int { self[.synchronize] + self[.synchronizeData] }

  /// What was asked for since an earlier moment, by the operations' names.
  fileprivate func operations(since earlier: Self) -> [String: Int] {
    var operations: [String: Int] = [:]
    for operation in DiskOperation.allCases where self[operation] > earlier[operation] {
      operations["\(operation)"] = self[operation] - earlier[operation]
    }
    return operations
  }
}
