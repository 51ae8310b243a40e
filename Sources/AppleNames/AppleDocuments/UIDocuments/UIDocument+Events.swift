import Documents
import Foundation

// The events and the errors of the engine, as the subclass gets them.

extension UIDocument {
  /// The program has resolved the conflict versions of the document at `url`.
  func noteResolution(at url: URL) async {
    guard let engine = opened?.engine, isSamePlace(url, fileURL) else { return }
    await engine.checkForConflicts()
    await refresh()
  }

  /// Takes in an event of the engine.
  func note(_ event: DocumentEvent) async {
    switch event {
    case .changedByOthers(.reloaded, _), .changedByOthers(.merged, _):
      enqueue(nil) { await $0.mergeExternalChanges() }
    case .changedByOthers(.deleted, _):
      if let engine = opened?.engine, await !engine.isOpen, opened?.engine === engine { opened = nil }
    case .saved:
      hasFailed = false
      noteSave()
    default: break
    }
    await refresh()
    switch event {
    case .moved(let url): presentedItemDidMove(to: url)
    case .changedByOthers(.deleted, _): accommodatePresentedItemDeletion { _ in }
    case .changedByOthers:
      enqueue(nil) { document in
        document.presentedItemDidChange(); return true
      }
    default: break
    }
  }

  /// Loads what another program has written, unless the user has edited meanwhile.
  private func mergeExternalChanges() async -> Bool {
    // A closed document has no content.
    guard let (engine, content) = opened, let present = try? await engine.content,
      present.link !== content.link
    else { return true }
    if hasUnsavedChanges {
      await goOnWithEdits(in: engine)
      return true
    }
    holdEditing()
    defer { releaseEditing() }
    return await loadAgain(engine)
  }

  /// Reports the error of the present call to the subclass, after the state has it.
  func fail(_ error: any Error) async {
    await refresh()
    reportErrors()
    // The engine reports nearly all of its errors itself.
    if reportedErrors == 0 { handleError(error, userInteractionPermitted: true) }
  }

  /// Reports the errors of the engine to the subclass.
  func reportErrors() {
    for error in relay.takeErrors() {
      reportedErrors += 1
      handleError(
        error.code == .content ? error.cause ?? error : error, userInteractionPermitted: true)
    }
  }
}
