import FilePackages
import FoundationEssentials
import Synchronization

/// The results of a query, and the changes that its listeners have not been told.
///
/// It stores untold changes as the difference to the told state. So a listener that never asks costs no more memory
/// than the results.
final class QueryReport: Sendable {
  /// A change of one document.
  enum Change {
    case insert(DocumentItem, isResult: Bool)
    case update(slot: Int32, DocumentItem, isResult: Bool, isTouched: Bool)
    case remove(slot: Int32)
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
      if next.disabled > 0 { next.frozen = (slots: [], resultCount: 0) }
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
    let slots = state.withLock { $0.frozen?.slots ?? $0.slots }
    return slots.compactMap { slot in slot.flatMap { $0.isResult ? $0.item : nil } }
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

  /// Adds gathered documents; returns the slot of the first, which the other documents follow.
  func gather(_ items: [(item: DocumentItem, isResult: Bool)], run: Int) -> Int32 {
    var first = 0
    take(run) { state in
      first = state.slots.count
      state.slots += items.map { Slot(item: $0.item, isResult: $0.isResult) }
      state.resultCount += items.count { $0.isResult }
      state.gathered = state.slots.count
    }
    return Int32(first)
  }

  func finishGathering(run: Int) {
    take(run) { state in
      state.phase = .live
      state.isFinishUntold = true
    }
  }

  func item(_ slot: Int32) -> DocumentItem? {
    state.withLock { $0.slots.indices.contains(Int(slot)) ? $0.slots[Int(slot)]?.item : nil }
  }

  /// Makes changes; returns the slots of the inserted documents, in order.
  func apply(_ changes: [Change], run: Int) -> [Int32] {
    var inserted: [Int32] = []
    take(run) { state in
      for change in changes {
        switch change {
        case .insert(let item, let isResult):
          inserted.append(state.insert(Slot(item: item, isResult: isResult)))
        case .update(let slot, let item, let isResult, let isTouched):
          state.set(slot, Slot(item: item, isResult: isResult), isTouched: isTouched)
        case .remove(let slot): state.set(slot, nil, isTouched: true)
        }
      }
    }
    return inserted
  }

  func note(_ problem: FilePackageError?, of folder: FolderPath, run: Int) {
    take(run) { state in
      state.folders.removeAll { $0.path.path == folder.path }
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
        state.disabled == 0 ? nil : state.frozen ?? (slots: state.slots, resultCount: state.resultCount)
      state.ring()
    }
  }
}
