import Documents
import DurableIO
import FilePackages
import Foundation

// MF1 The revision that a save writes is taken with the model's state, in one step of the main actor. So an undo after a
//     save never looks saved while the disk has the undone change.
// MF2 The engine's "unsaved" follows that of the file, a moment later and in the same order.
// MF3 An error leaves the model, its changes and its undo as they are. Only a revert that succeeds gives them up.
// MF4 A save and a close write the model's changes, also if the engine has just read another program's change that the
//     model has not got yet. They check that within an access of the engine, which reads nothing meanwhile.

/// A document on disk whose model lives on the main actor.
///
/// `UIDocument`, `NSDocument`, `ReferenceDocument` and `SnapshotDocument` each own one. Its methods run within a call:
/// `run` and `enqueue` make the calls, one after the other.
@MainActor
final class ModelFile {
  typealias Engine = Documents.Document<ModelContent>

  /// The types of the model.
  nonisolated let types: ContentTypeLists
  /// The messages of the engine, and what any thread may read.
  nonisolated let news: ModelNews
  weak var owner: (any ModelOwner)?
  /// The options of an engine for a place.
  var options: (URL) -> DocumentOptions<ModelContent> = { _ in DocumentOptions() }

  /// The document's place, or its future place.
  var fileURL: URL { didSet { news.url = fileURL } }
  /// The last known modification date of the document on disk.
  var fileModificationDate: Date?
  /// The flags of the document's state.
  private(set) var documentState: DocumentState = .closed
  /// The document that reads and saves; nil while this one is closed.
  var engine: Engine?
  /// The present content of the engine.
  var content: ModelContent?

  // The parts of the state.
  private var engineState: DocumentState = []
  private var editingHolds = 0
  /// Whether the last save or the last reading failed.
  var hasFailed = false
  /// The download of the content at this moment.
  var download: Progress? { didSet { updateState() } }

  /// The manager whose groups are the changes of the model.
  var undoManager: UndoManager? { didSet { observe() } }
  private var observer: UndoObserver?

  var changes = ChangeTracker()
  /// The number of changes up to now.
  private(set) var edits: UInt64 = 0
  /// The moments that the engine writes or has written, until the file knows the outcome.
  var moments: [UInt64: ModelMoment] = [:]
  var lastMoment: UInt64 = 0
  /// The tree that the next save writes; nil for that of the model then.
  var prepared: TakenModel?

  private let calls = SerialQueue()
  /// The messages to the engine (MF2).
  let messages = SerialQueue()
  /// The children that other programs changed, and that the engine has read and the model has not.
  var reloaded: [String] = []
  /// The events that the owner has not heard.
  var unheard: [DocumentEvent] = []
  var isHearing = false
  /// The number of errors that the owner has got since the present call began.
  private var reportedErrors = 0

  init(at url: URL, types: ContentTypeLists = ContentTypeLists(readable: [.item], writable: [.item])) {
    (fileURL, self.types, news) = (url, types, ModelNews(url))
    news.attach(self)
  }

  // MARK: Calls

  /// The call that was enqueued last.
  var lastCall: Task<Void, Never>? { calls.last }

  /// Runs `body` after every earlier call.
  func enqueue(_ body: @escaping @MainActor () async -> Void) {
    calls.enqueue { @MainActor in
      self.reportedErrors = 0
      await body()
    }
  }

