import FilePackages
import FoundationEssentials

// DC1 A document that is alone reads and writes at once, and a later access elsewhere waits for that. If the document
//     has made way, or is not alone, it coordinates.
// DC2 If other programs do not answer or do not end in time, the document goes on without them. No edit is lost, since
//     the package has locks of its own.

/// A document's part in coordination: its presenter, and who has the turn.
final class DocumentCoordination {
  /// The presenter; nil if the document takes no part.
  private(set) var presenter: DocumentPresenter?
  /// The number of accesses elsewhere that the document makes way for.
  private var given = 0
  /// The number of running accesses that the document did not coordinate (DC1).
  private var unclaimed = 0
  /// The callers that wait for the end of those.
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init() {}

  deinit {
    if let presenter {
      let number = ObjectIdentifier(presenter)
      Task { await CoordinationRegistry.shared.remove(number) }
    }
  }

  // MARK: Presenting

  /// Presents the document at `url`; if that fails, the document takes no part.
  func present(_ document: any LiveDocument, at url: URL) async throws {
    let presenter = self.presenter ?? DocumentPresenter(document, at: url)
    presenter.go(to: url)
    self.presenter = presenter
    do {
      try await CoordinationRegistry.shared.add(presenter)
    } catch {
      self.presenter = nil
      throw error
    }
  }

  func stopPresenting() async {
    guard let presenter else { return }
    self.presenter = nil
    await CoordinationRegistry.shared.remove(ObjectIdentifier(presenter))
  }

  /// Makes way for an access elsewhere, after the accesses that run without coordination.
  func give() async {
    given += 1
    while unclaimed > 0 { await withCheckedContinuation { waiting.append($0) } }
  }

  /// Ends one `give()`.
  func takeBack() { given -= 1 }

  // MARK: Taking a turn

  /// Reads or writes in turn with other programs (DC1).
  ///
  /// - Parameters:
  ///   - body: the access.
  ///   - publish: follows `body` before another program's turn begins. Its error does not count.
  ///   - resume: receives the reason if other programs do not answer or do not end in time (DC2).
  func take<Result: Sendable>(
    _ intent: FileAccessIntent, deadline: Duration, _ body: () async throws -> Result,
    publish: () async throws -> Void, resume: (any Error) -> Void
  ) async throws -> Result {
    guard let presenter else { return try await body() }
    // If the look fails, the coordinated access below meets the error.
    if given == 0, (try? await CoordinationRegistry.shared.isAlone(presenter)) == true, given == 0 {
      return try await runUnclaimed(body)
    }
    var result: Swift.Result<Result, any Error>?
    do {
      try await FileCoordinator(filePresenter: presenter).access([intent], deadline: deadline) {
        do {
          result = .success(try await body())
          try await publish()
        } catch {
          result = result ?? .failure(error)
        }
      }
    } catch {
      if result == nil { resume(error) }
    }
    guard let result else { return try await runUnclaimed(body) }
    return try result.get()
  }

  private func runUnclaimed<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    unclaimed += 1
    defer {
      unclaimed -= 1
      if unclaimed == 0 { while let waiting = waiting.popLast() { waiting.resume() } }
    }
    return try await body()
  }
}
