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
    running.withLock { $0[document] = Progress(isUpload: isUpload, totalBytes: totalBytes) }
  }

  /// Adds bytes that went.
  func add(_ bytes: Int, to document: String) {
    running.withLock { $0[document]?.completedBytes += UInt64(bytes) }
  }

  func set(_ progress: DownloadProgress, of document: String) {
    running.withLock { running in
      running[document]?.completedBytes = progress.completedBytes
      running[document]?.totalBytes = progress.totalBytes
    }
  }

  func end(_ document: String) { running.withLock { $0[document] = nil } }
}
