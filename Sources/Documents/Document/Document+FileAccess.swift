// (1) Accesses run one after the other, in the order of their calls.
// (2) An access that has begun runs to its end, even if its caller is cancelled.
// (3) An access that asks for another one of the same document does not wait for itself.

/// One access to a document's files.
final class FileAccess: Sendable {
  /// The accesses that this task is part of.
  @TaskLocal static var enclosing: [ObjectIdentifier] = []
}

extension Document {
  /// Calls `block` after every earlier access, and before every later one.
  ///
  /// The document makes no other access to the disk meanwhile. Saving, reverting and closing within `block` happen at
  /// once, as part of it. Returns after `block`. Cancelling the task that waits does not cancel `block`.
  public func performAsynchronousFileAccess<Result: Sendable>(
    _ block: @escaping @Sendable () async -> Result
  ) async -> Result {
    await perform { _ in await block() }
  }

  /// Runs `body` as one access. (1) (2)
  func perform<Result: Sendable>(
    _ body: @escaping @Sendable (isolated Document) async -> Result
  ) async -> Result {
    await enqueue(body).value
  }

  /// Runs `body`, which may fail, as one access.
  func attempt<Success: Sendable>(
    _ body: @escaping @Sendable (isolated Document) async throws(DocumentError) -> Success
  ) async throws(DocumentError) -> Success {
    try await perform { document in await Self.result { () throws(DocumentError) in try await body(document) }
    }
    .get()
  }

  func enqueue<Result: Sendable>(
    _ body: @escaping @Sendable (isolated Document) async -> Result
  ) -> Task<Result, Never> {
    // (3)
    if let runningAccess, FileAccess.enclosing.contains(ObjectIdentifier(runningAccess)) {
      return Task { await body(self) }
    }
    let previous = lastAccess
    let task = Task {
      await previous?.value
      let access = FileAccess()
      runningAccess = access
      defer { runningAccess = nil }
      return await FileAccess.$enclosing.withValue(FileAccess.enclosing + [ObjectIdentifier(access)]) {
        await body(self)
      }
    }
    lastAccess = Task { _ = await task.value }
    return task
  }

  static func result<Success: Sendable>(
    _ body: () async throws(DocumentError) -> Success
  ) async -> Result<Success, DocumentError> {
    do throws(DocumentError) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
