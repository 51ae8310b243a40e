import CloudContainers
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ObjectStores

/// Brings a container folder and its container together when a document changes, and at each interval.
package struct ContinuousSync {
  let folder: CloudFolder
  /// The time between two looks at the container, in seconds.
  let interval: Int

  package init(folder: CloudFolder, interval: Int) { (self.folder, self.interval) = (folder, interval) }

  /// Syncs until the task is cancelled. While there is no connection, it tries again at the same times.
  ///
  /// - Parameter tell: called after each run with its news, and with the problems that the run before did not have.
  /// - Throws: `CancellationError`; an error that does not pass by itself.
  package func run(_ tell: (SyncNews, _ problems: [String]) throws -> Void) async throws {
    let (moments, moment) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let query = DocumentQuery(DocumentSearch(in: [folder.container.url], for: [.item]))
    query.start()
    let changes = Task {
      for await update in query { if case .updated = update { moment.yield() } }
    }
    let times = Task { [interval] in
      moment.yield()
      while true {
        try await Task.sleep(for: .seconds(interval))
        moment.yield()
      }
    }
    defer {
      changes.cancel()
      times.cancel()
    }
    var (before, lastProblem, told) = (StoreTraffic(), "", Set<String>())
    for await _ in moments {
      do {
        let report = try await folder.container.sync()
        let traffic = folder.traffic
        let news = SyncNews(report, traffic - before)
        // A document that fails for the same reason in each run is told once.
        let problems = news.problems.filter { !told.contains($0) }
        told = Set(news.problems)
        if news.hasWork || !problems.isEmpty { before = traffic }
        try tell(news, problems)
        lastProblem = ""
      } catch {
        guard Self.mayPass(error) else { throw error }
        let text = errorMessage(of: error)
        if text != lastProblem { StandardError.write("docpkg: \(text)\n") }
        lastProblem = text
      }
    }
    try Task.checkCancellation()
  }

  /// Whether a later run may succeed without a change by the user, or after the user mounted a disk.
  private static func mayPass(_ error: any Error) -> Bool {
    switch error {
    case let error as ObjectStoreError: error.isTransient || [.noSuchStore, .noSpace].contains(error.code)
    case let error as CloudDataError: error.storeError?.isTransient == true
    case let error as FilePackageError: error.code == .busy
    default: false
    }
  }
}
