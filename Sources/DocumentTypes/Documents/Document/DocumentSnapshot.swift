import FoundationEssentials

/// A document at one moment, for an observer of it on another actor.
struct DocumentSnapshot<Content: DocumentContent>: Sendable {
  /// Nil if the document has no content any more.
  var content: Content?
  var documentState: DocumentState
  var undo: UndoState
  var fileURL: URL
  /// Later snapshots have greater numbers.
  var number: UInt64
}

extension Document {
  /// The snapshots of the document, beginning with the present one. A listener that is late gets the newest one.
  func makeSnapshots() -> AsyncStream<DocumentSnapshot<Content>> {
    core.stateDidChange = { [weak self] in self?.assumeIsolated { $0.tellObservers() } }
    return observers.add(documentSnapshot(), bufferingPolicy: .bufferingNewest(1)) { [weak self] number in
      Task { await self?.endSnapshots(number) }
    }
  }

  private func endSnapshots(_ number: UInt64) { observers.remove(number) }

  /// Tells the observers of the present snapshot, if there are any.
  func tellObservers() {
    if !observers.isEmpty { observers.tell(documentSnapshot()) }
  }

  func documentSnapshot() -> DocumentSnapshot<Content> {
    snapshotCount += 1
    return DocumentSnapshot(
      content: lifecycle.content, documentState: documentState, undo: history.state, fileURL: fileURL,
      number: snapshotCount)
  }
}
