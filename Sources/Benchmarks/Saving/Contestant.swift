import DurableIO
import SystemPackage

/// One strategy with its package and what was measured of it so far.
final class Contestant {
  let type: any SaveStrategy.Type
  private var strategy: (any SaveStrategy)?
  private var model: ModelPackage
  private let disk: CountingDisk
  private(set) var samples: [SaveSample] = []
  private(set) var result: SaveResult

  init(_ type: any SaveStrategy.Type, _ model: ModelPackage, at place: SavePlace) async {
    self.type = type
    self.model = model
    disk = place.disk
    result = SaveResult(
      strategy: type.name, children: model.childCount, changed: model.changedCount, size: model.size,
      durable: type.isDurable, atomic: type.isAtomic)
    await attempt { strategy = try await type.make(model, at: place) }
  }

  /// Whether it can take part in another round.
  var isRunning: Bool { strategy != nil }

  /// The time that was measured so far.
  private(set) var time = Duration.zero

  /// Saves once more.
  ///
  /// - Parameters:
  ///   - round: the number of the round, nil for one that does not count.
  ///   - settle: brings the disk to rest before anything is measured.
  func save(round: Int?, settle: () throws -> Void) async {
    guard let strategy else { return }
    await attempt {
      let change = model.change()
      try await strategy.arrange(change)
      try settle()
      let bytes = ProcessOutput.bytes
      let counts = disk.counts
      let start = ContinuousClock.now
      try await strategy.save(change)
      let taken = ContinuousClock.now - start
      try await strategy.finish()
      let made = disk.counts
      guard let round else { return }
      time += taken
      samples.append(
        SaveSample(
          round: round, seconds: taken / .seconds(1),
          bytesWritten: made.bytesWritten - counts.bytesWritten,
          systemBytes: ProcessOutput.bytes.flatMap { end in bytes.map { end - $0 } },
          flushes: strategy.flushes ?? made.flushes - counts.flushes,
          operations: made.operations(since: counts)))
    }
  }

  /// Compares the package on disk with the model.
  func verify() async {
    guard let strategy else { return }
    await attempt { try await strategy.verify(model) }
  }

  /// The figures, once all rounds are done.
  func summarized(besides others: [Contestant]) -> SaveResult {
    var result = result
    result.summarize(samples, others: others.map { ($0.type.name, $0.samples) })
    return result
  }

  private func attempt(_ body: () async throws -> Void) async {
    do {
      try await body()
    } catch let error as StrategyUnavailable {
      result.unavailable = error.description
      strategy = nil
    } catch {
      result.problem = "\(error)"
      strategy = nil
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
