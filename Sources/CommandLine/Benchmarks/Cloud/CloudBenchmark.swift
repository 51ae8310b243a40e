import DurableIO
import FilePackages
package import SystemPackage

/// A benchmark of `docpkg cloud` and other programs with one store.
///
/// All programs use an S3 service through one proxy, which counts requests and bytes. The requests and bytes of a folder
/// as the store are those that docpkg reports.
package struct CloudBenchmark {
  /// The work of a comparison.
  package enum Task: String, Sendable, CaseIterable {
    case first, notes, nothing, child, database, deck, list, travel
  }

  package var schedule = RoundRobin()
  /// The numbers of children, each in a comparison of its own.
  package var children = [1_000]
  /// The bytes of the database.
  package var databaseSize: UInt64 = 100_000_000
  /// The bytes of one of the 70 parts of the deck.
  package var deckPart = 1_000_000
  /// The documents that a new machine lists.
  package var documents = 10_000
  /// The seconds between two looks at the container.
  package var interval = 1
  /// docpkg and the programs beside it.
  package var programs: [CloudProgram] = [.docpkg]

  /// The path of docpkg.
  let command: FilePath
  let store: BenchmarkStore
  private let folder: FilePath
  private let progress: (String) -> Void
  /// All results so far.
  package private(set) var results: [Measurement] = []

  /// - Parameters:
  ///   - command: the path of docpkg.
  ///   - folder: the folder for the temporary directory.
  package init(
    command: FilePath, store: BenchmarkStore, in folder: FilePath,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    (self.command, self.store, self.folder, self.progress) = (command, store, folder, progress)
  }

  /// Measures the tasks. The objects in the store stay.
  ///
  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`.
  package mutating func run(_ tasks: [Task] = Task.allCases) async throws(BenchmarkError) -> [Goal] {
    let proxy: CountingProxy? =
      switch store {
      case .folder: nil
      case .service(let service): try CountingProxy(to: service.host, service.port)
      }
    let (setup, progress) = (self, progress)
    let measurements = try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      let measurements = CloudMeasurements(setup, proxy, made, progress)
      for task in tasks { await measurements.run(task) }
      return measurements
    }
    proxy?.stop()
    results += measurements.results
    return measurements.goals.sorted { $0.row < $1.row }
  }
}
