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

  private let running = Mutex<[String: Progress]>([:])
  private let observers = Mutex<[UUID: (document: String, handler: @Sendable (Progress) -> Void)]>([:])
  private let downloads = Mutex<[String: Task<[TreeDifference], any Error>]>([:])
  /// Rings after each progress.
  package let changes = ChangeBells()

  package init() {}

  /// Returns the progress of a document; nil if nothing goes or comes.
  package func progress(of document: String) -> Progress? { running.withLock { $0[document] } }

  /// The bytes of all documents together; nil if nothing goes or comes.
  package var sum: (completed: UInt64, total: UInt64)? {
    running.withLock { running in
      running.isEmpty
        ? nil
        : running.values.reduce((0, 0)) {
          ($0.0 + min($1.completedBytes, $1.totalBytes), $0.1 + $1.totalBytes)
        }
    }
  }

  func begin(_ document: String, isUpload: Bool, totalBytes: UInt64 = 0) {
    change(document) { $0 = Progress(isUpload: isUpload, totalBytes: totalBytes) }
  }

  /// Adds bytes that went.
  func add(_ bytes: Int, to document: String) { change(document) { $0?.completedBytes += UInt64(bytes) } }

  func set(_ progress: DownloadProgress, of document: String) {
    change(document) { running in
      running?.completedBytes = progress.completedBytes
      running?.totalBytes = progress.totalBytes
    }
  }

  func end(_ document: String) { change(document) { $0 = nil } }

  private func change(_ document: String, _ body: (inout Progress?) -> Void) {
    let now = running.withLock { running in
      body(&running[document])
      return running[document]
    }
    if let now {
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
  func download(
    _ document: String, name: String, _ body: @escaping @Sendable () async throws -> [TreeDifference]
  ) async throws -> [TreeDifference] {
    begin(document, isUpload: false)
    let task = Task { try await body() }
    downloads.withLock { $0[document] = task }
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
  func cancelDownload(_ document: String) { downloads.withLock { $0[document] }?.cancel() }
}
