import FoundationEssentials

/// A document at one moment, for a front of it on another actor.
struct DocumentSnapshot<Content: DocumentContent>: Sendable {
  /// Nil if the document has no content any more.
  var content: Content?
  var documentState: DocumentState
  var undo: UndoState
  var fileURL: URL
  /// Later views have greater numbers.
  var number: UInt64
  /// The number of the front's last edit that the content has.
  var lastEdit: UInt64
}

/// The fronts of a document; each gets the newest view.
struct DocumentObservers<Content: DocumentContent>: Sendable {
  private struct Viewer {
    var continuation: AsyncStream<DocumentSnapshot<Content>>.Continuation
    var lastEdit: UInt64 = 0
  }

  private var viewers: [UInt64: Viewer] = [:]
  private var lastNumber: UInt64 = 0
  /// The number of views so far.
  var viewCount: UInt64 = 0
  /// Whether a step is under way whose parts belong together.
  var isHeld = false

  var isEmpty: Bool { viewers.isEmpty }

  mutating func add() -> (number: UInt64, views: AsyncStream<DocumentSnapshot<Content>>) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DocumentSnapshot<Content>.self, bufferingPolicy: .bufferingNewest(1))
    lastNumber += 1
    viewers[lastNumber] = Viewer(continuation: continuation)
    return (lastNumber, stream)
  }

  mutating func remove(_ number: UInt64) { viewers[number] = nil }

  mutating func note(edit: UInt64, of number: UInt64) { viewers[number]?.lastEdit = edit }

  func lastEdit(of number: UInt64) -> UInt64 { viewers[number]?.lastEdit ?? 0 }

  func tell(_ view: DocumentSnapshot<Content>) {
    for viewer in viewers.values {
      var view = view
      view.lastEdit = viewer.lastEdit
      viewer.continuation.yield(view)
    }
  }

  func finish() {
    for viewer in viewers.values { viewer.continuation.finish() }
  }
}

extension Document {
  /// The views of the document, beginning with the present one.
  func makeViews() -> (number: UInt64, views: AsyncStream<DocumentSnapshot<Content>>) {
    let made = viewers.add()
    tellViewers()
    return made
  }

  func endViews(_ number: UInt64) { viewers.remove(number) }

  /// Makes a front's edit, and tells it together with the edit's number.
  func edit(
    _ actionName: String, number: UInt64, of viewer: UInt64,
    _ body: @escaping @Sendable (inout Content) throws -> Void
  ) throws {
    viewers.isHeld = true
    defer {
      viewers.isHeld = false
      tellViewers()
    }
    // An edit that fails is done, too: the front does not make it again.
    viewers.note(edit: number, of: viewer)
    try edit(actionName, body)
  }

  /// Goes back or forward for a front.
  func step(back: Bool, number: UInt64, of viewer: UInt64) throws(DocumentError) {
    viewers.isHeld = true
    defer {
      viewers.isHeld = false
      tellViewers()
    }
    viewers.note(edit: number, of: viewer)
    _ = try back ? goBack() : goForward()
  }

  /// Tells the viewers of the present view, if there are any.
  func tellViewers() {
    if viewers.isEmpty || viewers.isHeld { return }
    viewers.tell(view(for: 0))
  }

  /// The present view, for one viewer.
  func view(for viewer: UInt64) -> DocumentSnapshot<Content> {
    viewers.viewCount += 1
    return DocumentSnapshot(
      content: lifecycle.content, documentState: documentState, undo: history.state, fileURL: fileURL,
      number: viewers.viewCount, lastEdit: viewers.lastEdit(of: viewer))
  }
}
