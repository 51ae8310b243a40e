import Documents
import Foundation
import Synchronization

/// The messages of an engine that its file on the main actor has not heard, and what any thread may read of the file.
final class ModelNews: Sendable {
  private struct State {
    weak var file: ModelFile?
    var url: URL
    var presenter: (any FilePresenter)?
    var running: UInt64?
    var saves = 0
    var events: [(DocumentEvent, UInt64?)] = []
    var errors: [DocumentError] = []
  }

  private let state: Mutex<State>

  init(_ url: URL) { state = Mutex(State(url: url)) }

  var file: ModelFile? { state.withLock { $0.file } }
  func attach(_ file: ModelFile) { state.withLock { $0.file = file } }

  /// The document's place.
  var url: URL {
    get { state.withLock { $0.url } }
    set { state.withLock { $0.url = newValue } }
  }

  /// The presenter of the engine.
  var presenter: (any FilePresenter)? { state.withLock { $0.presenter } }

  func present(_ presenter: (any FilePresenter)?) {
    state.withLock { $0.presenter = presenter }
    (presenter as? DocumentPresenter)?.observe(self)
  }

  /// The number of the moment whose tree the engine writes now.
  var running: UInt64? {
    get { state.withLock { $0.running } }
    set { state.withLock { $0.running = newValue } }
  }

  /// The number of saves up to now.
  var saves: Int { state.withLock { $0.saves } }

  /// Notes an event, a save together with the number of its moment.
  func note(_ event: DocumentEvent) {
    state.withLock { state in
      var number: UInt64?
      if case .saved = event {
        (number, state.running) = (state.running, nil)
        state.saves += 1
      }
      state.events.append((event, number))
    }
    tell { await $0.hear() }
  }

  func note(_ error: DocumentError) {
    state.withLock { $0.errors.append(error) }
    tell { $0.reportErrors() }
  }

  /// Returns the events since the last call of this method.
  func takeEvents() -> [(DocumentEvent, UInt64?)] {
    state.withLock { state in
      defer { state.events = [] }
      return state.events
    }
  }

  /// Returns the errors since the last call of this method.
  func takeErrors() -> [DocumentError] {
    state.withLock { state in
      defer { state.errors = [] }
      return state.errors
    }
  }

  func tell(_ body: @escaping @Sendable @MainActor (ModelFile) async -> Void) {
    guard let file else { return }
    Task { @MainActor in await body(file) }
  }
}

extension ModelNews: ChildObserver {
  func accommodateDeletion(ofChildAt url: URL) async throws {
    if let refusal = await file?.owner?.refusal(ofDeletingChildAt: url) { throw refusal }
  }

  func childDidMove(from oldURL: URL, to newURL: URL) {
    tell { $0.owner?.childDidMove(from: oldURL, to: newURL) }
  }
}
