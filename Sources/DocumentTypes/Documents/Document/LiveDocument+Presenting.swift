import FilePackages
package import FoundationEssentials

// DC1 A document that is alone reads and writes at once, and a later access elsewhere waits for that. If the document
//     has made way, or is not alone, it coordinates.
// DC2 If other programs do not answer or do not end in time, the document goes on without them. No edit is lost, since
//     the package has locks of its own.

extension LiveDocument {
  // MARK: Presenting

  /// The document as a presenter, while it is open; nil if it takes no part in coordination. A `FileCoordinator` that
  /// is made with this presenter neither asks nor notifies the document.
  public var filePresenter: (any FilePresenter)? { core.presenter }

  /// Presents the document at `url`, if it takes part in coordination.
  ///
  /// A document presents its place from before its first read until its close. So a coordinated access elsewhere either
  /// asks the document, or is there first and makes it wait.
  package func startPresenting(at url: URL) async {
    guard core.behaviour.isCoordinated else { return }
    let presenter = core.presenter ?? DocumentPresenter(self, at: url)
    presenter.go(to: url)
    core.presenter = presenter
    do {
      try await CoordinationRegistry.shared.add(presenter)
    } catch {
      core.presenter = nil
      report(DocumentError(.coordination, .open, url, cause: error))
    }
  }

  func stopPresenting() async {
    guard let presenter = core.presenter else { return }
    core.presenter = nil
    await CoordinationRegistry.shared.remove(ObjectIdentifier(presenter))
  }

  /// Saves unsaved edits, and waits until other programs see them: one of them is about to read the document.
  ///
  /// - Throws: as `save()`.
  public func savePresentedItemChanges() async throws(DocumentError) {
    guard isOpen else { return }
    try await autosave()
    try await synchronize()
  }

  /// Makes way for an access elsewhere, after the accesses that run without coordination.
  ///
  /// It waits for no step that may wait for another document: two documents that ask each other both get an answer.
  func makeWay() async -> FilePresenter.Reacquirer? {
    core.given += 1
    while core.unclaimed > 0 { await withCheckedContinuation { core.waiting.append($0) } }
    // At once instead of a moment later.
    await publish(in: DocumentTurn())
    return { [weak self] in await self?.takeBack() }
  }

  private func takeBack() { core.given -= 1 }

  // MARK: Taking a turn

  /// Reads or writes in turn with other programs (DC1).
  ///
  /// - Parameter publish: follows `body` before another program's turn begins. Its error does not count.
  package func coordinated<Result: Sendable>(
    _ intent: FileAccessIntent, _ body: () async throws -> Result, publish: () async throws -> Void = {}
  ) async throws -> Result {
    guard let presenter = core.presenter else { return try await body() }
    // If the look fails, the coordinated access below meets the error.
    if core.given == 0, (try? await CoordinationRegistry.shared.isAlone(presenter)) == true, core.given == 0 {
      return try await runUnclaimed(body)
    }
    var result: Swift.Result<Result, any Error>?
    do {
      let coordinator = FileCoordinator(filePresenter: presenter)
      try await coordinator.access([intent], deadline: core.behaviour.coordinationDeadline) {
        do {
          result = .success(try await body())
          try await publish()
        } catch {
          result = result ?? .failure(error)
        }
      }
    } catch {
      // (DC2)
      if result == nil {
        report(DocumentError(.coordination, intent.isWriting ? .save : .open, intent.url, cause: error))
      }
    }
    guard let result else { return try await runUnclaimed(body) }
    return try result.get()
  }

  private func runUnclaimed<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    core.unclaimed += 1
    defer {
      core.unclaimed -= 1
      if core.unclaimed == 0 { while let waiting = core.waiting.popLast() { waiting.resume() } }
    }
    return try await body()
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
