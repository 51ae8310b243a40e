import FilePackages
package import FoundationEssentials

extension LiveDocument {
  // MARK: Presenting

  /// The document as a presenter, while it is open; nil if it takes no part in coordination. A `FileCoordinator` that
  /// is made with this presenter neither asks nor notifies the document.
  public var filePresenter: (any FilePresenter)? { core.coordination.presenter }

  /// Presents the document at `url`, if it takes part in coordination.
  ///
  /// A document presents its place from before its first read until its close. So a coordinated access elsewhere either
  /// asks the document, or is there first and makes it wait.
  package func startPresenting(at url: URL) async {
    guard core.behaviour.isCoordinated else { return }
    do {
      try await core.coordination.present(self, at: url)
    } catch {
      report(DocumentError(.coordination, .open, url, cause: error))
    }
  }

  /// Saves unsaved edits, and waits until other programs see them: one of them is about to read the document.
  ///
  /// - Throws: as `save()`.
  public func savePresentedItemChanges() async throws(DocumentError) {
    guard isOpen else { return }
    try await autosave()
    try await synchronize()
  }

  /// Makes way for an access elsewhere.
  ///
  /// It waits for no step that may wait for another document: two documents that ask each other both get an answer.
  func makeWay() async -> FilePresenter.Reacquirer? {
    await core.coordination.give()
    // At once instead of a moment later.
    await publish(in: DocumentTurn())
    return { [weak self] in await self?.takeBack() }
  }

  private func takeBack() { core.coordination.takeBack() }

  /// Reads or writes in turn with other programs.
  ///
  /// - Parameter publish: follows `body` before another program's turn begins. Its error does not count.
  package func coordinated<Result: Sendable>(
    _ intent: FileAccessIntent, _ body: () async throws -> Result, publish: () async throws -> Void = {}
  ) async throws -> Result {
    try await core.coordination.take(
      intent, deadline: core.behaviour.coordinationDeadline, body, publish: publish,
      resume: {
        report(DocumentError(.coordination, intent.isWriting ? .save : .open, intent.url, cause: $0))
      })
  }

  // MARK: Watching

  /// Begins to take in the events of this watcher, in place of an earlier one.
  package func hear(_ watcher: PackageWatcher?) {
    core.watching?.cancel()
    core.watching = watcher.map { watcher in
      Task { [weak self, place = fileURL] in
        var place = place
        // The document looks for earlier changes once, when the watcher runs.
        await self?.presentedItemDidChange()
        for await event in watcher {
          // Watching ends with the document: this task holds it only while it takes in an event.
          guard let self, !Task.isCancelled else { break }
          await self.hear(event, at: place, in: DocumentTurn())
          if case .moved = event { place = await self.fileURL }
        }
        await watcher.stop()
      }
    }
  }
}
