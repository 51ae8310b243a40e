import DurableIO

// What is kept of the version that a save replaces: collected while the plan's steps are checked and carried out.
extension StateMaker {
  /// What a save keeps of the version that it replaces.
  struct Keeping {
    /// The names, in the folder for versions, of what each step replaces or removes.
    var names: [PackagePath: FileName]
    /// What stood there, all that is in a folder that goes included.
    fileprivate(set) var went: [PackagePath: VersionRecord.Row] = [:]
    /// The places at which something stands now.
    fileprivate(set) var came: Set<PackagePath> = []

    init(names: [PackagePath: FileName]) { self.names = names }
  }

  /// Takes down a folder that stays and gets other attributes.
  mutating func keepAttributes(of now: FileStatus, at path: PackagePath) {
    keeping?.went[path] = VersionRecord.Row(path, VersionRecord.Node(now.kind, NodeAttributes(now)))
  }

  /// Takes down what a step replaces or removes. What another program changed since it was saved is read for its hash.
  mutating func keep(
    _ children: [SummarizedChild], of step: PackagePath
  ) throws(FilePackageError) {
    guard let name = keeping?.names[step] else { return }
    for child in children {
      var node = VersionRecord.Node(child.node.kind, child.node.attributes, size: child.node.known?.size ?? 0)
      node.place = PackagePath([name] + child.path.names[step.names.count...])
      var earlier = VersionRecord.Earlier.same
      if child.node.kind != .directory {
        node.content = child.actual?.content
        if node.content == nil {
          node.content = try ChildSummary(reading: child.node, at: child.path).content
        }
        if let accounted = child.accounted, accounted.content != node.content { earlier = .lost }
      }
      if child.accounted == nil { earlier = .nothing }
      keeping?.went[child.path] = VersionRecord.Row(child.path, node, earlier: earlier)
    }
  }

  /// Takes down a folder that is there and that versions before do not have.
  mutating func keepNewFolder(at path: PackagePath) {
    let node = VersionRecord.Node(.directory, .newDirectory())
    keeping?.went[path] = VersionRecord.Row(path, node, earlier: .nothing)
  }

  /// Takes down what the version before had where other programs changed something that counts as right from now on.
  mutating func keepAccepted(_ verified: PackageStore.Verified) {
    func keep(_ path: PackagePath, _ node: VersionRecord.Node?) {
      keeping?.went[path] = VersionRecord.Row(path, node)
    }
    let folder = VersionRecord.Node(.directory, .newDirectory())
    for path in (verified.report.damaged + verified.report.missing).map({ PackagePath($0) }) {
      keep(path, verified.expected[path]?.child.kind == .directory ? folder : .lost)
    }
    for path in verified.unknown where verified.found[path]?.child.kind != .directory { keep(path, .lost) }
    for path in verified.report.extra { keep(PackagePath(path), nil) }
  }

  /// Takes down that something is made at a place.
  mutating func keepAbsence(at path: PackagePath) { keeping?.came.insert(path) }

  /// The version that the save replaces; nil where it is not kept.
  ///
  /// - Parameter root: the package's own directory as it was.
  func version(over root: FileStatus) -> VersionRecord? {
    guard let keeping, let before = metadata?.before, let made = madeMetadata?.metadata else { return nil }
    var version = VersionRecord(before, next: made.revision)
    var rows = keeping.went
    for path in keeping.came where rows[path] == nil {
      // What the manifest has of it was removed by another program.
      rows[path] = VersionRecord.Row(path, nil, earlier: known?.row(at: path) == nil ? .same : .lost)
    }
    if plan.rootAttributes != nil {
      rows[.root] = VersionRecord.Row(.root, VersionRecord.Node(.directory, NodeAttributes(root)))
    }
    version.rows = rows.values.sorted { $0.path < $1.path }
    return version
  }
}
