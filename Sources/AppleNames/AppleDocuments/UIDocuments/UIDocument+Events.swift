import Documents
import FilePackages
import Foundation

// The events and the errors of the engine, as the subclass gets them.

extension UIDocument {
  /// The program has resolved a conflict version of a document.
  func note(_ resolution: NSFileVersion.Resolution) async {
    guard let engine = opened?.engine, isSamePlace(resolution.url, fileURL) else { return }
    await engine.checkForConflicts()
    await refresh()
    presentedItemDidResolveConflict(resolution.version)
  }

  /// Takes in an event of the engine.
  func note(_ event: DocumentEvent) async {
    // The tree that the other program's change met.
    let known = opened?.content.read
    switch event {
    case .changedByOthers(.reloaded, _): enqueue(nil) { await $0.mergeExternalChanges() }
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
    case .changedByOthers(let outcome, let paths):
      enqueue(nil) { document in
        document.tellChildren(paths, known)
        document.presentedItemDidChange()
        if outcome == .conflict { await document.tellNewConflict() }
        return true
      }
    default: break
    }
  }

  /// Tells the subclass of changed children of a package.
  ///
  /// - Parameter known: the tree that it knew; nil for a document that was made and never read.
  private func tellChildren(_ paths: [String], _ known: FileWrapper?) {
    guard known?.isDirectory ?? FileManager.default.isFolder(at: fileURL) else { return }
    for path in paths where !path.isEmpty {
      let url = fileURL.appending(path: path, directoryHint: .notDirectory)
      var isNew = false
      // A child that cannot be looked at was known.
      do { isNew = try known.map { try $0.descendant(at: path) == nil } ?? false } catch {}
      if isNew { presentedSubitemDidAppear(at: url) } else { presentedSubitemDidChange(at: url) }
    }
  }

  private func tellNewConflict() async {
    let url = fileURL
    // Reading the versions waits for the disk.
    let newest = await BlockingThread().run { NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.first }
    if let newest { presentedItemDidGain(newest) }
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

extension FileManager {
  /// Returns whether a folder is at a URL.
  func isFolder(at url: URL) -> Bool {
    var isDirectory: ObjCBool = false
    return fileExists(atPath: url.path, isDirectory: &isDirectory) && isDirectory.boolValue
  }
}
