import FilePackages

/// A document whose saves follow each other, and which saves by itself: a `Document`, or one with a database.
package protocol AutosavingDocument: Actor {
  nonisolated var clock: DocumentClock { get }
  var accesses: AccessQueue { get }
  var autosaver: Autosaver { get set }
  var isOpen: Bool { get }
  var hasUnsavedChanges: Bool { get }

  /// Saves the document within an access, and tells the outcome.
  func write() async throws(DocumentError) -> SaveReport
}

extension AutosavingDocument {
  /// Saves the document after the accesses before, together with the callers that wait for the same save.
  package func saveCoordinated() async throws(DocumentError) -> SaveReport {
    try await accesses.enqueueSave { begins in await self.writeNow(begins) }.value.get()
  }

  private func writeNow(_ begins: @Sendable () -> Void) async -> Result<SaveReport, DocumentError> {
    // No `await` may come between this and the beginning of the save.
    begins()
    do throws(DocumentError) {
      return .success(try await write())
    } catch {
      return .failure(error)
    }
  }

  /// Begins to wait for the next autosave. The waiting task keeps the document alive.
  package func startAutosaving() {
    guard isOpen, hasUnsavedChanges, autosaver.needsTask else { return }
    autosaver.wait(in: Task { await autosaveWhileChanged() })
  }

  private func autosaveWhileChanged() async {
    while !Task.isCancelled, hasUnsavedChanges, let due = autosaver.due {
      if clock.now() < due {
        await clock.sleep(due)
      } else {
        // `write()` reports an error to the state and the error handler, and the autosaver has the next attempt.
        _ = try? await saveCoordinated()
      }
    }
    autosaver.endsWaiting()
  }
}
