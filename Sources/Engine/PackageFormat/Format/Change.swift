package import DurableIO
package import FoundationEssentials

/// One row of a save: a child as the save before noted it, as this save found it, and as this save leaves it.
///
/// The sums of the metadata, the notes about the children, the rows of the version that the save replaces, and the
/// steps of the publisher are derived from rows, and nowhere else:
///
///     noted  found  new
///     A      A      B    an edit of this program
///     A      A'     B    the same over another program's edit: the version before has A', earlier ones have lost A
///     A             A'   no step: the save takes over an edit of another program, and the version before has lost A
///
/// Only another file may have the bytes of a lost child.
package struct Change: Sendable, Hashable {
  /// What the save does at the place.
  package enum Work: UInt8, Sendable {
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
  /// Whether `noted` is what the save before noted; false if nothing is known of that, or if a save that gives attributes
  /// to a folder did not look.
  package var isNotedKnown = true
  /// The node on disk when the save looked; nil if there was none, or if the save did not look.
  package var found: Entry?
  /// The node after the save; nil if there is none.
  package var new: Entry?
  /// Whether the new node has exactly that mode; otherwise a file has the mode of any new one, and only the owner's
  /// right to execute it counts.
  package var modeIsExact = false
  /// Whether a new link or a folder has that date, and not the one of its making.
  package var hasDate = false
  /// A new file's bytes or a new link's destination, if the record holds them. Otherwise the node was made and
  /// synchronised before the record was written.
  package var bytes: [UInt8]?
  /// The name, among the staged files, of the file or link that comes or goes.
  package var name: FileName = ""

  package init(_ path: PackagePath, noted: NotedChild? = nil, new: NotedChild? = nil) {
    (self.path, self.noted, self.new) = (path, noted, new.map { Entry($0) })
  }

  /// Gives a folder, or the package's own, these attributes.
  package mutating func set(_ attributes: NodeAttributes) {
    new = Entry(.directory, attributes)
    (modeIsExact, hasDate) = (attributes.modeIsExact, attributes.modified != nil)
  }
}

// MARK: - Steps

extension Change {
  /// A step of the publisher.
  package enum Step: Sendable, Hashable {
    /// Removes the file or link.
    case remove
    /// Removes the folder if it is empty.
    case removeFolder
    /// Puts a file or a link.
    case put
    /// Makes a folder, unless there is one.
    case makeFolder
    /// Gives other attributes to a folder, or to the package's own.
    case setAttributes
  }

  /// The steps at the place, in order. Each may be repeated after it is done.
  package var steps: [Step] {
    var steps: [Step] = []
    if removes { steps.append(.remove) }
    if removesFolder { steps.append(.removeFolder) }
    if puts { steps.append(.put) }
    if makesFolder { steps.append(.makeFolder) }
    if setsAttributes { steps.append(.setAttributes) }
    return steps
  }

  package var removes: Bool { takes && !puts }
  package var removesFolder: Bool {
    work == .node && found?.kind == .directory && new?.kind != .directory
  }
  package var puts: Bool { work == .node && new.map { $0.kind != .directory } ?? false }
  package var makesFolder: Bool {
    work == .node && new?.kind == .directory && found?.kind != .directory
  }
  package var setsAttributes: Bool { work != .none && new?.kind == .directory && (modeIsExact || hasDate) }

  /// The file or link that stood at the place; nil if there was none.
  package var old: Entry? { found?.kind == .directory ? nil : found }

  /// Whether it takes a file or link out of the package.
  package var takes: Bool { work == .node && old != nil }

  /// Whether it relies on a node in the staging folder.
  package var needsStaged: Bool { puts && bytes == nil }

  /// The name, among the kept files, of the node that it takes out of the package; nil if that node is no part of the
  /// version.
  package var keptName: FileName? {
    guard takes, !PackageLayout.isOurs(path), let old else { return nil }
    return old.content.map { FileName(keeping: $0, old.kind) }
  }

  /// Set-user-ID and set-group-ID.
  package static let rights: UInt16 = 0o6000

  /// Returns whether a node has the mode and the date that the new one should have.
  ///
  /// True for every link: a link is its destination, and its date cannot be synchronised.
  package func hasAttributes(of status: FileStatus) -> Bool {
    if status.kind == .symbolicLink { return true }
    guard let new, new.modified == status.modified else { return false }
    let counted = modeIsExact ? ~Self.rights : 0o100
    return new.mode & counted == status.mode & counted
  }
}

// MARK: - Notes and versions

extension Change {
  /// Whether another program made the folder to which the save gives attributes, and the save takes it over.
  private var isTakenOver: Bool { work == .attributes && noted == nil && isNotedKnown }

  /// Whether another program removed the child, and the save puts nothing in its place.
  package var isLost: Bool { work == .none && noted != nil && new == nil }

  /// The child in the sums and the notes after the save; nil if they do not have it.
  package var left: NotedChild? {
    if path.isRoot || PackageLayout.isOurs(path) { return nil }
    // Attributes of a folder are in no note.
    return work == .attributes && !isTakenOver ? noted : new?.noted(at: path)
  }

  /// The row of the version that the save replaces; nil if it needs none.
  ///
  /// - Parameter hasFolder: whether that version has the folder around it.
  fileprivate func versionRow(hasFolder: Bool) -> VersionRecord.Row? {
    let lost = isNotedKnown ? noted.map { Entry(unkept: $0) } : Entry(unkept: nil)
    switch work {
    case .none:
      if isNotedKnown && noted?.child == left?.child { return nil }
      if let lost, hasFolder { return VersionRecord.Row(path, lost) }
      // A folder that is there is no loss; only earlier versions do not have it.
      if lost == nil, new?.kind == .directory {
        return VersionRecord.Row(path, Entry(.directory, .newDirectory()), earlier: nil)
      }
      return VersionRecord.Row(path, nil, earlier: lost)
    case .attributes:
      return found.map { VersionRecord.Row(path, $0.ofVersion, earlier: isTakenOver ? nil : $0.ofVersion) }
    case .node:
      guard var node = found?.ofVersion else {
        return VersionRecord.Row(path, nil, earlier: lost)
      }
      node.isKept = node.content != nil
      let isSame = lost?.kind == node.kind && lost?.content == node.content
      return VersionRecord.Row(path, node, earlier: isSame ? node : lost)
    }
  }
}

extension Entry {
  fileprivate var ofVersion: Entry {
    var entry = self
    entry.inode = Self.noInode
    // The record's author must not get the rights of the user who restores the version.
    entry.mode &= ~Change.rights
    return entry
  }
}

/// The rows of a save. In a record they are in order.
package struct Changes: Sendable {
  package private(set) var rows: [Change] = []
  private var index: [PackagePath: Int] = [:]
  /// Whether every child has a row, since the save counts them again. Its metadata then have the sums of these, and rows
  /// without a step change nothing.
  package private(set) var isComplete = false

  package init() {}

  package init(_ rows: [Change], isComplete: Bool) { (self.rows, self.isComplete) = (rows, isComplete) }

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

  /// Counts the children again: they are those, apart from what the rows of the save say.
  package mutating func recount(_ children: [NotedChild]) {
    isComplete = true
    for child in children where index[child.child.path] == nil {
      self[child.child.path] = Change(child.child.path, noted: child, new: child)
    }
  }

  /// Brings the rows in order, and names the staged files by their places in it.
  package mutating func sort(naming name: (Int) -> FileName) {
    rows.sort { $0.path < $1.path }
    for position in rows.indices {
      rows[position].name = name(position)
      index[rows[position].path] = position
    }
  }

  /// The row at a position, whose place stays.
  package subscript(position: Int) -> Change {
    get { rows[position] }
    set { rows[position] = newValue }
  }

  /// The sums of the children that came, less those of the children that went.
  package var summary: ContentSummary {
    var summary = ContentSummary()
    for row in rows where row.work != .none || !isComplete {
      let left = row.left
      if row.noted == left { continue }
      if let noted = row.noted { summary.subtract(noted.child) }
      if let left { summary.add(left.child) }
    }
    return summary
  }

  /// The notes of the save about the children.
  package func state(from parent: UUID, to revision: UUID) -> SavedState {
    var state = SavedState(parent: parent, revision: revision)
    (state.replacesEarlier, state.isComplete) = (isComplete, isComplete)
    for row in rows {
      let left = row.left
      if isComplete ? left != nil : left != row.noted { state.rows.append(.init(row.path, left)) }
    }
    return state
  }

  /// The rows of the version that the save replaces, in order.
  package var versionRows: [VersionRecord.Row] {
    // The folders around a lost child may have been something else when the save looked. In order, a place comes right
    // before all that is in it.
    var noFolder: PackagePath?
    return rows.sorted { $0.path < $1.path }.compactMap { row in
      if PackageLayout.isOurs(row.path) { return nil }
      let isWithin = noFolder.map { row.path.isWithin($0) } ?? false
      if !isWithin && row.work == .node && row.found?.kind != .directory { noFolder = row.path }
      return row.versionRow(hasFolder: !row.isLost || !isWithin)
    }
  }
}
