import DurableIO
import FileTrees
import FoundationEssentials
package import PackageFormat

/// All conflict versions of one package on disk.
///
/// A version contains no guesses: each of its children has the digest that its save noted, or it is missing. The set
/// includes every copy: a copy that belongs to no known version is a version of its own. This type writes nothing.
///
/// Cost: reads every child that changed after its save, and looks at the status of each other child.
package struct ConflictSet {
  /// A version, and its differences from the document on disk.
  package struct Entry {
    package var version: ConflictVersion
    /// The content at each place that differs; nil if the version has nothing there.
    var overlay: [PackagePath: Content?]
  }

  /// The content of a version at a place.
  enum Content {
    case stored(StoredNode, NodeAttributes)
    case folder
  }

  let package: OpenPackage
  let evidence: ConflictEvidence
  package private(set) var entries: [Entry] = []
  /// Whether the document on disk is exactly the result of one save, as far as the digests show.
  package private(set) var isPresentWhole = true
  /// The noted children of the document on disk that another program edited there, so that nothing has their bytes.
  ///
  /// The edits belong to the document. A version with the same child has the edited one, since it did not change it.
  private var edits: [PackagePath: ChildSummary] = [:]

  /// Finds the versions in conflict with the document on disk; ignores a committed save that is unpublished.
  package init(_ package: OpenPackage) throws(FilePackageError) {
    self.package = package
    let current = try package.baseline.metadata.get()
    evidence = try ConflictEvidence(package.location, current)
    var claimed: Set<PackagePath> = []
    func overlay(
      of metadata: PackageMetadata, ending name: ConflictName?
    ) throws(FilePackageError) -> Overlay {
      let overlay = try self.overlay(of: metadata, ending: name)
      claimed.formUnion(overlay.copies)
      return overlay
    }
    if let current, !evidence.isEmpty {
      try noteEdits(of: current)
      let overlay = try overlay(of: current, ending: nil)
      isPresentWhole = overlay.isWhole && overlay.contents.isEmpty
      if !overlay.contents.isEmpty || !overlay.missing.isEmpty { add(current, "a sync tool", overlay) }
    }
    for copy in evidence.metadataCopies where copy.metadata.revision != current?.revision {
      guard !entries.contains(where: { $0.version.id == copy.metadata.revision }) else { continue }
      let overlay = try overlay(of: copy.metadata, ending: copy.name)
      add(copy.metadata, copy.name.program, overlay, copy.copy.path)
    }
    addUnclaimed(claimed)
    try addKept()
    entries.sort {
      ($0.version.modificationDate ?? .distantPast, $1.version.id.uuidString)
        > ($1.version.modificationDate ?? .distantPast, $0.version.id.uuidString)
    }
  }

  var location: Location { package.location }

  subscript(id: UUID) -> Entry? { entries.first { $0.version.id == id } }

  // MARK: Versions of a known state

  private mutating func noteEdits(of current: PackageMetadata) throws(FilePackageError) {
    for row in evidence.state(at: current.revision)?.rows ?? [] {
      guard let present = evidence.present[row.child.path], row.difference(of: present) == .changed,
        try content(of: row) == nil
      else { continue }
      edits[row.child.path] = row.child
    }
  }

  private struct Overlay {
    package var contents: [PackagePath: Content?] = [:]
    var missing: [PackagePath] = []
    /// The conflict copies that are children of the version.
    var copies: Set<PackagePath> = []
    /// The summary of the document with this overlay applied.
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

    /// Counts a child as it was saved, although another program edited it.
    mutating func count(_ saved: ChildSummary, insteadOf present: ChildSummary) {
      summary.subtract(present)
      summary.add(saved)
    }
  }

  /// - Parameter copy: the copy with the metadata; nil for the package's own metadata.
  private mutating func add(
    _ metadata: PackageMetadata, _ program: String, _ overlay: Overlay, _ copy: PackagePath? = nil
  ) {
    let version = ConflictVersion(
      id: metadata.revision, origin: .synchronization(by: program), metadata: metadata,
      savingComputer: metadata.savingComputer, modificationDate: metadata.modificationDate,
      differences: overlay.contents.keys.sorted().map(\.string),
      missing: overlay.missing.sorted().map(\.string), isWhole: overlay.isWhole,
      files: files(of: overlay.contents, and: overlay.copies.union(copy.map { [$0] } ?? [])))
    entries.append(Entry(version: version, overlay: overlay.contents))
  }

  /// Returns the files that a decision about a version removes.
  private func files(
    of contents: [PackagePath: Content?], and copies: Set<PackagePath>
  ) -> Set<ConflictFile> {
    let stored = contents.values.compactMap { content in
      if case .stored(let node, _)? = content { node.path } else { nil }
    }
    let own = copies.union(stored.filter(evidence.allCopies.contains))
    return Set(own.compactMap { path in evidence.found[path].map(ConflictFile.init) })
      .union(evidence.hiddenCopies)
  }

  /// Returns the versions with a file that is not among those of the decided versions.
  func undecided(besides decided: [ConflictVersion]) -> [ConflictVersion] {
    let known = Set(decided.flatMap(\.files)).union(evidence.hiddenCopies)
    return entries.map(\.version).filter { !$0.files.isSubset(of: known) }
  }

  /// Returns the differences of the state with that metadata from the document on disk.
  ///
  /// - Parameter name: the name of the copy with the metadata; nil for the package's own metadata.
  private func overlay(
    of metadata: PackageMetadata, ending name: ConflictName?
  ) throws(FilePackageError) -> Overlay {
    var overlay = Overlay(evidence.summary)
    if let state = evidence.state(at: metadata.revision) {
      try lay(state, isInPlace: name == nil, into: &overlay)
    } else if let name {
      // Only the sum of its children is known. The copies with the same mark may be its children.
      for copy in evidence.copies where copy.name.mark == name.mark && overlay.contents[copy.original] == nil
      {
        guard let row = evidence.found[copy.path] else { continue }
        overlay.copies.insert(copy.path)
        overlay.replace(
          evidence.present[copy.original]?.child, at: copy.original,
          by: row.child.moved(to: copy.original), content(at: copy.path, row))
      }
    }
    overlay.isWhole = overlay.missing.isEmpty && overlay.summary == metadata.summary
    return overlay
  }

  /// Adds the differences of a noted state.
  ///
  /// - Parameter isInPlace: whether it is the state of the document on disk.
  private func lay(
    _ state: StateTable, isInPlace: Bool, into overlay: inout Overlay
  ) throws(FilePackageError) {
    for row in state.rows {
      let path = row.child.path
      // A copy with the same content belongs to that version as well.
      for copy in evidence.copies(of: path) where evidence.found[copy]?.child.content == row.child.content {
        overlay.copies.insert(copy)
      }
      let present = evidence.present[path]?.child
      if let present, present.isSame(as: row.child) { continue }
      if let present, edits[path] == row.child {
        if isInPlace { overlay.count(row.child, insteadOf: present) }
      } else if let content = try content(of: row) {
        overlay.replace(present, at: path, by: row.child, content)
      } else {
        overlay.missing.append(path)
        overlay.replace(present, at: path, by: nil, nil)
      }
    }
    if !state.isComplete { return }
    for (path, row) in evidence.present where state.row(at: path) == nil {
      overlay.replace(row.child, at: path, by: nil, nil)
    }
  }

  /// Returns the available content of a child; nil if it is lost.
  private func content(of row: NotedChild) throws(FilePackageError) -> Content? {
    if row.child.kind == .directory { return .folder }
    return try evidence.find(row).map { content(at: $0.path, row) }
  }

  private func content(at path: PackagePath, _ row: NotedChild) -> Content {
    .stored(
      StoredNode(location: location, path: path),
      NodeAttributes(mode: row.child.isExecutable ? 0o777 : 0o666, modeIsExact: false, modified: row.modified)
    )
  }

  // MARK: Versions of unknown states

  /// Adds the copies that belong to no known version.
  private mutating func addUnclaimed(_ claimed: Set<PackagePath>) {
    var groups: [String: [ConflictEvidence.Copy]] = [:]
    var counts: [String: Int] = [:]
    for copy in evidence.copies where !claimed.contains(copy.path) {
      let isRepeated = evidence.found[copy.path].map { row in
        evidence.present[copy.original].map { $0.child.isSame(as: row.child.moved(to: copy.original)) }
          ?? false
      }
      if isRepeated != false { continue }
      // If two copies of one file differ in their times, each belongs to a version of its own.
      let same = copy.name.mark + "\0" + copy.original.string
      let earlier = counts[same, default: 0]
      groups[copy.name.mark + (earlier == 0 ? "" : "+\(earlier)"), default: []].append(copy)
      counts[same] = earlier + 1
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
        metadata: nil, savingComputer: nil, modificationDate: date,
        differences: contents.keys.sorted().map(\.string), missing: [],
        isWhole: false, files: files(of: contents, and: []))
      entries.append(Entry(version: version, overlay: contents))
    }
  }

  /// Adds the versions in `.docpkg/conflicts`.
  private mutating func addKept() throws(FilePackageError) {
    for kept in try location.keptConflicts() {
      let contents = try Self.contents(of: kept)
      guard !contents.isEmpty, let name = kept.path.name else { continue }
      let id = UUID(uuidString: name.string) ?? UUID(hashing: name.string)
      let plist = kept.path.appending(PackageLayout.metadata)
      let known = try ConflictEvidence.metadata(at: plist, in: location)
      let mark = known?.isMarkOfVersion == true ? known : nil
      let version = ConflictVersion(
        id: id, origin: mark.map { .synchronization(by: $0.generator) } ?? .otherProgram, metadata: nil,
        savingComputer: mark?.savingComputer,
        modificationDate: mark?.modificationDate ?? kept.status?.modified.date,
        differences: contents.filter { if case .folder? = $0.value { false } else { true } }.keys.sorted()
          .map(\.string),
        missing: [], isWhole: false, files: Self.files(of: contents).union(evidence.hiddenCopies))
      entries.append(Entry(version: version, overlay: contents))
    }
  }

  /// Returns the children of a version in `.docpkg/conflicts`.
  private static func contents(of kept: StoredNode) throws(FilePackageError) -> [PackagePath: Content?] {
    var contents: [PackagePath: Content?] = [:]
    try PackageSnapshot.Node(kept, kind: .directory).forEachChild { path, child in
      guard let node = child.stored else { return }
      contents[path] = .some(child.kind == .directory ? .folder : .stored(node, child.attributes))
    }
    // No tree has the metadata. Those of another program are a part of the version, unless they only mark it.
    let plist = kept.path.appending(PackageLayout.metadata)
    if let node = try kept.location.node(at: plist), let status = node.status,
      try ConflictEvidence.metadata(at: plist, in: kept.location)?.isMarkOfVersion != true
    {
      contents[PackagePath([PackageLayout.metadata])] = .some(.stored(node, NodeAttributes(status)))
    }
    return contents
  }

  /// Returns the files of a version in `.docpkg/conflicts`, as they are now.
  static func files(ofKept kept: StoredNode) throws(FilePackageError) -> Set<ConflictFile> {
    files(of: try contents(of: kept))
  }

  private static func files(of contents: [PackagePath: Content?]) -> Set<ConflictFile> {
    Set(
      contents.values.compactMap { content in
        guard case .stored(let node, _)? = content, let status = node.status else { return nil }
        return ConflictFile(path: node.path, size: status.size, modified: status.modified)
      })
  }

  // MARK: Trees

  /// Changes a tree from the document on disk to a version or, for nil, removes the conflict copies.
  func apply(_ entry: Entry?, to tree: FileWrapper) throws {
    for path in evidence.allCopies {
      if try VersionHistory.node(at: path, in: tree) != nil { try tree.removeDescendant(at: path.string) }
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

  /// Replaces a child with the same content, so that a save writes it anew.
  func rewrite(_ row: NotedChild, in tree: FileWrapper) throws {
    try put(content(at: row.child.path, row), at: row.child.path, in: tree)
  }

  /// Returns the last common state of a version and the document on disk, with the available children; nil if it is
  /// unknown.
  func base(of entry: Entry) throws -> FileWrapper? {
    guard let current = try package.baseline.metadata.get(), let revision = entry.version.metadata?.revision
    else { return nil }
    // The document on disk may be of several versions: the version of its metadata is then one of the entries.
    let other =
      revision == current.revision
      ? entries.lazy.compactMap(\.version.metadata?.revision).first { $0 != revision } : current.revision
    guard let other, let state = evidence.commonState(of: other, and: revision) else { return nil }
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for row in state.rows.sorted(by: { $0.child.path < $1.child.path }) {
      if let content = try content(of: row) { try put(content, at: row.child.path, in: tree) }
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
      guard let now = try location.node(at: node.path) else {
        throw FilePackageError(.noSuchFile, .read, node)
      }
      wrapper = try .with(contentOf: now, attributes)
    }
    try tree.setDescendant(wrapper, at: path.string)
  }
}

extension ConflictFile {
  init(_ row: NotedChild) {
    self.init(path: row.child.path, size: row.child.size, modified: row.modified)
  }
}

extension ChildSummary {
  func moved(to path: PackagePath) -> ChildSummary {
    var child = self
    child.path = path
    return child
  }

  /// Returns whether both have the same content under the same path.
  func isSame(as other: ChildSummary) -> Bool {
    path == other.path && kind == other.kind && content == other.content && isExecutable == other.isExecutable
  }
}
