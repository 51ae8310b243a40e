import DurableIO
import FilePackages
import Glibc
package import SystemPackage

/// Measures saves by several strategies in turn, so that whatever else the machine does meanwhile slows all of
/// them alike.
package struct SaveBenchmark {
  /// The strategies, in the order of the results.
  package var strategies: [any SaveStrategy.Type]
  /// How often each saves what is measured; fewer times when `budget` is used up.
  package var rounds = 100
  /// The time after which a strategy takes part no more, once it did so three times.
  package var budget = Duration.seconds(20)
  /// By how much each synchronisation is slowed down.
  package var flushDelay = Duration.zero
  /// The path of `docpkg`, for strategies that run it.
  package var command: FilePath?

  package init(strategies: [any SaveStrategy.Type]) {
    self.strategies = strategies
  }

  /// All strategies, those that run whole commands last.
  package static var allStrategies: [any SaveStrategy.Type] { inProcess + wholeCommands }

  /// The strategies that run in this process.
  package static var inProcess: [any SaveStrategy.Type] {
    [
      FloorStrategy.self, JournalStrategy.self, PublishedStrategy.self, StagedStrategy.self,
      SQLiteStrategy.self, NaiveStrategy.self, EachStrategy.self, LinksStrategy.self, FullStrategy.self,
    ]
  }

  /// The strategies that are other programs, from their start to their end.
  package static var wholeCommands: [any SaveStrategy.Type] { [CommandStrategy.self, GitStrategy.self] }

  /// Measures all strategies with packages like the model, in a directory of its own in `folder`, which is
  /// removed afterwards.
  ///
  /// - Parameter progress: told what is being done, in a few words.
  /// - Throws: `BenchmarkError` when something goes wrong with that directory. What goes wrong with a strategy
  ///   is in its result.
  package func run(
    _ model: ModelPackage, in folder: FilePath, progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [SaveResult] {
    let disk = PosixDisk()
    let name = FileName("docpkg-bench-\(getpid())")
    let path = folder.appending(name.string)
    let results: [SaveResult]
    do throws(SystemError) {
      try disk.makeDirectory(name, in: disk.openDirectory(at: folder), mode: 0o700)
    } catch {
      throw BenchmarkError("Nothing can be measured in '\(FileName(folder).display)'", error)
    }
    do throws(SystemError) {
      results = try await measure(model, in: path, progress)
    } catch {
      // What went wrong first is what there is to say.
      _ = remove(name, from: folder, on: disk)
      throw BenchmarkError("Nothing can be measured in '\(FileName(path).display)'", error)
    }
    progress("removing the packages")
    guard remove(name, from: folder, on: disk) else {
      throw BenchmarkError(
        description: "'\(FileName(path).display)' could not be removed; nobody needs it any more.")
    }
    return results
  }

  private func remove(_ name: FileName, from folder: FilePath, on disk: PosixDisk) -> Bool {
    guard let parent = try? disk.openDirectory(at: folder) else { return false }
    return Siblings(of: name, on: disk).remove(name, from: parent)
  }

  private func measure(
    _ model: ModelPackage, in folder: FilePath, _ progress: (String) -> Void
  ) async throws(SystemError) -> [SaveResult] {
    let own = PosixDisk()
    let disk: any Disk = flushDelay > .zero ? SlowFlushDisk(own, delay: flushDelay) : own
    let directory = try own.openDirectory(at: folder)
    let marker = try own.createFile("marker", in: directory, mode: 0o600)
    var contestants: [Contestant] = []
    for strategy in strategies {
      progress("making \(model.childCount) children for \(strategy.name)")
      try own.makeDirectory(FileName(strategy.name), in: directory, mode: 0o700)
      let place = SavePlace(
        folder: folder.appending(strategy.name), disk: disk, flushDelay: flushDelay, command: command)
      contestants.append(await Contestant(strategy, model, at: place))
    }
    // What was written without a synchronisation would be written during the rounds.
    sync()
    for round in 0...rounds {
      let running = contestants.filter { $0.isRunning && ($0.time < budget || $0.samples.count < 3) }
      if running.isEmpty { break }
      for turn in running.indices {
        let contestant = running[(turn + round) % running.count]
        progress("round \(round) of \(rounds): \(contestant.type.name)")
        await contestant.save(round: round == 0 ? nil : round) {
          try rest(marker, on: own, seconds: Int64(round))
        }
      }
    }
    for contestant in contestants {
      progress("comparing the package of \(contestant.type.name)")
      await contestant.verify()
    }
    return contestants.map { $0.summarized(besides: contestants) }
  }

  /// Makes the file system write what the strategies before left in its own journal, such as thousands of
  /// removed links, which otherwise the next one's first synchronisation would have to wait for.
  private func rest(
    _ marker: borrowing OwnedDescriptor, on disk: PosixDisk, seconds: Int64
  ) throws(SystemError) {
    try disk.setModified(FileTime(seconds: seconds, nanoseconds: 0), of: marker)
    try disk.synchronize(marker)
  }
}

/// Why nothing could be measured.
package struct BenchmarkError: Error, CustomStringConvertible {
  package var description: String
}

extension BenchmarkError {
  fileprivate init(_ what: String, _ reason: SystemError) {
    self.init(description: "\(what): \(reason).")
  }
}
