import FilePackages
import FoundationEssentials
import Synchronization

/// The results of a query, and the changes that its listeners have not been told.
///
/// It stores untold changes as the difference to the told state. So a listener that never asks costs no more memory
/// than the results.
final class QueryReport: Sendable {
  /// A change of the document in one place.
  enum Change {
    /// It is there, has other attributes, or was written.
    case put(DocumentItem, isResult: Bool, isTouched: Bool = false)
    case remove(DocumentPlace)
  }

  private let state = Mutex(State())

  // MARK: Runs

  /// Begins a new run; returns its number.
  func begin(_ search: DocumentSearch) -> Int {
    let typesWithoutExtension = search.typesWithoutExtension
    return state.withLock { state in
      var next = State()
      next.run = state.run + 1
      next.phase = .gathering
      next.isStartUntold = true
      next.typesWithoutExtension = typesWithoutExtension
      next.disabled = state.disabled
      (next.bells, next.lastBell) = (state.bells, state.lastBell)
      if next.disabled > 0 { next.frozen = (documents: [:], resultCount: 0) }
      state = next
      state.ring()
      return next.run
    }
  }

  /// Ends the present run and every iteration; the results stay.
  func stop() {
    let bells = state.withLock { state in
      guard state.phase != .idle else { return [AsyncStream<Void>.Continuation]() }
      state.run += 1
      state.phase = .stopped
      defer { state.bells = [:] }
      return Array(state.bells.values)
    }
    for bell in bells { bell.finish() }
  }

  var phase: DocumentQuery.Phase { state.withLock { $0.phase } }
  var limitation: FilePackageError? { state.withLock { $0.limitation } }

  var results: [DocumentItem] {
    let documents = state.withLock { $0.frozen?.documents ?? $0.documents }
    return documents.values.compactMap(\.result)
  }

  var resultCount: Int { state.withLock { $0.frozen?.resultCount ?? $0.resultCount } }

  // MARK: The news of a run

  /// Takes changes from the present run, and drops those of earlier runs.
  private func take(_ run: Int, _ body: (inout State) -> Void) {
    state.withLock { state in
      guard state.run == run, state.phase == .gathering || state.phase == .live else { return }
      body(&state)
      state.ring()
    }
  }

  /// Adds documents that the gathering found.
  func gather(_ items: [(item: DocumentItem, isResult: Bool)], run: Int) {
    take(run) { state in for (item, isResult) in items { state.gather(item, isResult: isResult) } }
  }

  func finishGathering(run: Int) {
    take(run) { state in
      state.phase = .live
      state.isFinishUntold = true
    }
  }

  /// The known document in a place.
  func item(at place: DocumentPlace) -> DocumentItem? { state.withLock { $0.documents[place]?.item } }

  var places: Set<DocumentPlace> { state.withLock { Set($0.documents.keys) } }

  func apply(_ changes: [Change], run: Int) {
    if changes.isEmpty { return }
    take(run) { state in
      for change in changes {
        switch change {
        case .put(let item, let isResult, let isTouched):
          state.set(DocumentPlace(item), item, isResult: isResult, isTouched: isTouched)
        case .remove(let place): state.set(place, nil, isResult: false, isTouched: false)
        }
      }
    }
  }

  func note(_ problem: FilePackageError?, of folder: FolderPath, run: Int) {
    take(run) { state in
      state.folders.removeAll { $0.path == folder }
      state.folders.append((folder, problem))
    }
  }

  func note(limitation: FilePackageError?, run: Int) { take(run) { $0.limitation = limitation } }

  // MARK: Listening

  func addBell() -> (number: Int, rings: AsyncStream<Void>) {
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (number, isOver) = state.withLock { state in
      state.lastBell += 1
      state.bells[state.lastBell] = bell
      return (state.lastBell, state.phase == .stopped)
    }
    if isOver { removeBell(number) }
    return (number, rings)
  }

  func removeBell(_ number: Int) {
    state.withLock { $0.bells.removeValue(forKey: number) }?.finish()
  }

  func takeFirst() -> DocumentQuery.Update? { state.withLock { $0.takeFirst() } }

  func setUpdates(enabled: Bool) {
    state.withLock { state in
      state.disabled = max(0, state.disabled + (enabled ? -1 : 1))
      state.frozen =
        state.disabled == 0
        ? nil : state.frozen ?? (documents: state.documents, resultCount: state.resultCount)
      state.ring()
    }
  }
}
