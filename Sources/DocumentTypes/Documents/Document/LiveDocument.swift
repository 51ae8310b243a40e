public import FilePackages
public import FoundationEssentials

/// An open document, whatever its content: its turns, its autosave, its state, its presenter and its watcher.
///
/// `Document` has a value in memory, and `ManagedDocument` has a database.
public protocol LiveDocument: Actor {
  /// The state that every open document has.
  var core: DocumentCore { get }
  /// Whether the document can be edited and saved.
  var isOpen: Bool { get }
  /// Whether the content differs from the document on disk.
  var hasUnsavedChanges: Bool { get }
  /// The flags of the state that follow from the content and its storage.
  var contentState: DocumentState { get }

  // The steps in which documents differ. Each runs within a turn.

  /// Saves the content.
  ///
  /// - Parameter isPublishing: whether a caller waits until other programs see the save.
  func commit(isPublishing: Bool, in turn: DocumentTurn) async throws -> SaveReport
  /// Returns the error of a save that failed, with the place of the edits.
  func failure(ofSave error: any Error, in turn: DocumentTurn) async -> DocumentError
  /// Makes committed changes visible, before another program's turn begins.
  func publish(in turn: DocumentTurn) async
  /// Waits for the edits that the document has accepted, while it refuses later ones.
  func finishEdits(in turn: DocumentTurn) async
  /// Closes the storage of the document, and leaves it.
  ///
  /// - Parameter report: the report of the last save; nil if the document saved nothing.
  /// - Returns: the report with the outcome of the close.
  func shut(
    discardingChanges: Bool, after report: SaveReport?, in turn: DocumentTurn
  ) async throws(DocumentError) -> SaveReport?
  /// Takes in an event of the watcher.
  ///
  /// - Parameter place: the place of the document that the watcher knows.
  func hear(_ event: PackageWatcher.Event, at place: URL, in turn: DocumentTurn) async

  // The messages of other programs.

  /// Tells the document that another program may have changed it. The state and the error handler report an error.
  func presentedItemDidChange() async
  /// Tells the document that another program moved it. Later reads and saves use `newURL`.
  func presentedItemDidMove(to newURL: URL) async
  /// Tells the document that another program removes it.
  func accommodatePresentedItemDeletion() async throws(DocumentError)
  /// Saves unsaved edits, and waits until other programs see them: one of them is about to read the document.
  ///
  /// - Throws: as `save()`.
  func savePresentedItemChanges() async throws(DocumentError)
  /// Waits until other programs see the last save.
  func synchronize() async throws(DocumentError)
}

/// The permission to make a step of a document. Only this library gives it.
public struct DocumentTurn: Sendable {
  package init() {}
}

/// The state that every open document has. Programs use the members of the document.
public final class DocumentCore {
  package let behaviour: DocumentBehaviour
  package let clock: DocumentClock
  /// The document's place, or its future place.
  package var fileURL: URL
  /// Who may read and write the files now.
  package let turns = AccessQueue()
  /// When the document saves by itself.
  package var autosaver: Autosaver
  /// The presenter; nil if the document takes no part in coordination with other programs.
  var presenter: DocumentPresenter?
  /// The number of accesses elsewhere that the document makes way for.
  var given = 0
  /// The number of running accesses that the document did not coordinate (DC1).
  var unclaimed = 0
  /// The callers that wait for the end of those.
  var waiting: [CheckedContinuation<Void, Never>] = []
  /// Takes in the changes of other programs.
  package var watching: Task<Void, Never>?
  /// The number of `disableEditing()` calls that no `enableEditing()` took back.
  package var editingHolds = 0
  /// Whether the last save, or the last reading after the first, failed.
  package var hasFailed = false
  /// Whether another program removed the document, so that calls throw `deleted`.
  package var isRemoved = false
  /// Called after a change of the state.
  package var stateDidChange: () -> Void = {}
  fileprivate var states = Broadcast<DocumentState>()
  /// The state that was told last; a document begins closed.
  fileprivate var toldState = DocumentState.closed

  package init(_ behaviour: DocumentBehaviour, at url: URL) {
    (self.behaviour, fileURL) = (behaviour, url)
    clock = DocumentClock(behaviour.clock)
    autosaver = Autosaver(behaviour.autosave)
  }

