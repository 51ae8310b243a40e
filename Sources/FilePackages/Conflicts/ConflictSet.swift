import Crypto
import DurableIO
import FoundationEssentials

// (1) A version says nothing that is not known: each of its children is one whose digest is the one that its save has noted,
//     or it is missing.
// (2) No copy is forgotten: what no known version has is a version of its own.
// (3) Nothing is written here.

/// All that is in conflict in one package, as it is on disk now.
///
/// Cost: reads every child that has changed since it was saved, and looks at the others.
struct ConflictSet {
  /// A version, and what has to be laid over the document in its place to have it.
  struct Entry {
    var version: ConflictVersion
    /// What stands at each place that is something else; nil for nothing.
    var overlay: [PackagePath: Content?]
    /// The folder in which it is kept, where it is one that a save kept.
    var keptIn: FileName?
  }

  /// What a version has at a place.
  enum Content {
    case stored(StoredNode, NodeAttributes)
    case folder
  }

  let location: Location
  let evidence: ConflictEvidence
  private(set) var entries: [Entry] = []
  /// Whether the document in its place is what one save left there, as far as can be told.
  private(set) var isPresentWhole = true

  init(_ location: Location, _ current: PackageMetadata?) throws(FilePackageError) {
    self.location = location
    evidence = try ConflictEvidence(location)
    var claimed: Set<PackagePath> = []
    if let current, !evidence.isEmpty {
      let overlay = overlay(of: current, ending: nil, &claimed)
      isPresentWhole = overlay.isWhole && overlay.contents.isEmpty
      if !overlay.contents.isEmpty || !overlay.missing.isEmpty { add(current, "a sync tool", overlay) }
    }
    for copy in evidence.metadataCopies where copy.metadata.revision != current?.revision {
      guard !entries.contains(where: { $0.version.id == copy.metadata.revision }) else { continue }
      add(copy.metadata, copy.name.program, overlay(of: copy.metadata, ending: copy.name, &claimed))
    }
    addUnclaimed(claimed)
    try addKept()
    entries.sort {
      ($0.version.modificationDate ?? .distantPast, $1.version.id.uuidString)
        > ($1.version.modificationDate ?? .distantPast, $0.version.id.uuidString)
    }
  }

  subscript(id: UUID) -> Entry? { entries.first { $0.version.id == id } }

  // MARK: Versions of a known state

  private struct Overlay {
    var contents: [PackagePath: Content?] = [:]
    var missing: [PackagePath] = []
    /// Of the document with this laid over it.
    var summary: ContentSummary
    var isWhole = false

    init(_ summary: ContentSummary) { self.summary = summary }

    mutating func replace(
      _ present: ChildSummary?, at path: PackagePath, by new: ChildSummary?, _ content: Content?
    ) {
      if present == nil && new == nil { return }
      if let present { summary.subtract(present) }
      if let new { summary.add(new) }
      contents[path] = .some(content)
    }
  }

  private mutating func add(_ metadata: PackageMetadata, _ program: String, _ overlay: Overlay) {
    let version = ConflictVersion(
      id: metadata.revision, origin: .synchronization(by: program), metadata: metadata,
      modificationDate: metadata.modified,
      differences: overlay.contents.keys.sorted().map(\.string),
      missing: overlay.missing.sorted().map(\.string), isWhole: overlay.isWhole)
    entries.append(Entry(version: version, overlay: overlay.contents))
  }

  /// What has to be laid over the document in its place to have the state of that metadata.
  ///
  /// - Parameter name: of the copy that the metadata is from; nil for those in their place.
  private func overlay(
    of metadata: PackageMetadata, ending name: ConflictName?, _ claimed: inout Set<PackagePath>
  ) -> Overlay {
    var overlay = Overlay(evidence.summary)
    if let state = evidence.state(at: metadata.revision) {
      lay(state, into: &overlay, &claimed)
    } else if let name {
      // Nothing but the sum of its children is known. The copies with the same mark may be its children.
      for copy in evidence.copies where copy.name.mark == name.mark && overlay.contents[copy.original] == nil
      {
        guard let row = evidence.found[copy.path] else { continue }
        claimed.insert(copy.path)
        overlay.replace(
          evidence.present[copy.original]?.child, at: copy.original,
          by: row.child.moved(to: copy.original), content(at: copy.path, row))
      }
    }
    overlay.isWhole = overlay.missing.isEmpty && overlay.summary == metadata.summary
    return overlay
  }

