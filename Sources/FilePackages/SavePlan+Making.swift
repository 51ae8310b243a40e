import DurableIO
import SystemPackage

extension SavePlan {
  /// Plans to make a package of all that is in the snapshot.
  ///
  /// - Parameter original: an earlier state of the same package, whose files are to be used where the snapshot's
  ///   are the same, as `FileWrapper.write(to:options:originalContentsURL:)` promises.
  package init(making snapshot: PackageSnapshot, original: StoredNode? = nil) throws(FilePackageError) {
    rootAttributes = snapshot.root.attributes
    var maker = PlanMaker(base: nil)
    if snapshot.root.kind == .directory {
      try maker.putChildren(of: snapshot.root, at: .root, original: original)
    } else {
      try maker.put(snapshot.root, at: .root, original: nil, replaced: nil)
    }
    steps = maker.steps
  }

  /// Plans to bring the package at `base` to the state of the snapshot.
  ///
  /// Where the snapshot's directories are the package's own, only what changed is looked at. A directory that
  /// an application built anew is compared with the one on disk, child by child, by where they come from.
  package init(saving snapshot: PackageSnapshot, over base: Location) throws(FilePackageError) {
    self.base = base
    var maker = PlanMaker(base: base)
    try maker.compare(snapshot.root, at: .root)
    if snapshot.root.stored?.isSamePlace(as: StoredNode(location: base, path: .root)) == true,
      snapshot.root.hasNewAttributes(since: snapshot.root.stored?.status)
    {
      rootAttributes = snapshot.root.attributes
    }
    steps = maker.steps.sorted { $0.path < $1.path }
  }
}

private struct PlanMaker {
  /// The package that stays as it is but for the steps.
  let base: Location?
  var steps: [SavePlan.Step] = []

  // MARK: Over what is on disk

  mutating func compare(_ node: PackageSnapshot.Node, at path: PackagePath) throws(FilePackageError) {
    guard case .directory(let changes) = node.content, let base else { return }
    let place = StoredNode(location: base, path: path)
    if node.stored?.isSamePlace(as: place) == true {
      for (name, change) in changes {
        let replaced: SavePlan.Replaced? =
          switch change.baseline {
          case .absent: nil
          case .present(let status): SavePlan.Replaced(status: status)
          }
        try compare(change.now, at: path.appending(name), replaced: replaced)
      }
    } else {
      try compareAnew(node, at: place)
    }
  }

  /// Compares a directory that was built in memory, or comes from elsewhere, with the one on disk.
  private mutating func compareAnew(
    _ node: PackageSnapshot.Node, at place: StoredNode
  ) throws(FilePackageError) {
    let listing = try place.list()
    let present = (0..<listing.count).filter { listing.kind(at: $0).isSupported }.map(listing.name(at:))
    let statuses = try place.children(present)
    var replaced = Dictionary(
      uniqueKeysWithValues: zip(present, statuses.map { SavePlan.Replaced(status: $0.status) }))
    for (name, child) in try node.children(at: place.path, looking: true) {
      try compare(child, at: place.path.appending(name), replaced: replaced.removeValue(forKey: name))
    }
    for (name, gone) in replaced where !PackageLayout.isOurs(place.path.appending(name)) {
      try compare(nil, at: place.path.appending(name), replaced: gone)
    }
  }

  private mutating func compare(
    _ node: PackageSnapshot.Node?, at path: PackagePath, replaced: SavePlan.Replaced?
  ) throws(FilePackageError) {
    guard let node else {
      if let replaced { add(path, .remove, replaced: replaced) }
      return
    }
    guard let base, replaced != nil else { return try put(node, at: path, original: nil, replaced: nil) }
    let place = StoredNode(location: base, path: path)
    let isSame = node.stored?.isSamePlace(as: place) == true
    let hasNewAttributes = node.hasNewAttributes(since: node.stored?.status)
    switch node.content {
    case .file where isSame && !hasNewAttributes, .link where isSame: return
    case .directory where isSame || replaced?.status?.kind == .directory:
      try compare(node, at: path)
      if isSame && hasNewAttributes { add(path, .setAttributes, node.attributes) }
    default: try put(node, at: path, original: nil, replaced: replaced)
    }
  }

  // MARK: Anew

  mutating func putChildren(
    of node: PackageSnapshot.Node, at path: PackagePath, original: StoredNode?
  ) throws(FilePackageError) {
    let children = try node.children(at: path, looking: true)
    let statuses = original?.statuses(of: children.compactMap(\.node.filename)) ?? [:]
    for (name, child) in children {
      var earlier: StoredNode?
      if let original, let filename = child.filename, let status = statuses[filename] {
        earlier = original.child(filename)
        earlier?.status = status
      }
      try put(child, at: path.appending(name), original: earlier, replaced: nil)
    }
  }

  mutating func put(
    _ node: PackageSnapshot.Node, at path: PackagePath, original: StoredNode?,
    replaced: SavePlan.Replaced?
  ) throws(FilePackageError) {
    try check(path, of: node)
    switch node.content {
    case .file(let contents):
      add(path, action(for: contents, of: node, original: original), node.attributes, replaced)
    case .link:
      add(path, .link(node), node.attributes, replaced)
    case .directory:
      add(path, .makeDirectory, node.attributes, replaced)
      try putChildren(of: node, at: path, original: original)
    }
  }

  private func action(
    for contents: FileContents, of node: PackageSnapshot.Node, original: StoredNode?
  ) -> SavePlan.Step.Action {
    if let base {
      // A child that only moved within its package.
      if let stored = node.stored, stored.location === base { return .reuse(stored) }
    } else if let original, let unchanged = node.unchanged(at: original) {
      return .reuse(unchanged)
    }
    return .write(contents)
  }

  private mutating func add(
    _ path: PackagePath, _ action: SavePlan.Step.Action, _ attributes: NodeAttributes = .newFile(),
    _ replaced: SavePlan.Replaced? = nil
  ) {
    steps.append(SavePlan.Step(path: path, action: action, attributes: attributes, replaced: replaced))
  }

  private mutating func add(_ path: PackagePath, _ action: SavePlan.Step.Action, replaced: SavePlan.Replaced)
  {
    add(path, action, .newFile(), replaced)
  }

  private func check(_ path: PackagePath, of node: PackageSnapshot.Node) throws(FilePackageError) {
    guard let problem = path.name?.problem else { return }
    throw FilePackageError(
      .invalidName, .save, document: base?.path.string ?? "", child: path.display, reason: problem.words)
  }
}

extension PackageSnapshot.Node {
  /// The file at `original` when it has this node's bytes and permissions, which is told without reading it:
  /// it is the very file that the wrapper was read from or written as, or, for bytes that never were in memory,
  /// a copy of it that kept its date.
  fileprivate func unchanged(at original: StoredNode) -> StoredNode? {
    guard let written = known, !hasNewAttributes(since: written), let status = original.status,
      status.kind == .file, status.size == written.size, status.modified == written.modified,
      status.mode == written.mode
    else { return nil }
    if case .file(.data) = content, !status.identity.hasSameContents(as: written.identity) { return nil }
    return original
  }
}

extension FileName.Problem {
  var words: String {
    switch self {
    case .empty: "an empty name is no name for a file"
    case .dots: "'.' and '..' are no names for a file"
    case .slash: "a name cannot contain '/'"
    case .nul: "a name cannot contain a NUL character"
    case .tooLong: "a name cannot be longer than \(FileName.maximumLength) bytes"
    }
  }
}
