public import FilePackages
public import FoundationEssentials
public import Observation

/// A `Document` for a user interface: on the main actor, with a content that can be read and edited at once.
///
/// ```swift
/// let notes = try await ObservableDocument<Notes>.open(at: url)
/// try notes.edit("Typing") { $0.text += "!" }
/// print(notes.content.text)
/// try await notes.close()
/// ```
///
/// An edit changes `content` before the call returns, and the document makes the same edit soon after, in order.
/// Another program or another caller may edit the document meanwhile. When the document has made all edits of this
/// object, `content` becomes the document's content. So the closure of an edit runs twice, and must change nothing but
/// the content.
///
/// A content that refers to folders of `FileWrapper`s shares them with the document. Its edits run once, on the
/// document, and `content` has them after that.
///
/// `Observation` reports changes of each property.
@MainActor @Observable
public final class ObservableDocument<Content: DocumentContent> {
  private enum Step {
    case edit(String, @Sendable (inout Content) throws -> Void)
    case undo
    case redo
  }

  /// The document.
  @ObservationIgnored public nonisolated let document: Document<Content>
  /// The content with all edits; the last one if the document is closed.
  public private(set) var content: Content
  /// The document's activity and its problems.
  public private(set) var documentState: DocumentState
  /// The edits that can be undone and redone, and the limits, as the document last reported them.
  public private(set) var undoState: UndoState
  /// The document's place.
  public private(set) var fileURL: URL
  /// The error of a step that the document refused after the call had returned; nil again with the next step.
  public private(set) var lastError: (any Error)?

  /// The steps that the document has not begun to make.
  @ObservationIgnored private var pending: [Step] = []
  /// Makes the steps, and then shows the document's content.
  @ObservationIgnored private var isMaking: Task<Void, Never>?
  /// The newest snapshot, with its content if that is not shown yet.
  @ObservationIgnored private var newest: DocumentSnapshot<Content>?
  @ObservationIgnored private var listening: Task<Void, Never>?

  /// Makes an observer of an open document.
  ///
  /// - Throws: `closed` if the document has no content.
  public init(_ document: Document<Content>) async throws(DocumentError) {
    self.document = document
    content = try await document.content
    (documentState, undoState) = (await document.documentState, await document.undoState)
    fileURL = await document.fileURL
    let snapshots = await document.makeSnapshots()
    listening = Task { [weak self] in
      for await snapshot in snapshots { self?.show(snapshot) }
    }
  }

  /// Opens the document at `url`.
  ///
  /// - Throws: as `Document.open(at:options:)`.
  public static func open(
    at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> ObservableDocument {
    try await ObservableDocument(Document.open(at: url, options: options))
  }

  /// Makes a document of the content at `url`, and opens it.
  ///
  /// - Throws: as `Document.create(_:at:options:)`.
  public static func create(
    _ content: Content, at url: URL, options: DocumentOptions<Content> = .init()
  ) async throws(DocumentError) -> ObservableDocument {
    try await ObservableDocument(Document.create(content, at: url, options: options))
  }

  deinit { listening?.cancel() }

  // MARK: Editing

  /// Changes the content, and remembers the previous content for undo.
  ///
  /// - Parameters:
  ///   - actionName: the user's action, for the Undo menu.
  ///   - body: the edit, which runs twice: here, and on the document.
  /// - Throws: the error of `body`; the content is then as it was. If the content refers to folders of `FileWrapper`s,
  ///   `lastError` gets the error instead.
  public func edit(
    _ actionName: String = "", _ body: @escaping @Sendable (inout Content) throws -> Void
  ) throws {
    if isApart(content) {
      var edited = content
      try body(&edited)
      content = edited
    }
    add(.edit(actionName, body))
  }

  /// Whether an edit of this copy leaves the document's content alone: it is no class, and shares no folder with it.
  private func isApart(_ content: Content) -> Bool {
    !Content.isReference && content.heldFolders.isEmpty
  }

  /// Restores the content before the last edit or the last group of edits, soon after the call.
  public func undo() { add(.undo) }

  /// Takes back the last undo, soon after the call.
  public func redo() { add(.redo) }

  /// Waits until the document has made all steps, and `content` is its content.
  public func drain() async {
    while let making = isMaking { await making.value }
    // The snapshot after the last step may still be on its way.
    await refresh()
  }

  private func add(_ step: Step) {
    lastError = nil
    pending.append(step)
    if isMaking == nil { isMaking = Task { await make() } }
  }

  /// Makes the pending steps, one after the other.
  private func make() async {
    var present: DocumentSnapshot<Content>
    repeat {
      while !pending.isEmpty {
        do { try await make(pending.removeFirst()) } catch { lastError = error }
      }
      present = await document.documentSnapshot()
      // The user may have edited meanwhile.
    } while !pending.isEmpty
    isMaking = nil
    show(present)
  }

  private func make(_ step: Step) async throws {
    switch step {
    case .edit(let name, let body): try await document.edit(name, body)
    case .undo: try await document.undo()
    case .redo: try await document.redo()
    }
  }

  // MARK: Saving and closing

  /// Saves the content with all edits so far: see `Document.save()`.
  @discardableResult
  public func save() async throws(DocumentError) -> SaveReport {
    await drain()
    return try await document.save()
  }

  /// Saves and closes the document: see `Document.close()`.
  public func close() async throws(DocumentError) {
    await drain()
    try await document.close()
    await refresh()
  }

  // MARK: Showing

  private func refresh() async { show(await document.documentSnapshot()) }

  private func show(_ snapshot: DocumentSnapshot<Content>) {
    // An older snapshot may come after a newer one that this object asked for.
    if snapshot.number > newest?.number ?? 0 {
      newest = snapshot
      (documentState, undoState, fileURL) = (snapshot.documentState, snapshot.undo, snapshot.fileURL)
    }
    // Before the document has made all steps, its content lacks edits that this one has.
    guard isMaking == nil, let present = newest?.content else { return }
    content = present
    newest?.content = nil
  }
}
