import Dispatch
import Synchronization

/// The finished part of an export or an import.
public struct ArchiveProgress: Sendable, Hashable {
  /// Finished entries.
  public var entries = 0
  /// Finished bytes of children.
  public var bytes: UInt64 = 0

  /// A closure that receives the progress, about once for each entry and each mebibyte. It runs on the thread of the
  /// work.
  public typealias Handler = @Sendable (ArchiveProgress) -> Void
}

/// A flag that says whether the caller cancelled the work.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() {
    flag.store(true, ordering: .relaxed)
  }

  /// - Throws: `CancellationError` after `cancel()`.
  func check() throws {
    if isCancelled { throw CancellationError() }
  }
}

/// Runs blocking work on a thread that may wait, and tells it when the task is cancelled. Swift's own threads are too
/// few to wait.
func blocking<Value: Sendable>(
  _ body: @escaping @Sendable (Cancellation) throws -> Value
) async throws -> Value {
  let cancellation = Cancellation()
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "com.filepackages.archive").async {
        continuation.resume(with: Result { try body(cancellation) })
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
}
