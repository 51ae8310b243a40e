import Documents
import FilePackages
import Foundation

// The document as the owner of its file.

extension NSDocument: PresentedModel {
  /// The owner's token of a moment, and the reason for the save.
  private struct Token {
    var value: Any
    var operation: SaveOperationType
  }

  var writesMetadata: Bool { false }

  func adjust(_ options: inout DocumentOptions<ModelContent>) {
    if !Self.autosavesInPlace { options.autosave = nil }
  }

  func readContents(at url: URL) throws { try read(from: url, ofType: typeOrName) }

  /// The type of the document, or else that of its name.
  private var typeOrName: String {
    fileType ?? UTType.ofItem(withExtension: file.fileURL.pathExtension)?.identifier
      ?? UTType.data.identifier
  }

  func takeContents(for _: DocumentSaveOperation) throws -> TakenModel {
    var moment = file.takeMoment()
    moment.note = Token(value: changeCountToken(for: operation), operation: operation)
    let collected = try collectContents(to: file.fileURL, ofType: typeToSave ?? typeOrName)
    return TakenModel(collected.tree, isWritten: collected.isWritten, moment)
  }

  private func collectContents(
    to url: URL, ofType typeName: String
  ) throws -> (tree: FileWrapper, isWritten: Bool) {
    try collect { try writeSafely(to: url, ofType: typeName, for: operation) }
  }

  func didSave(_ moment: ModelMoment) {
    guard let token = moment.note as? Token else { return }
    updateChangeCount(withToken: token.value, for: token.operation)
  }

  func didMove(to url: URL) {
    fileURL = url
    tell { $0.presentedItemDidMove(to: url) }
  }

  func tell(_ body: @escaping @Sendable (any NSFilePresenter) -> Void) {
    presentedItemOperationQueue.addOperation { body(self) }
  }

  func handle(_ error: any Error) {
    lastError = error
    if runningSaves == 0 { presentError(error) }
  }

  /// Presents an error that no completion handler gets.
  func report(_ error: any Error) {
    lastError = error
    presentError(error)
  }

  // MARK: Files

  /// Writes a copy of the contents of this moment.
  func saveCopy(to url: URL, ofType typeName: String, _ completionHandler: @escaping (Bool) -> Void) {
    let result = Result { try collectContents(to: url, ofType: typeName).tree }
    enqueue(completionHandler) { [self] in
      do {
        let tree = try result.get()
        try await BlockingThread().run { try tree.write(to: url, options: .atomic, originalContentsURL: nil) }
        return true
      } catch {
        lastError = error
        return false
      }
    }
  }

  /// Gives a new document the contents of this moment.
  ///
  /// The new document reads a temporary copy, which stays as long as it needs a part of it.
  func copyContents(to new: NSDocument) throws {
    let type = typeOrName
    let name = fileURL?.lastPathComponent ?? displayName ?? defaultDraftName()
    let files = try WrittenFiles.folder(beside: nil)
    let place = URL(fileURLWithPath: "\(files.path)/\(name)")
    operation = .saveToOperation
    defer { operation = .autosaveInPlaceOperation }
    try files.write(try collectContents(to: place, ofType: type).tree, as: name)
    let copy = try files.read(name)
    new.loading = copy
    defer { new.loading = nil }
    try new.read(from: place, ofType: type)
    (new.fileType, new.displayName, new.isDraft) = (type, "\(displayName ?? name) copy", true)
    new.updateChangeCount(.changeReadOtherContents)
  }

  /// Moves the file, and continues with it there.
  func moveFile(to url: URL, _ completionHandler: @escaping ((any Error)?) -> Void) {
    file.enqueue { [self] in
      do {
        try await moveNow(to: url)
        completionHandler(nil)
      } catch {
        completionHandler(error)
      }
    }
  }

  private func moveNow(to url: URL) async throws {
    guard let engine = file.engine else {
      fileURL = url
      return
    }
    try await engine.synchronize()
    let (old, presenter) = (file.fileURL, await engine.filePresenter)
    try await file.access(engine) {
      let coordinator = FileCoordinator(filePresenter: presenter)
      try await coordinator.coordinate(
        writingItemAt: old, options: .forMoving, writingItemAt: url, options: .forReplacing
      ) { old, new in
        try FileManager.default.moveItem(at: old, to: new)
        try await coordinator.item(at: old, didMoveTo: new)
      }
      await engine.presentedItemDidMove(to: url)
    }
    await file.refresh()
    fileURL = url
  }

  /// Begins to close the document as its owner's class wants, unless it closes already.
  func beginClosing() {
    if closing != nil { return }
    // The document stays until it is closed.
    closing = Task {
      if !Self.autosavesInPlace {
        file.forgetUndo()
        file.count(.cleared)
      }
      return await answer { completionHandler in
        closeAfterAutosave { [self] isClosed in
          closing = nil
          completionHandler(isClosed)
        } ifUnsaved: {
          self.file.hasUnsavedChanges
        } _: {
          await self.saveInPlace()
        }
      }
    }
  }

  private func saveInPlace() async -> Bool {
    await answer { completionHandler in
      save(for: .forOverwriting, completionHandler) { _ in self.file.fileURL }
    }
  }
}
