import Documents
public import Foundation

// The document as the owner of its file.

extension UIDocument: PresentedModel {
  /// The notification of a new state, with the document as its object.
  public nonisolated static let stateChangedNotification = NSNotification.Name(
    "UIDocumentStateChangedNotification")
  /// The key of the document's URL in the values of its activity.
  public nonisolated static let userActivityURLKey = "NSUserActivityDocumentURL"

  /// The change count token of a moment.
  private struct Token {
    let value: Any
    let operation: SaveOperation
    /// The extension that the subclass wants for a new document; nil for another save.
    let fileExtension: String?
  }

  func adjust(_ options: inout DocumentOptions<ModelContent>) {
    (options.autosave, options.recoveryFolder) = (autosavePolicy, recoveryFolder)
  }

  func readContents(at url: URL) throws { try read(from: url) }

  func takeContents(for operation: SaveOperation) throws -> TakenModel {
    var moment = file.takeMoment()
    let token = changeCountToken(for: operation)
    let type = savingFileType ?? fileType ?? UTType.data.identifier
    let isNew = operation == .forCreating
    let fileExtension = isNew ? fileNameExtension(forType: type, saveOperation: operation) : nil
    moment.note = Token(value: token, operation: operation, fileExtension: fileExtension)
    let collected = try collect {
      let contents = try contents(forType: type)
      let attributes = try fileAttributesToWrite(to: fileURL, for: operation)
      try writeContents(contents, andAttributes: attributes, safelyTo: fileURL, for: operation)
    }
    return TakenModel(collected.tree, isWritten: collected.isWritten, moment)
  }

  /// Returns the place of a save to `url`. The extension for a new document counts only if the subclass chose it.
  func target(of url: URL, _ taken: TakenModel) -> URL {
    guard let chosen = (taken.moment.note as? Token)?.fileExtension, !chosen.isEmpty,
      chosen != url.pathExtension, chosen != fileURL.pathExtension
    else { return url }
    return url.deletingPathExtension().appendingPathExtension(chosen)
  }

  func didSave(_ moment: ModelMoment) {
    guard let token = moment.note as? Token else { return }
    updateChangeCount(withToken: token.value, for: token.operation)
  }

  func stateDidChange() {
    NotificationCenter.default.post(name: Self.stateChangedNotification, object: self)
  }

  func placeDidChange() {
    if fileURL != activityURL { userActivity?.needsSave = true }
    activityURL = fileURL
  }

  func didMove(to url: URL) { presentedItemDidMove(to: url) }
  func tell(_ body: @escaping @Sendable (any NSFilePresenter) -> Void) { body(self) }
  func handle(_ error: any Error) { handleError(error, userInteractionPermitted: true) }
}

extension UIDocument: @preconcurrency NSUserActivityDelegate {
  /// Calls `updateUserActivityState(_:)`.
  public func userActivityWillSave(_ userActivity: NSUserActivity) { updateUserActivityState(userActivity) }
}