  /// (1)
  private func lay(
    _ state: ConflictEvidence.State, into overlay: inout Overlay, _ claimed: inout Set<PackagePath>
  ) {
    for (path, row) in state.rows {
      // A copy with the same content is that version's, too.
      for copy in evidence.copies(of: path) where evidence.found[copy]?.child.content == row.child.content {
        claimed.insert(copy)
      }
      let present = evidence.present[path]?.child
      if let present, present.isSame(as: row.child) { continue }
      if let content = content(of: row) {
        overlay.replace(present, at: path, by: row.child, content)
      } else {
        overlay.missing.append(path)
        overlay.replace(present, at: path, by: nil, nil)
      }
    }
    if !state.isComplete { return }
    for (path, row) in evidence.present where state.rows[path] == nil {
      overlay.replace(row.child, at: path, by: nil, nil)
    }
  }

  /// What somebody still has of a child; nil where nobody does.
  private func content(of row: ManifestRow) -> Content? {
    if row.child.kind == .directory { return .folder }
    return evidence.find(row.child).map { content(at: $0, row) }
  }

  private func content(at path: PackagePath, _ row: ManifestRow) -> Content {
    .stored(
      StoredNode(location: location, path: path),
      NodeAttributes(mode: row.child.isExecutable ? 0o777 : 0o666, modeIsExact: false, modified: row.modified)
    )
  }

  // MARK: Others

  /// (2)
  private mutating func addUnclaimed(_ claimed: Set<PackagePath>) {
    var groups: [String: [ConflictEvidence.Copy]] = [:]
    for copy in evidence.copies where !claimed.contains(copy.path) {
      let isRepeated = evidence.found[copy.path].map { row in
        evidence.present[copy.original].map { $0.child.isSame(as: row.child.moved(to: copy.original)) }
          ?? false
      }
      if isRepeated != false { continue }
      // Of two copies of one file, which differ in their times, each is of a version of its own.
      var mark = copy.name.mark
      while groups[mark]?.contains(where: { $0.original == copy.original }) == true { mark += "+" }
      groups[mark, default: []].append(copy)
    }
    for (mark, copies) in groups {
      var contents: [PackagePath: Content?] = [:]
      var date: Date?
      for copy in copies {
        guard let row = evidence.found[copy.path] else { continue }
        contents[copy.original] = content(at: copy.path, row)
        date = max(date ?? .distantPast, row.modified.date)
      }
      let names = copies.map(\.path.string).sorted().joined(separator: "\0")
      let version = ConflictVersion(
        id: UUID(hashing: mark + "\0" + names), origin: .synchronization(by: copies[0].name.program),
        metadata: nil, modificationDate: date, differences: contents.keys.sorted().map(\.string), missing: [],
        isWhole: false)
      entries.append(Entry(version: version, overlay: contents))
    }
  }

  /// What saves and documents have kept.
  private mutating func addKept() throws(FilePackageError) {
    let folder = StoredNode(location: location, path: PackageLayout.conflictsPath)
    for kept in try evidence.keptFolders() {
      var contents: [PackagePath: Content?] = [:]
      try add(folder.child(kept.name), as: .root, to: &contents)
      if contents.isEmpty { continue }
      let version = ConflictVersion(
        id: UUID(uuidString: kept.name.string) ?? UUID(hashing: kept.name.string), origin: .otherProgram,
        metadata: nil, modificationDate: kept.modified.date,
        differences: contents.filter { if case .folder? = $0.value { false } else { true } }.keys.sorted()
          .map(\.string),
        missing: [], isWhole: false)
      entries.append(Entry(version: version, overlay: contents, keptIn: kept.name))
    }
  }

