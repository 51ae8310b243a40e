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
  /// The number of the observer's last edit that the content has.
  var lastEdit: UInt64
}

/// The observers of a document; each gets the newest snapshot.
struct DocumentObservers<Content: DocumentContent>: Sendable {
  private struct Observer {
    var continuation: AsyncStream<DocumentSnapshot<Content>>.Continuation
    var lastEdit: UInt64 = 0
  }

  private var observers: [UInt64: Observer] = [:]
  private var lastNumber: UInt64 = 0
  /// The number of snapshots so far.
  var snapshotCount: UInt64 = 0
  /// While true, observers hear nothing; the end of the step tells them once.
  var isHeld = false

  var isEmpty: Bool { observers.isEmpty }

  mutating func add() -> (number: UInt64, snapshots: AsyncStream<DocumentSnapshot<Content>>) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DocumentSnapshot<Content>.self, bufferingPolicy: .bufferingNewest(1))
    lastNumber += 1
    observers[lastNumber] = Observer(continuation: continuation)
    return (lastNumber, stream)
  }

  mutating func remove(_ number: UInt64) { observers[number] = nil }

  mutating func note(edit: UInt64, of number: UInt64) { observers[number]?.lastEdit = edit }

  func lastEdit(of number: UInt64) -> UInt64 { observers[number]?.lastEdit ?? 0 }

  func tell(_ snapshot: DocumentSnapshot<Content>) {
    for observer in observers.values {
      var snapshot = snapshot
      snapshot.lastEdit = observer.lastEdit
      observer.continuation.yield(snapshot)
    }
  }

  func finish() {
    for observer in observers.values { observer.continuation.finish() }
  }
}

extension Document {
  /// The snapshots of the document, beginning with the present one.
  func makeSnapshots() -> (number: UInt64, snapshots: AsyncStream<DocumentSnapshot<Content>>) {
    let made = observers.add()
    core.stateDidChange = { [weak self] in self?.assumeIsolated { $0.tellObservers() } }
    tellObservers()
    return made
  }

  func endSnapshots(_ number: UInt64) { observers.remove(number) }

  /// Makes an observer's edit, and tells it together with the edit's number.
  func edit(
    _ actionName: String, number: UInt64, of observer: UInt64,
    _ body: @escaping @Sendable (inout Content) throws -> Void
  ) throws {
    observers.isHeld = true
    defer {
      observers.isHeld = false
      tellObservers()
    }
    // An edit that fails is done, too: the observer does not make it again.
    observers.note(edit: number, of: observer)
    try edit(actionName, body)
  }

  /// Goes back or forward for an observer.
  func step(back: Bool, number: UInt64, of observer: UInt64) throws(DocumentError) {
    observers.isHeld = true
    defer {
      observers.isHeld = false
      tellObservers()
    }
    observers.note(edit: number, of: observer)
    _ = try back ? undo() : redo()
  }

  /// Tells the observers of the present snapshot, if there are any.
  func tellObservers() {
    if observers.isEmpty || observers.isHeld { return }
    observers.tell(snapshot(for: 0))
  }

  /// The present snapshot, for one observer.
  func snapshot(for observer: UInt64) -> DocumentSnapshot<Content> {
    observers.snapshotCount += 1
    return DocumentSnapshot(
      content: lifecycle.content, documentState: documentState, undo: history.state, fileURL: fileURL,
      number: observers.snapshotCount, lastEdit: observers.lastEdit(of: observer))
  }
}
