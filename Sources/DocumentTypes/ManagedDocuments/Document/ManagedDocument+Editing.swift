public import Documents
import FilePackages
import FoundationEssentials
public import GRDB

extension ManagedDocument {
  /// Changes the database and the files, in one transaction (MD1). A running save does not make it wait (MD3).
  ///
  /// If `body` throws, nothing has happened. Otherwise readers see the whole edit, and it survives if the program is
  /// killed. A power cut may take back the edits since the last save, the newest first. `body` runs on another thread,
  /// and must not keep its arguments. It changes no schema: the migrator does that.
  ///
  /// - Parameter actionName: the user's action, for the Undo menu. Edits of the same name that follow each other at once
  ///   are undone together. Edits without a name are undone one by one.
  /// - Throws: `closed`, `editingDisabled`; `file` if the disk refuses; any error of `body`, such as a `DatabaseError`
  ///   for a constraint.
  @discardableResult
  public func edit<Result: Sendable>(
    _ actionName: String = "",
    _ body: @escaping @Sendable (Database, AdditionalContentEditor) throws -> Result
  ) async throws -> Result {
    try beginEdit(.edit)
    defer { endEdit() }
    do {
      let (result, head) = try await store.edit(actionName, at: core.clock.now().seconds, body)
      if let head { note(head) }
      return result
    } catch {
      throw mapped(error, .edit)
    }
  }

  /// Accepts an edit. The caller calls `endEdit()` after its transaction.
  func beginEdit(_ operation: DocumentError.Operation) throws(DocumentError) {
    guard isOpen else { throw error(.closed, operation) }
    if let refusal = store.refusal { throw failure(of: refusal, operation) }
    if core.editingHolds > 0 { throw error(.editingDisabled, operation) }
    edits.running += 1
  }

  func endEdit() {
    edits.running -= 1
    guard edits.running == 0 else { return }
    for caller in edits.waiting { caller.resume() }
    edits.waiting = []
  }

  /// Waits for the edits that it accepted before it refused others.
  public func finishEdits(in turn: DocumentTurn) async {
    if edits.running > 0 { await withCheckedContinuation { edits.waiting.append($0) } }
  }

  /// Notes the position after a transaction. Calls may come in another order than the transactions.
  func note(_ head: DocumentHead) {
    guard case .open(var opened) = phase, !head.isOlder(than: opened.head) else { return }
    // Another program's save has the edits that a save here could not write.
    if !head.hasUnsavedChanges { core.hasFailed = false }
    if head.savedChange > opened.head.savedChange { opened.disk = .asOthersLeft }
    opened.head = head
    phase = .open(opened)
    noteChange()
    tellState()
  }

  // MARK: Reverting

  /// Restores the state of the last save: takes back all edits of this document since then, and forgets all undo and
  /// redo steps.
  ///
  /// Another open document's edits stay. If they changed the same rows, the merge policy decides.
  ///
  /// - Throws: `closed`; `conflict`; `content` if the changes are not known, because the document does not undo or
  ///   because a migration changed the schema; `file`. The document is then as it was.
  public func revertToSaved() async throws(DocumentError) {
    guard isOpen else { throw error(.closed, .revert) }
    disableEditing()
    defer { enableEditing() }
    await finishEdits(in: DocumentTurn())
    try await takeBackUnsaved()
  }

  func takeBackUnsaved() async throws(DocumentError) {
    guard isOpen else { throw error(.closed, .revert) }
    do {
      if let head = try await store.revertToSaved(at: core.clock.now().seconds) { note(head) }
    } catch {
      throw report(failure(of: error, .revert))
    }
  }
}