  deinit {
    watching?.cancel()
    states.finish()
    guard let number = presenter.map({ ObjectIdentifier($0) }) else { return }
    Task { await CoordinationRegistry.shared.remove(number) }
  }
}

extension LiveDocument {
  // MARK: Looking

  /// The document's place, or its future place. It changes with a move, and with a save elsewhere.
  public var fileURL: URL { core.fileURL }

  /// The name for the user: the filename without its extension.
  public var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

  /// The document's activity and its problems.
  public var documentState: DocumentState {
    var state = contentState
    if isOpen && core.hasFailed { state.insert(.savingError) }
    if core.editingHolds > 0 { state.insert(.editingDisabled) }
    if core.turns.activity != nil { state.insert(.progressAvailable) }
    return state
  }

  /// The document's states: the present one, and then each later one, once. The stream ends when the document is
  /// released.
  public var stateChanges: AsyncStream<DocumentState> {
    core.states.add(core.toldState) { [weak self] number in
      Task { await self?.stopTelling(number) }
    }
  }

  private func stopTelling(_ number: UInt64) { core.states.remove(number) }

  /// Tells the state, if the step before has changed it (D5).
  package func tellState() {
    let state = documentState
    if state == core.toldState { return }
    core.toldState = state
    core.states.tell(state)
    core.behaviour.eventHandler?(.stateChanged(state))
    core.stateDidChange()
  }

  package func begin(_ activity: DocumentProgress.Activity) {
    core.turns.activity = activity
    tellState()
  }

  /// Ends the activity, after all else that the step changes.
  package func end() {
    core.turns.activity = nil
    tellState()
  }

  // MARK: Editing

  /// Refuses edits until the caller has called `enableEditing()` as many times as this method.
  public func disableEditing() {
    core.editingHolds += 1
    tellState()
  }

  /// Takes back one `disableEditing()`; does nothing if there is none.
  public func enableEditing() {
    core.editingHolds = max(0, core.editingHolds - 1)
    tellState()
  }

  /// Tells the autosaver of a change.
  package func noteChange() {
    guard hasUnsavedChanges else { return core.autosaver.nothingToSave() }
    core.autosaver.edited(at: core.clock.now())
    startAutosaving()
  }

  // MARK: Turns

  /// Calls `block` after every earlier access, and before every later one.
  ///
  /// The document makes no other access to the disk meanwhile. A save, a revert or a closing within `block` or its
  /// child tasks runs at once, as part of it. In a `Task {}` that `block` begins, a save runs after `block`, which must
  /// not wait for it. The method returns after `block`. Cancelling the task that waits does not cancel `block`.
  public func performAsynchronousFileAccess<Result: Sendable>(
    _ block: @escaping @Sendable () async -> Result
  ) async -> Result {
    await perform { _ in await block() }
  }

  /// Runs `body` as one access.
  package func perform<Result: Sendable>(
    _ body: @escaping @Sendable (isolated Self) async -> Result
  ) async -> Result {
    await core.turns.enqueue { await body(self) }.value
  }

  /// Runs `body` as one access; returns its result, or throws its error (D4).
  package func attempt<Success: Sendable>(
    _ body: @escaping @Sendable (isolated Self) async throws(DocumentError) -> Success
  ) async throws(DocumentError) -> Success {
    try await perform { document in await document.outcome(of: body) }.get()
  }

  package func outcome<Success: Sendable>(
    of body: (isolated Self) async throws(DocumentError) -> Success
  ) async -> Result<Success, DocumentError> {
    do throws(DocumentError) {
      return .success(try await body(self))
    } catch {
      return .failure(error)
    }
  }

  // MARK: Errors

  package func error(_ code: DocumentError.Code, _ operation: DocumentError.Operation) -> DocumentError {
    DocumentError(code == .closed && core.isRemoved ? .deleted : code, operation, fileURL)
  }

  /// Passes an error to the error handler, and returns it for the caller to throw.
  @discardableResult
  package func report(_ error: DocumentError) -> DocumentError {
    core.behaviour.errorHandler?(error)
    return error
  }
}
