public import Documents
import FilePackages
import FoundationEssentials

extension ManagedDocument {
  /// The document as a presenter, while it is open; nil if it takes no part in coordination. A `FileCoordinator` that
  /// is made with this presenter neither asks nor notifies the document.
  public var filePresenter: (any FilePresenter)? { coordination.presenter }

  /// Presents the document at its place, if it takes part in coordination.
  func startPresenting() async {
    guard options.isCoordinated else { return }
    do {
      try await coordination.present(at: fileURL) { makePresenter() }
    } catch {
      report(DocumentError(.coordination, .open, fileURL, cause: error))
    }
  }

  private func makePresenter() -> DocumentPresenter {
    DocumentPresenter(
      fileURL,
      .init(
        makeWay: { [weak self] in await self?.makeWay() },
        save: { [weak self] in try await self?.savePresentedItemChanges() },
        accommodateDeletion: { [weak self] in try await self?.close() },
        move: { [weak self] in await self?.presentedItemDidMove(to: $0) },
        change: { [weak self] in await self?.presentedItemDidChange() }))
  }

  /// Saves unsaved edits, publishes them, and brings the write-ahead log into the database's own file: another program
  /// is about to read the document.
  ///
  /// - Throws: as `save()` and `synchronize()`.
  public func savePresentedItemChanges() async throws(DocumentError) {
    guard isOpen else { return }
    try await autosave()
    try await synchronize()
    do {
      try await folder.checkpoint()
    } catch {
      throw report(failure(of: error, .save))
    }
  }

  private func makeWay() async -> FilePresenter.Reacquirer? {
    await coordination.give()
    // No file may get its visible name after another program's turn began. The error handler has the error.
    do { try note(await folder.publish(), .save) } catch {}
    return { [weak self] in await self?.takeBackTurn() }
  }

  private func takeBackTurn() { coordination.takeBack() }

  /// Publishes in turn with other programs.
  func coordinated<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await coordination.take(
      .writingIntent(with: fileURL), deadline: options.coordinationDeadline, body, publish: {},
      resume: { report(DocumentError(.coordination, .save, fileURL, cause: $0)) })
  }
}
