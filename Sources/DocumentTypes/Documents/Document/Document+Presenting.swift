import DurableIO
import FilePackages
import FoundationEssentials

extension Document {
  /// The document as a presenter, while it is open; nil if it takes no part in coordination. A `FileCoordinator` that
  /// is made with this presenter neither asks nor notifies the document.
  public var filePresenter: (any FilePresenter)? { coordination.presenter }

  // MARK: Presenting

  /// Presents the document at `url`, if it takes part in coordination.
  ///
  /// A document presents its place from before its first read until its close. So a coordinated access elsewhere either
  /// asks the document, or is there first and makes it wait.
  func startPresenting(at url: URL) async {
    guard options.isCoordinated, storageEnvironment.disk.isReal else { return }
    do {
      try await coordination.present(at: url) { makePresenter(url) }
    } catch {
      report(DocumentError(.coordination, .open, url, cause: error))
    }
  }

  func stopPresenting() async { await coordination.stopPresenting() }

  private func makePresenter(_ url: URL) -> DocumentPresenter {
    DocumentPresenter(
      url,
      .init(
        makeWay: { [weak self] in await self?.makeWay() },
        save: { [weak self] in try await self?.savePresentedItemChanges() },
        accommodateDeletion: { [weak self] in try await self?.accommodatePresentedItemDeletion() },
        move: { [weak self] in await self?.presentedItemDidMove(to: $0) },
        change: { [weak self] in await self?.presentedItemDidChange() }))
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
  private func makeWay() async -> FilePresenter.Reacquirer? {
    await coordination.give()
    do {
      // Publishes committed children at once instead of a moment later.
      try await lifecycle.opened?.storage.publish()
    } catch {
      report(DocumentError(error, .save, fileURL))
    }
    return { [weak self] in await self?.takeBack() }
  }

  private func takeBack() { coordination.takeBack() }

  /// Reads or writes in turn with other programs.
  func coordinated<Result: Sendable>(
    _ kind: AccessRequest.Kind, at url: URL, _ body: () async throws -> Result
  ) async throws -> Result {
    let isRead = kind == .read
    return try await coordination.take(
      isRead ? .readingIntent(with: url) : .writingIntent(with: url), deadline: options.coordinationDeadline,
      body,
      // No child may get its visible name after another program's turn began.
      publish: { if !isRead { try await lifecycle.opened?.storage.publish() } },
      resume: { report(DocumentError(.coordination, isRead ? .open : .save, url, cause: $0)) })
  }

  // MARK: Watching

  /// Begins to take in other programs' changes at the document's place.
  func startWatching() async {
    guard let storage = lifecycle.opened?.storage else { return }
    hear(await makeWatcher(of: storage, at: fileURL))
  }

  /// Makes a watcher; nil if the document does not watch, or if no watcher can run.
  func makeWatcher(of storage: any DocumentStorage, at url: URL) async -> PackageWatcher? {
    guard options.watchesDisk, storageEnvironment.disk.isReal else { return nil }
    do {
      return try await PackageWatcher.watch(url, knowing: storage)
    } catch {
      // A save still finds the changes of other programs before it writes over them.
      report(DocumentError(error, .open, url))
      return nil
    }
  }

  /// Begins to take in the events of this watcher, in place of an earlier one.
  func hear(_ watcher: PackageWatcher?) {
    lifecycle.opened?.watching?.cancel()
    lifecycle.opened?.watching = watcher.map { watcher in
      Task { [weak self, place = fileURL] in
        var place = place
        // The document looks for earlier changes once, when the watcher runs.
        await self?.presentedItemDidChange()
        for await event in watcher {
          // Watching ends with the document: this task holds it only while it takes in an event.
          guard let self, !Task.isCancelled else { break }
          await self.mergeExternalChanges(event, at: place)
          if case .moved = event { place = await self.fileURL }
        }
        await watcher.stop()
      }
    }
  }

  /// - Parameter place: the place of the document that the watcher knows.
  private func mergeExternalChanges(_ event: PackageWatcher.Event, at place: URL) async {
    switch event {
    case .changed, .replaced, .overflow: await presentedItemDidChange()
    case .moved(let url): await follow(to: url)
    case .deleted:
      do {
        try await accommodateDeletion(at: place)
      } catch {
        report(error)
      }
    }
  }
}