  private func add(
    _ folder: StoredNode, as path: PackagePath, to contents: inout [PackagePath: Content?]
  ) throws(FilePackageError) {
    if path.names.count >= PackageSnapshot.maximumDepth { throw FilePackageError(.tooDeep, .read, folder) }
    let listing = try folder.list()
    let positions = (0..<listing.count).filter { listing.kind(at: $0).isSupported }
    for node in try folder.children(positions.map(listing.name(at:))) {
      guard let name = node.path.name, let status = node.status else { continue }
      let place = path.appending(name)
      if PackageLayout.isOurs(place) { continue }
      if status.kind == .directory {
        contents[place] = .some(.folder)
        try add(node, as: place, to: &contents)
      } else {
        contents[place] = .stored(node, NodeAttributes(status))
      }
    }
  }

  // MARK: Trees

  /// Makes a tree of the document as it is on disk what it is in a version, or, for nil, what it is without the copies.
  func apply(_ entry: Entry?, to tree: FileWrapper) throws {
    for copy in evidence.copies + evidence.metadataCopies.map(\.copy) {
      if try VersionHistory.node(at: copy.path, in: tree) != nil {
        try tree.removeDescendant(at: copy.path.string)
      }
    }
    guard let entry else { return }
    for (path, content) in entry.overlay.sorted(by: { $0.key > $1.key }) where content == nil {
      if try VersionHistory.node(at: path, in: tree) != nil { try tree.removeDescendant(at: path.string) }
    }
    for (path, content) in entry.overlay.sorted(by: { $0.key < $1.key }) {
      if let content { try put(content, at: path, in: tree) }
    }
    if let metadata = entry.version.metadata {
      try tree.setDescendant(
        FileWrapper(regularFileWithContents: try metadata.encoded()), at: PackageLayout.metadata.string)
    }
  }

  /// Makes a child one that a save writes anew, with the content that it has.
  func rewrite(_ row: ManifestRow, in tree: FileWrapper) throws {
    try put(content(at: row.child.path, row), at: row.child.path, in: tree)
  }

  /// The state that both a version and the document in its place were made from, as far as somebody has its children;
  /// nil where that is not known.
  func base(of entry: Entry, _ current: PackageMetadata?) throws -> FileWrapper? {
    guard let current, let revision = entry.version.metadata?.revision else { return nil }
    // What is in its place may be of more versions than one: the one that its metadata is of is then one among them.
    let other =
      revision == current.revision
      ? entries.lazy.compactMap(\.version.metadata?.revision).first { $0 != revision } : current.revision
    guard let other, let state = evidence.commonState(of: other, and: revision) else { return nil }
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for (path, row) in state.rows.sorted(by: { $0.key < $1.key }) {
      if let content = content(of: row) { try put(content, at: path, in: tree) }
    }
    return tree
  }

  private func put(_ content: Content, at path: PackagePath, in tree: FileWrapper) throws {
    let wrapper: FileWrapper
    switch content {
    case .folder:
      if try VersionHistory.node(at: path, in: tree)?.isDirectory == true { return }
      wrapper = FileWrapper(directoryWithFileWrappers: [:])
    case .stored(let node, let attributes):
      guard let name = node.path.name,
        let now = try StoredNode(location: node.location, path: node.path.parent).children([name]).first
      else { return }
      if now.status?.kind == .symbolicLink {
        wrapper = FileWrapper(
          state: FileWrapper.State(node: .link(.known(try now.readLink())), attributes: .newLink()))
      } else {
        wrapper = FileWrapper(
          state: FileWrapper.State(node: .file(.stored(now)), attributes: attributes))
      }
    }
    try tree.setDescendant(wrapper, at: path.string)
  }
}

extension ChildSummary {
  func moved(to path: PackagePath) -> ChildSummary {
    var child = self
    child.path = path
    return child
  }

  /// Whether both have the same content under the same path.
  func isSame(as other: ChildSummary) -> Bool {
    path == other.path && kind == other.kind && content == other.content && isExecutable == other.isExecutable
  }
}

extension UUID {
  /// The same for the same text.
  fileprivate init(hashing text: String) {
    self.init(bytes: ContentHash(of: Array(text.utf8)).bytes.prefix(16))
  }
}
