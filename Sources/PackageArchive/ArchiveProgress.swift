import Dispatch
import Synchronization

/// How far an export or an import is.
public struct ArchiveProgress: Sendable, Hashable {
  /// Entries that are done.
  public var entries = 0
  /// Bytes of children that are done.
  public var bytes: UInt64 = 0

  /// Is told how far it is, on a thread of the work's own: about once for each entry and each mebibyte.
  public typealias Handler = @Sendable (ArchiveProgress) -> Void
}

/// Whether somebody still wants the result.
final class Cancellation: Sendable {
  private let isCancelled = Atomic(false)

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }

  /// - Throws: `CancellationError` once it was cancelled.
  func check() throws {
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
  }
}

/// Does what blocks on a thread of its own, and passes on that the task was cancelled. Shared threads would be too few
/// where each waits for work that needs another one.
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
