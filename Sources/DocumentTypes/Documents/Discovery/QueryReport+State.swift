import FilePackages

extension QueryReport {
  /// A document that the run knows.
  struct Known {
    var item: DocumentItem
    var isResult: Bool
    /// Whether listeners know it, or will know it as added; false until they are told of the gathering.
    var isTold = true

    var result: DocumentItem? { isResult ? item : nil }
  }

  struct State {
    var run = 0
    var phase = DocumentQuery.Phase.idle
    var documents: [DocumentPlace: Known] = [:]
    var resultCount = 0
    /// Whether listeners have not been told yet that the gathering began, or ended.
    var isStartUntold = false
    /// The types that no extension tells, until listeners are told.
    var typesWithoutExtension: [UTType] = []
    var isFinishUntold = false
    /// The places of gathered documents, until listeners are told.
    var gathered: [DocumentPlace] = []
    /// The places with untold changes, each with the document that listeners know there; nil if they know none.
    var before: [DocumentPlace: DocumentItem?] = [:]
    /// Folders with untold changes, each with its problem if it has one.
    var folders: [(path: FolderPath, problem: FilePackageError?)] = []
    var disabled = 0
    /// The results while updates are disabled.
    var frozen: (documents: [DocumentPlace: Known], resultCount: Int)?
    var limitation: FilePackageError?
    var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastBell = 0
  }
}

extension QueryReport.State {
  func ring() {
    for bell in bells.values { bell.yield() }
  }

  mutating func gather(_ item: DocumentItem, isResult: Bool) {
    let place = DocumentPlace(item)
    put(QueryReport.Known(item: item, isResult: isResult, isTold: false), at: place)
    gathered.append(place)
  }

  private mutating func put(_ new: QueryReport.Known?, at place: DocumentPlace) {
    resultCount += (new?.result == nil ? 0 : 1) - (documents[place]?.result == nil ? 0 : 1)
    documents[place] = new
  }

  mutating func set(_ place: DocumentPlace, _ item: DocumentItem?, isResult: Bool, isTouched: Bool) {
    let old = documents[place]
    let isTold = old?.isTold ?? true
    let new = item.map { QueryReport.Known(item: $0, isResult: isResult, isTold: isTold) }
    put(new, at: place)
    guard isTold else { return }
    if before[place] == nil, old?.result != new?.result || isTouched && isResult {
      before[place] = .some(old?.result)
    }
    // Listeners hear nothing of a document that came and went.
    if new == nil, case .some(.none) = before[place] { before[place] = nil }
  }

  mutating func takeFirst() -> DocumentQuery.Update? {
    if isStartUntold {
      isStartUntold = false
      return .startedGathering
    }
    if !typesWithoutExtension.isEmpty {
      defer { typesWithoutExtension = [] }
      return .typesWithoutExtension(typesWithoutExtension)
    }
    let items = takeGathered()
    if !items.isEmpty { return .gathered(items) }
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

  private mutating func takeGathered() -> [DocumentItem] {
    defer { gathered = [] }
    return gathered.compactMap { place in
      guard documents[place]?.isTold == false else { return nil }
      documents[place]?.isTold = true
      return documents[place]?.result
    }
  }

  /// Decides for each gone document and each new one whether they are the same (Q4).
  private mutating func takeChanges() -> DocumentQuery.Changes {
    var changes = DocumentQuery.Changes()
    var gone: [DocumentPlace: DocumentItem] = [:]
    var new: [DocumentItem] = []
    for (place, old) in before {
      let now = documents[place]?.result
      if let old, let now, old.isSameNode(as: now) {
        changes.changed.append(now)
      } else {
        gone[place] = old
        if let now { new.append(now) }
      }
    }
    before = [:]
    let places = Dictionary(gone.map { ($1.identity, $0) }) { first, _ in first }
    for item in new {
      if let place = places[item.identity], let old = gone[place], old.isSameNode(as: item) {
        gone[place] = nil
        changes.moved.append(DocumentQuery.Move(old: old, new: item))
      } else {
        changes.added.append(item)
      }
    }
    if gone.isEmpty { return changes }
    // A new document in the same place replaces the gone one.
    changes.added.removeAll { item in
      guard gone.removeValue(forKey: DocumentPlace(item)) != nil else { return false }
      changes.changed.append(item)
      return true
    }
    changes.removed = Array(gone.values)
    return changes
  }
}
