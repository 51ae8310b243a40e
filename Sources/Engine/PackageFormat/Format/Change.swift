package import DurableIO
package import FoundationEssentials

/// One row of a save: a child as the save before noted it, as this save found it, and as this save leaves it.
///
/// The sums of the metadata, the notes about the children, the rows of the version that the save replaces, and the
/// operations are derived from rows, and nowhere else:
///
///     noted  found  new
///     A      A      B    an edit of this program
///     A      A'     B    the same over another program's edit: the version before has A', earlier ones have lost A
///     A             A'   no operation: the save takes over an edit of another program, and the version before has lost A
///
/// Only another file may have the bytes of a lost child.
package struct Change: Sendable {
  /// What the save does at the place.
  package enum Work: Sendable {
    /// Nothing: it takes over what another program did.
    case none
    /// It sets the attributes of a folder, or of the package's own.
    case attributes
    /// It makes, replaces or removes a node.
    case node
  }

  package let path: PackagePath
  package var work = Work.none
  /// The child in the sums and the notes before the save; nil if they do not have it.
  package var noted: NotedChild?
  /// Whether `noted` is what the save before noted; false if nothing is known of that.
  package var isNotedKnown = true
  /// The node on disk when the save looked; nil if there was none, or if the save did not look.
  package var found: FileStatus?
  /// The hash of that node's content, if it is known.
  package var content: ContentHash?
  /// The child in the sums and the notes after the save; nil if they do not have it.
  package var new: NotedChild?
  /// The name among the staged files of the file or link that comes or goes.
  package var name: FileName?
  /// The file or link that comes; nil if none does.
  package var staged: JournalRecord.Staged?
  /// The attributes that a folder gets.
  package var attributes: NodeAttributes?

  package init(_ path: PackagePath, noted: NotedChild? = nil, new: NotedChild? = nil) {
    (self.path, self.noted, self.new) = (path, noted, new)
  }

  /// Whether another program removed the child, and the save puts nothing in its place.
  package var isLost: Bool { work == .none && noted != nil && new == nil }

  /// The operations of the journal at the place.
  package var operations: [JournalRecord.Operation] {
    var operations: [JournalRecord.Operation] = []
    func add(_ action: JournalRecord.Action, over old: JournalRecord.Known? = nil) {
      operations.append(JournalRecord.Operation(path: path, action: action, old: old))
    }
    let (isFolder, makesFolder) = (found?.kind == .directory, new?.child.kind == .directory)
    let old = isFolder ? nil : found.map { JournalRecord.Known($0, content: content) }
    if let found, work == .node, isFolder, !makesFolder { add(.removeFolder(mode: found.mode & 0o777)) }
    if let staged {
      add(.put(staged), over: old)
    } else if let old, let name {
      add(.remove(name), over: old)
    }
    guard let attributes else { return operations }
    if makesFolder && !isFolder { add(.makeFolder(mode: attributes.mode & 0o777)) }
    if attributes.modeIsExact || attributes.modified != nil {
      add(.setAttributes(mode: attributes.modeIsExact ? attributes.mode : nil, modified: attributes.modified))
    }
    return operations
  }

  /// The row of the version that the save replaces; nil if it needs none.
  ///
  /// - Parameter hasFolder: whether that version has the folder around it.
  fileprivate func versionRow(hasFolder: Bool) -> VersionRecord.Row? {
    let lost = isNotedKnown ? noted.map { VersionRecord.Node(unkept: $0) } : VersionRecord.Node(unkept: nil)
    switch work {
    case .none:
      if isNotedKnown && noted?.child == new?.child { return nil }
      if let lost, hasFolder { return VersionRecord.Row(path, lost) }
      // A folder that is there is no loss; only earlier versions do not have it.
      if lost == nil, new?.child.kind == .directory {
        return VersionRecord.Row(path, VersionRecord.Node(.directory, .newDirectory()), earlier: .nothing)
      }
      return VersionRecord.Row(path, nil, earlier: lost.map { .other($0) } ?? .same)
    case .attributes:
      return found.map { VersionRecord.Row(path, VersionRecord.Node($0, content)) }
    case .node:
      guard let found else { return VersionRecord.Row(path, nil, earlier: lost.map { .other($0) } ?? .same) }
      var node = VersionRecord.Node(found, content)
      node.isKept = node.content != nil
      guard let lost else { return VersionRecord.Row(path, node, earlier: .nothing) }
      let isSame = lost.kind == node.kind && lost.content == node.content
      return VersionRecord.Row(path, node, earlier: isSame ? .same : .other(lost))
    }
  }
}

/// The rows of a save, in the order in which it came to them.
package struct Changes: Sendable {
  package private(set) var rows: [Change] = []
  private var index: [PackagePath: Int] = [:]
  /// Every child as it is, if the save counts them again: its metadata then have the sums of these, and rows without an
  /// operation change nothing.
  package var recounted: [NotedChild]?

  package init() {}

  /// The row of a place; an empty one if the save has none.
  package subscript(path: PackagePath) -> Change {
    get { index[path].map { rows[$0] } ?? Change(path) }
    _modify {
      let position = index[path] ?? rows.count
      if position == rows.count {
        rows.append(Change(path))
        index[path] = position
      }
      yield &rows[position]
    }
  }

  /// The rows that change the sums and the notes.
  private var counted: some Sequence<Change> {
    rows.lazy.filter { ($0.work != .none || recounted == nil) && $0.noted != $0.new }
  }

  /// The sums of the children that came, less those of the children that went.
  package var summary: ContentSummary {
    var summary = ContentSummary()
    for row in counted {
      if let noted = row.noted { summary.subtract(noted.child) }
      if let new = row.new { summary.add(new.child) }
    }
    return summary
  }

  /// The notes of the save about the children.
  package func state(from parent: UUID, to revision: UUID) -> SavedState {
    var state = SavedState(parent: parent, revision: revision)
    if let recounted {
      (state.replacesEarlier, state.isComplete) = (true, true)
      state.rows = recounted.map { .init($0) }
    }
    for row in counted { state.rows.append(.init(row.path, row.new)) }
    return state
  }

  /// The rows of the version that the save replaces, in order.
  package var versionRows: [VersionRecord.Row] {
    rows.lazy.filter { !PackageLayout.isOurs($0.path) }.compactMap { row in
      row.versionRow(hasFolder: !row.isLost || self.hasFolder(around: row.path))
    }.sorted { $0.path < $1.path }
  }

  /// Returns whether the folders around a lost child were there when the save looked.
  private func hasFolder(around path: PackagePath) -> Bool {
    path.folders.allSatisfy { place in
      let row = self[place]
      return row.work != .node || row.found?.kind == .directory
    }
  }
}

extension VersionRecord.Node {
  fileprivate init(_ found: FileStatus, _ content: ContentHash?) {
    self.init(found.kind, NodeAttributes(found), size: found.kind == .directory ? 0 : found.size)
    self.content = found.kind == .directory ? nil : content
  }
}
