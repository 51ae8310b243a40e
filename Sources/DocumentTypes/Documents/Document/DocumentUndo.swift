/// Undo and redo of a document's edits.
///
/// ```swift
/// try await document.undo()
/// try await document.redo()
/// let title = await document.undo.undoMenuItemTitle    // such as `Undo Typing`
/// try await document.undo.group("Paste") { document in
///   try document.edit { $0.text += text }
///   try document.edit { $0.selection = nil }
/// }
/// ```
///
/// The members have the names of Apple's `UndoManager`. The members of `UndoState`, such as `canUndo`, can be read
/// here, too, each with its present value. `state` has all of them at one moment.
@dynamicMemberLookup
public struct DocumentUndo<Content: DocumentContent>: Sendable {
  let document: Document<Content>

  // MARK: Looking

  /// The edits that can be undone and redone, and the limits, at one moment.
  public var state: UndoState { get async { await document.undoState() } }

  /// The present value of a member of `UndoState`, such as `canUndo`.
  public subscript<Value: Sendable>(
    dynamicMember member: any KeyPath<UndoState, Value> & Sendable
  ) -> Value {
    get async { await state[keyPath: member] }
  }

  // MARK: Going back and forward

  /// Restores the content before the last edit or the last group of edits; returns false if there is none.
  ///
  /// - Throws: `closed`, `editingDisabled`; `file` if a changed folder in the content could not be read. Nothing has
  ///   changed then.
  @discardableResult
  public func undo() async throws(DocumentError) -> Bool { try await document.goBack() }

  /// The same as `undo()`, so that `document.undo()` undoes.
  @discardableResult
  public func callAsFunction() async throws(DocumentError) -> Bool { try await undo() }

  /// Takes back the last undo; returns false if there was none, or if an edit followed it.
  ///
  /// - Throws: `closed`, `editingDisabled`; `file` as `undo()`.
  @discardableResult
  public func redo() async throws(DocumentError) -> Bool { try await document.goForward() }

  // MARK: Grouping

  /// Calls `body`, and makes one group of its edits: one undo takes back all of them.
  ///
  /// - Parameter actionName: the name of the group; if empty, it has that of its last edit.
  /// - Throws: the error of `body`. The edits before it stay, in the group.
  public func group<Result: Sendable>(
    _ actionName: String = "", _ body: @Sendable (isolated Document<Content>) throws -> Result
  ) async rethrows -> Result {
    try await document.group(actionName, body)
  }

  // MARK: Adjusting

  /// Sets the largest number of groups that can be undone. The document forgets the groups beyond it at once, the
  /// oldest first.
  ///
  /// - Parameter levels: the number; 0 for as many as the byte budget allows.
  public func setLevelsOfUndo(_ levels: Int) async {
    await document.changeHistory { $0.policy.levels = max(0, levels) }
  }

  /// Forgets all undo and redo steps.
  public func removeAllActions() async { await document.changeHistory { $0.removeAll() } }
}