  /// Runs `body` after every earlier call, and returns its result.
  func run<Result: Sendable>(_ body: @escaping @MainActor () async throws -> Result) async throws -> Result {
    let result: Swift.Result<Result, any Error> = await withCheckedContinuation { continuation in
      enqueue {
        do {
          continuation.resume(returning: .success(try await body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  // MARK: Changes

  /// Whether the model has changes that are not on disk.
  var hasUnsavedChanges: Bool { changes.hasUnsavedChanges || undoManager?.hasOpenActions == true }
  /// The present revision.
  var revision: Revision { changes.current }

  /// Counts a change of the model; nil if it cannot undo all of its changes any more.
  func count(_ kind: DocumentChangeKind?) {
    guard let kind else { return changes.forgetCounts() }
    edits += 1
    changes.count(kind)
    tellEngine()
  }

  /// An undo manager may be used on any thread.
  private nonisolated func countOnMain(_ kind: DocumentChangeKind?) {
    if DispatchQueue.isMain {
      MainActor.assumeIsolated { count(kind) }
    } else {
      Task { @MainActor in count(kind) }
    }
  }

  func tellEngine() {
    guard let engine else { return }
    let kind: DocumentChangeKind = changes.hasUnsavedChanges ? .done : .cleared
    messages.enqueue { await engine.updateChangeCount(kind) }
  }

  /// Waits until the engine knows all changes.
  func drain() async {
    endEvent()
    await messages.drain()
  }

  /// Closes the undo group of the present event, so that it counts.
  func endEvent() { undoManager?.endEventGrouping() }

  var isQuiet: Bool { undoManager.map { $0.groupingLevel == 0 } ?? true }

  /// Forgets the undo manager's actions, which are of no use for a new model. Those of the present event, such as of its
  /// loading, count as no change.
  func forgetUndo() {
    observer = nil
    endEvent()
    undoManager?.removeAllActions()
    observe()
  }

  private func observe() {
    observer = undoManager.map { UndoObserver($0) { [weak self] in self?.countOnMain($0) } }
  }

  /// Closes the group of the present event, and returns this moment (MF1).
  func takeMoment(isExact: Bool = true) -> ModelMoment {
    endEvent()
    return ModelMoment(
      revision: changes.current, edits: edits, saves: news.saves, isUnsaved: hasUnsavedChanges,
      isExact: isExact && isQuiet)
  }

  // MARK: The state

  func holdEditing() {
    editingHolds += 1
    updateState()
    if editingHolds == 1 { owner?.disableEditing() }
  }

  func releaseEditing() {
    editingHolds -= 1
    if editingHolds == 0 { owner?.enableEditing() }
    updateState()
  }

  /// Notes that a save or a reading failed.
  func noteFailure() {
    hasFailed = true
    updateState()
  }

  private func updateState() {
    var state = engineState.intersection([.inConflict, .savingError])
    if engine == nil { state.insert(.closed) }
    if hasFailed { state.insert(.savingError) }
    if editingHolds > 0 { state.insert(.editingDisabled) }
    if download != nil { state.insert(.progressAvailable) }
    if state == documentState { return }
    documentState = state
    owner?.stateDidChange()
  }

  /// Gets place, date and flags from the engine.
  func refresh() async {
    if let engine {
      let (url, date) = (await engine.fileURL, await engine.fileModificationDate)
      let (state, presenter) = (await engine.documentState, await engine.filePresenter)
      guard self.engine === engine else { return }
      news.present(presenter)
      (fileURL, fileModificationDate, engineState) = (url, date, state)
    } else {
      news.present(nil)
      engineState = []
    }
    owner?.placeDidChange()
    updateState()
  }

  // MARK: Errors

  /// Gives the error of the present call to the owner, after the state has it.
  func fail(_ error: any Error) async {
    await refresh()
    reportErrors()
    // The engine reports nearly all of its errors itself.
    if reportedErrors == 0 { owner?.handle(error) }
  }

  /// Gives the errors of the engine to the owner.
  func reportErrors() {
    for error in news.takeErrors() {
      reportedErrors += 1
      owner?.handle(error.ofModel)
    }
  }
}

extension DispatchQueue {
  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue. After `dispatchMain()`, that queue runs on other threads than the main one.
  fileprivate static var isMain: Bool { Thread.isMainThread || getSpecific(key: mainKey) == true }
}

extension DocumentError {
  /// The error of the model's own code; otherwise this error.
  var ofModel: any Error { code == .content ? cause ?? self : self }
}
