import FilePackages
import FoundationEssentials
import Synchronization

/// The documents whose content goes or comes at this moment, with the progress.
package final class Transfers: Sendable {
  /// The progress of one document.
  package struct Progress: Sendable, Hashable {
    /// Whether the content goes to the container; otherwise it comes from there.
    package var isUpload: Bool
    package var completedBytes: UInt64 = 0
    package var totalBytes: UInt64 = 0

    /// The part that is done, from 0 to 100.
    package var percent: Double {
      totalBytes == 0 ? 0 : min(100, 100 * Double(completedBytes) / Double(totalBytes))
    }
  }

  /// The documents of a run whose content goes or comes.
  package struct Work: Sendable, Hashable {
    package var documents: Int
    /// The part that is done, from 0 to 1: each document counts the same.
    package var part: Double

    package init(documents: Int, part: Double) { (self.documents, self.part) = (documents, part) }
  }

  private let telling = Mutex(())
  private let running = Mutex<[String: Progress]>([:])
  private let run = Mutex(Run())
  private let observers = Mutex<[UUID: (document: String, handler: @Sendable (Progress) -> Void)]>([:])
  /// The ends of the downloads that run.
  private let downloads = Mutex<[String: @Sendable () -> Void]>([:])
  /// Rings after each progress.
  package let changes = ChangeSignals()

  package init() {}

  /// Returns the progress of a document; nil if nothing goes or comes.
  package func progress(of document: String) -> Progress? { running.withLock { $0[document] } }

  /// The documents of the run together; nil if it has found none.
  package var documents: Work? {
    run.withLock { run in
      let count = run.parts.count
      return count == 0 ? nil : Work(documents: count, part: Double(run.done) / Double(1000 * count))
    }
  }

  /// Begins a run, which has found no document yet.
  package func beginRun() { run.withLock { $0 = Run() } }

  /// Notes documents whose content is to go or to come in this run.
  package func expect(_ documents: some Sequence<String>) {
    run.withLock { run in for document in documents { run.raise(document, to: 0) } }
  }

  /// Notes that a document has all that it gets in this run.
  package func finish(_ document: String) {
    run.withLock { if $0.parts[document] != nil { $0.raise(document, to: 1000) } }
  }

  /// The part of each document of a run that is done, in thousandths, and the sum.
  private struct Run {
    var parts: [String: Int] = [:]
    var done = 0

    /// No part becomes less, although an upload may begin again.
    mutating func raise(_ document: String, to part: Int) {
      let old = parts[document] ?? 0
      parts[document] = max(old, part)
      done += max(0, part - old)
    }
  }

  package func begin(_ document: String, isUpload: Bool) {
    expect([document])
    change(document) { $0 = Progress(isUpload: isUpload) }
  }

  /// Adds bytes that went or came, of all bytes.
  package func add(_ bytes: UInt64, of total: UInt64, to document: String) {
    change(document) { running in
      running?.completedBytes += bytes
      running?.totalBytes = total
    }
  }

  package func end(_ document: String) { change(document) { $0 = nil } }

  private func change(_ document: String, _ body: (inout Progress?) -> Void) {
    // No handler hears of an earlier state after a later one.
    telling.withLock { _ in
      let now = running.withLock { running in
        body(&running[document])
        return running[document]
      }
      guard let now else { return }
      // The last hundredth is the version.
      run.withLock { $0.raise(document, to: Int(99 * now.percent) / 10) }
      for observer in observers.withLock({ $0.values.filter { $0.document == document } }) {
        observer.handler(now)
      }
    }
    changes.ring()
  }

  // MARK: Observing

  /// Calls `handler` with each progress of a document, from any thread, until `endObserving(_:)`.
  func observe(_ document: String, _ handler: @escaping @Sendable (Progress) -> Void) -> UUID {
    let id = UUID()
    observers.withLock { $0[id] = (document, handler) }
    return id
  }

  func endObserving(_ id: UUID) { observers.withLock { $0[id] = nil } }

  // MARK: Downloads

  /// Runs a download, which the end of the caller's task and `cancelDownload(_:)` end.
  ///
  /// - Throws: `cancelled` after `cancelDownload(_:)`; the errors of `body`.
  func download<Value: Sendable>(
    _ document: String, name: String, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    begin(document, isUpload: false)
    let task = Task { try await body() }
    downloads.withLock { $0[document] = { task.cancel() } }
    defer {
      downloads.withLock { $0[document] = nil }
      end(document)
    }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      guard task.isCancelled, !Task.isCancelled else { throw error }
      throw FilePackageError(.cancelled, .open, document: name, reason: "its download was cancelled")
    }
  }

  /// Ends the running download of a document, if there is one.
  func cancelDownload(_ document: String) { downloads.withLock { $0[document] }?() }
}
