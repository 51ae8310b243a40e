import Documents
import ImageNotes

/// The edits of one document that its tabs can undo and redo.
///
/// A tab undoes its own edits first, and then the newest one of another tab. Splices undo an edit of the text, and a
/// merge undoes one of the title or of the images. So both leave the edits of other tabs and programs alone.
///
/// - The inverse of the last step in a list fits the present text. The inverse of an earlier step fits the text that the
///   later inverses make.
/// - A step holds the changes of other tabs since it became the last one. The list transforms them when the step goes,
///   so a letter of another tab costs nothing for each step.
struct EditHistory {
  /// The title and the images before and after an edit, without the text.
  struct Change {
    var before: ImageNotes
    var after: ImageNotes

    init(before: ImageNotes, after: ImageNotes) {
      (self.before, self.after) = (before, after)
      self.before.text = ""
      self.after.text = ""
    }

    var inverted: Change { Change(before: after, after: before) }
  }

  /// One step of undo.
  struct Step {
    /// The name by which a tab's later edits belong to it; nil if none do.
    var key: String?
    /// The action, for the button's words.
    var name: String
    /// The splices that take it back.
    var inverse: [TextSplice]
    /// The edit of the title or of the images; nil for one of the text alone.
    var change: Change?

    var isEmpty: Bool { inverse.isEmpty && change == nil }
  }

  /// Steps in their order.
  private struct List {
    private struct Entry {
      var step: Step
      /// The place among the steps of all lists.
      var number: Int
      /// The changes of other tabs since this is the last step.
      var later: [TextSplice] = []
    }

    private var entries: [Entry] = []
    private static let mostSteps = 1000
    private static let mostUnits = 16 << 20

    var isEmpty: Bool { entries.isEmpty }
    var last: Step? { entries.last?.step }
    var lastNumber: Int { entries.last?.number ?? 0 }

    mutating func append(_ step: Step, number: Int) {
      entries.append(Entry(step: step, number: number))
      var units = entries.reduce(0) { $0 + $1.step.inverse.reduce(16) { $0 + $1.size } }
      while entries.count > 1, entries.count > Self.mostSteps || units > Self.mostUnits {
        units -= entries.removeFirst().step.inverse.reduce(16) { $0 + $1.size }
      }
    }

    /// Makes the inverse of the last step fit the present text.
    mutating func settle() {
      guard let last = entries.indices.last, !entries[last].later.isEmpty else { return }
      let (later, inverse) = TextSplice.crossed(entries[last].later, entries[last].step.inverse)
      entries[last].later = []
      entries[last].step.inverse = inverse
      if last > 0 { for splice in later { Self.add(splice, to: &entries[last - 1].later) } }
    }

    /// Adds an edit to the last step.
    mutating func join(_ inverse: [TextSplice]) {
      settle()
      guard let last = entries.indices.last else { return }
      entries[last].step.inverse = inverse + entries[last].step.inverse
    }

    mutating func removeLast() {
      settle()
      entries.removeLast()
    }

    mutating func note(_ splices: [TextSplice]) {
      guard let last = entries.indices.last else { return }
      for splice in splices { Self.add(splice, to: &entries[last].later) }
    }

    /// Adds a splice; typed letters become one.
    private static func add(_ splice: TextSplice, to list: inout [TextSplice]) {
      if splice.deleted == 0, let last = list.last, last.offset + last.size == splice.offset {
        list[list.count - 1].inserted += splice.inserted
      } else {
        list.append(splice)
      }
    }
  }

  private struct Lists {
    var undo = List()
    var redo = List()
  }

  private var lists: [String: Lists] = [:]
  private var last = 0
  private static let mostTabs = 32

  // MARK: Editing

