import FilePackages

/// A document whose saves follow each other, and which saves by itself: a `Document`, or one with a database.
package protocol AutosavingDocument: Actor {
  nonisolated var clock: DocumentClock { get }
  var accesses: AccessQueue { get }
  var autosaver: Autosaver { get set }
  var isOpen: Bool { get }
  var hasUnsavedChanges: Bool { get }

  /// Saves the document within an access, and tells the outcome.
  ///
  /// - Parameter isPublishing: whether a caller waits until other programs see the save.
  func write(isPublishing: Bool) async throws(DocumentError) -> SaveReport
}

extension AutosavingDocument {
  /// Saves the document after the accesses before, together with the callers that wait for the same save.
  package func saveCoordinated(isPublishing: Bool) async throws(DocumentError) -> SaveReport {
    try await accesses.enqueueSave(isPublishing: isPublishing) { begins in await self.writeNow(begins) }
      .value.get()
  }

  private func writeNow(_ begins: @Sendable () -> Bool) async -> Result<SaveReport, DocumentError> {
    // No `await` may come between this and the beginning of the save.
    let isPublishing = begins()
    do throws(DocumentError) {
      return .success(try await write(isPublishing: isPublishing))
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
        // No caller waits until other programs see the save.
        _ = try? await saveCoordinated(isPublishing: false)
      }
    }
    autosaver.endsWaiting()
  }
}
