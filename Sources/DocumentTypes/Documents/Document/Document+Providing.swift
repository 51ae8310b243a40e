import FilePackages
import FoundationEssentials
import Synchronization

/// The download of a document that is opened: its task, to cancel it, and its figures.
final class ContentProvider: Sendable {
  private struct State {
    var task: Task<Void, any Error>?
    var isCancelled = false
    var figures: (completed: UInt64, total: UInt64)?
  }

  private let state = Mutex(State())

  /// The bytes so far and all bytes; nil before they are known.
  var figures: (completed: UInt64, total: UInt64)? { state.withLock { $0.figures } }

  func run(_ provider: any DocumentProvider, _ url: URL) async throws {
    let task = Task {
      try await provider.provide(itemAt: url) { completed, total in
        self.state.withLock { $0.figures = (completed, total) }
      }
    }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
    try await task.value
  }

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }
}

extension Document {
  /// Brings the content here, if a provider has it.
  ///
  /// - Throws: `unavailable`.
  func provide(_ provision: ContentProvider) async throws(DocumentError) {
    guard let provider = options.provider else { return }
    self.provision = provision
    defer { self.provision = nil }
    do {
      begin(.downloading)
      try await provision.run(provider, fileURL)
    } catch {
      throw DocumentError(.unavailable, .open, fileURL, cause: error)
    }
  }
}