  /// Notes an edit that a tab made; nil for a page that shows no text.
  mutating func note(_ step: Step, by tab: String?, _ splices: [TextSplice]) {
    let tab = tab ?? ""
    noteOthers(splices, but: tab)
    if let key = step.key, lists[tab]?.undo.last?.key == key, lists[tab]?.redo.isEmpty == true {
      lists[tab]?.undo.join(step.inverse)
      return
    }
    last += 1
    lists[tab, default: Lists()].undo.append(step, number: last)
    lists[tab]?.redo = List()
    if lists.count > Self.mostTabs,
      let oldest = lists.min(by: { $0.value.undo.lastNumber < $1.value.undo.lastNumber })
    {
      lists[oldest.key] = nil
    }
  }

  /// Notes a change of the text that no tab undoes, such as another program's.
  mutating func noteOutside(_ splices: [TextSplice]) { noteOthers(splices, but: nil) }

  private mutating func noteOthers(_ splices: [TextSplice], but tab: String?) {
    for other in lists.keys where other != tab {
      lists[other]?.undo.note(splices)
      lists[other]?.redo.note(splices)
    }
  }

  // MARK: Going back and forward

  /// The step that a tab's undo or redo takes back, as it fits the present text; nil if there is none.
  mutating func next(_ why: TextEvent.Why, by tab: String?) -> Step? {
    guard let owner = owner(of: why, tab) else { return nil }
    lists[owner]?[keyPath: Self.path(why)].settle()
    return lists[owner]?[keyPath: Self.path(why)].last
  }

  /// Removes the step that `next` returned, which turned out to change nothing.
  mutating func skip(_ why: TextEvent.Why, by tab: String?) {
    guard let owner = owner(of: why, tab) else { return }
    lists[owner]?[keyPath: Self.path(why)].removeLast()
  }

  /// Notes that the step that `next` returned is taken back.
  ///
  /// - Parameters:
  ///   - splices: what it did to the text.
  ///   - inverse: what does it again.
  mutating func didTakeBack(
    _ why: TextEvent.Why, by tab: String?, _ splices: [TextSplice], inverse: [TextSplice]
  ) {
    guard let owner = owner(of: why, tab), var step = lists[owner]?[keyPath: Self.path(why)].last else {
      return
    }
    lists[owner]?[keyPath: Self.path(why)].removeLast()
    (step.key, step.inverse, step.change) = (nil, inverse, step.change?.inverted)
    let tab = tab ?? ""
    // The list that had the step fits the text without it, and the list that gets it fits the text behind it.
    for other in lists.keys {
      if other != owner { lists[other]?.undo.note(splices) }
      if other != tab { lists[other]?.redo.note(splices) }
    }
    last += 1
    lists[tab, default: Lists()][keyPath: Self.path(why == .undo ? .redo : .undo)].append(step, number: last)
  }

  /// The names of the steps that a tab's undo and redo take back; nil for none.
  func names(for tab: String) -> (undo: String?, redo: String?) {
    func name(_ why: TextEvent.Why) -> String? {
      owner(of: why, tab).flatMap { lists[$0]?[keyPath: Self.path(why)].last?.name }
    }
    return (name(.undo), name(.redo))
  }

  /// The tab whose list a tab's undo or redo uses.
  private func owner(of why: TextEvent.Why, _ tab: String?) -> String? {
    let tab = tab ?? ""
    if lists[tab]?[keyPath: Self.path(why)].isEmpty == false { return tab }
    guard why == .undo else { return nil }
    return lists.filter { !$0.value.undo.isEmpty }.max {
      $0.value.undo.lastNumber < $1.value.undo.lastNumber
    }?.key
  }

  private static func path(_ why: TextEvent.Why) -> WritableKeyPath<Lists, List> {
    why == .redo ? \.redo : \.undo
  }
}

extension ImageNotes {
  /// Takes back a change of the title or of the images. Later changes and the text stay.
  mutating func takeBack(_ change: EditHistory.Change) throws {
    let text = text
    self = try Self.merged(base: change.after, ours: change.before, theirs: self).content
    self.text = text
  }
}
