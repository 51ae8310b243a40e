import FilePackages

extension QueryReport {
  struct Slot {
    var item: DocumentItem
    var isResult: Bool
  }

  struct State {
    var run = 0
    var phase = DocumentQuery.Phase.idle
    var slots: [Slot?] = []
    /// The number of slots with a result.
    var resultCount = 0
    var free: [Int32] = []
    /// Whether listeners have not been told yet that the gathering began, or ended.
    var isStartUntold = false
    /// The types that no extension tells, until listeners are told.
    var typesWithoutExtension: [UTType] = []
    var isFinishUntold = false
    /// The number of slots that the gathering filled and listeners were told.
    var told = 0
    var gathered = 0
    /// The documents with untold changes, as listeners know them; nil for documents that listeners do not know.
    var before: [Int32: DocumentItem?] = [:]
    /// Folders with untold changes, each with its problem if it has one.
    var folders: [(path: FolderPath, problem: FilePackageError?)] = []
    var disabled = 0
    /// The results while updates are disabled.
    var frozen: (slots: [Slot?], resultCount: Int)?
    var limitation: FilePackageError?
    var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastBell = 0
  }
}

extension QueryReport.State {
  func ring() {
    for bell in bells.values { bell.yield() }
  }

  mutating func insert(_ slot: QueryReport.Slot) -> Int32 {
    let number: Int32
    if let last = free.popLast() {
      number = last
      slots[Int(number)] = slot
    } else {
      number = Int32(slots.count)
      slots.append(slot)
    }
    if slot.isResult { resultCount += 1 }
    if slot.isResult && !isUntold(number) { before[number] = .some(nil) }
    return number
  }

  mutating func set(_ number: Int32, _ slot: QueryReport.Slot?, isTouched: Bool) {
    let old = slots[Int(number)].flatMap { $0.isResult ? $0.item : nil }
    let new = slot.flatMap { $0.isResult ? $0.item : nil }
    slots[Int(number)] = slot
    resultCount += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    let isUntold = isUntold(number)
    if !isUntold, before[number] == nil, old != new || (isTouched && new != nil) {
      before[number] = .some(old)
    }
    guard slot == nil else { return }
    switch before[number] {
    // Listeners know the document, so the slot stays taken until they are told of its end.
    case .some(.some): break
    case .some(.none), .none:
      before.removeValue(forKey: number)
      free.append(number)
    }
  }

  /// Whether the gathering found the document and no listener was told.
  private func isUntold(_ number: Int32) -> Bool { number >= told && number < gathered }

  mutating func takeFirst() -> DocumentQuery.Update? {
    if isStartUntold {
      isStartUntold = false
      return .startedGathering
    }
    if !typesWithoutExtension.isEmpty {
      defer { typesWithoutExtension = [] }
      return .typesWithoutExtension(typesWithoutExtension)
    }
    if told < gathered {
      let items = slots[told..<gathered].compactMap { slot in slot.flatMap { $0.isResult ? $0.item : nil } }
      told = gathered
      if !items.isEmpty { return .gathered(items) }
    }
    if !folders.isEmpty {
      let (path, problem) = folders.removeFirst()
      if let problem { return .unreadable(DocumentSearch.Problem(url: path.path.url, error: problem)) }
      return .readable(path.path.url)
    }
    if isFinishUntold {
      isFinishUntold = false
      return .finishedGathering
    }
    guard disabled == 0, !before.isEmpty else { return nil }
    let changes = takeChanges()
    return changes.isEmpty ? nil : .updated(changes)
  }

  private mutating func takeChanges() -> DocumentQuery.Changes {
    var changes = DocumentQuery.Changes()
    for (number, old) in before {
      let slot = slots[Int(number)]
      switch (old, slot.flatMap { $0.isResult ? $0.item : nil }) {
      case (nil, nil): break
      case (nil, let new?): changes.added.append(new)
      case (let old?, nil): changes.removed.append(old)
      case (let old?, let new?) where old.isSamePlace(as: new): changes.changed.append(new)
      case (let old?, let new?): changes.moved.append(DocumentQuery.Move(old: old, new: new))
      }
      if slot == nil { free.append(number) }
    }
    before = [:]
    return changes
  }
}
