import DurableIO
package import FileTrees
package import PackageFormat
import SystemPackage

extension SavePlan {
  /// A rule for the children of a new package's folders.
  package typealias FolderRule = (PackageSnapshot.Node, PackagePath) throws(FilePackageError) ->
    PackageSnapshot.Node

  /// Plans a package with everything in the snapshot.
  ///
  /// - Parameters:
  ///   - original: an earlier state of the same package. The plan reuses its files if the snapshot has the same ones, as
  ///     `FileWrapper.write(to:options:originalContentsURL:)` promises.
  ///   - entering: returns each folder with the children that the package has.
  package init(
    making snapshot: PackageSnapshot, original: StoredNode? = nil, entering: FolderRule? = nil
  ) throws(FilePackageError) {
    rootAttributes = snapshot.root.attributes
    var builder = PlanMaker(base: nil, entering: entering)
    if snapshot.root.kind == .directory {
      try builder.putChildren(of: snapshot.root, at: .root, original: original)
    } else {
      try builder.put(snapshot.root, at: .root, original: nil, replaced: nil)
    }
    steps = builder.steps
    leftAlone = builder.leftAlone
  }

  /// Plans to bring the package at `base` to the state of the snapshot.
  ///
  /// If the snapshot's directories are the package's own, the plan looks only at the changes. It compares a directory
  /// that an application built anew with the one on disk, child by child, by origin.
  ///
  /// - Parameter known: the tree that was read from there, if the snapshot is of another tree. The plan leaves alone
  ///   the children that this tree has not seen: another program added them.
  package init(
    saving snapshot: PackageSnapshot, over base: Location, known: FileWrapper? = nil
  ) throws(FilePackageError) {
    self.base = base
    var builder = PlanMaker(base: base, known: known, metadataRole: snapshot.metadataRole)
    try builder.compare(snapshot.root, at: .root)
    if snapshot.root.stored?.isSamePlace(as: StoredNode(location: base, path: .root)) == true,
      snapshot.root.hasNewAttributes(since: snapshot.root.stored?.status)
    {
      rootAttributes = snapshot.root.attributes
    }
    steps = builder.steps.sorted { $0.path < $1.path }
    leftAlone = builder.leftAlone
  }
}

private struct PlanMaker {
  /// The package that stays except for the steps.
  let base: Location?
  /// Returns each folder of a new package with its children.
  var entering: SavePlan.FolderRule?
  /// The tree that knows the package as it was when it was read.
  var known: FileWrapper?
  var metadataRole = MetadataRole.values
  var steps: [SavePlan.Step] = []
  var leftAlone: [PackagePath] = []

  // MARK: Over the package on disk

  mutating func compare(
    _ node: PackageSnapshot.Node, at path: PackagePath, replacing known: SavePlan.Replaced? = nil
  ) throws(FilePackageError) {
    guard case .directory(let changes) = node.content, let base else { return }
    let place = StoredNode(location: base, path: path)
    if node.stored?.isSamePlace(as: place) == true {
      // In order, so that no step has to move: a step is much larger than a name.
      for name in changes.keys.sorted() {
        guard let change = changes[name] else { continue }
        try compare(change.now, at: path.appending(name), replaced: .init(change.baseline))
      }
    } else {
      try compareAnew(node, at: place, replacing: known)
    }
  }

  /// Compares a directory that was built in memory, or comes from elsewhere, with the one on disk.
  private mutating func compareAnew(
    _ node: PackageSnapshot.Node, at place: StoredNode, replacing known: SavePlan.Replaced?
  ) throws(FilePackageError) {
    var replaced = try whatIsThere(place, as: known)
    for (name, child) in try node.children(at: place.path, looking: true) {
      try compare(child, at: place.path.appending(name), replaced: replaced.removeValue(forKey: name))
    }
    for (name, gone) in replaced where !isOurs(place.path.appending(name)) {
      try compare(nil, at: place.path.appending(name), replaced: gone)
    }
  }

  private func isOurs(_ path: PackagePath) -> Bool { PackageLayout.isOurs(path, in: metadataRole) }

  /// Returns the children of a directory on disk.
  ///
  /// They are those that the tree which was read from there knows; without such a tree, all that are there.
  private func whatIsThere(
    _ place: StoredNode, as folder: SavePlan.Replaced?
  ) throws(FilePackageError) -> [FileName: SavePlan.Replaced] {
    if let baselines = known?.knownBaselines(at: place.path) ?? folder?.wrapper?.knownBaselines(at: .root) {
      return baselines.compactMapValues { .init($0) }
    }
    return try place.attempt(.save, "listing") {
      do {
        let directory = try place.location.openDirectory(place.path)
        if let status = folder?.status, try place.disk.status(of: directory).modified != status.modified {
          throw FilePackageError(.changedOnDisk, .save, place)
        }
        let listing = try place.disk.list(directory)
        var replaced: [FileName: SavePlan.Replaced] = [:]
        for position in 0..<listing.count where listing.kind(at: position).isSupported {
          let name = listing.name(at: position)
          replaced[name] = SavePlan.Replaced(status: try place.disk.status(of: name, in: directory))
        }
        // A file that the tree knows has the status that it had then.
        for (name, baseline) in folder?.wrapper?.knownBaselines.known ?? [:] {
          replaced[name] = .init(baseline)
        }
        return replaced
      } catch let error as SystemError where error.isAbsence {
        throw FilePackageError(.changedOnDisk, .save, place)
      }
    }
  }

  private mutating func compare(
    _ node: PackageSnapshot.Node?, at path: PackagePath, replaced: SavePlan.Replaced?
  ) throws(FilePackageError) {
    guard let node else {
      if let replaced { add(path, .remove, .newFile(), replaced) }
      return
    }
    guard let base, replaced != nil else { return try put(node, at: path, original: nil, replaced: nil) }
    let place = StoredNode(location: base, path: path)
    let isSame = node.stored?.isSamePlace(as: place) == true
    let hasNewAttributes = node.hasNewAttributes(since: node.stored?.status)
    switch node.content {
    case .file where isSame && !hasNewAttributes, .link where isSame: return
    case .directory where isSame || replaced?.status?.kind == .directory:
      try compare(node, at: path, replacing: replaced)
      if isSame && hasNewAttributes { add(path, .setAttributes, node.attributes, replaced) }
    default: try put(node, at: path, original: nil, replaced: replaced)
    }
  }

  // MARK: Anew

  mutating func putChildren(
    of node: PackageSnapshot.Node, at path: PackagePath, original: StoredNode?
  ) throws(FilePackageError) {
    let node = try entering?(node, path) ?? node
    let children = try node.children(at: path, looking: true)
    var listing = node.listing
    if listing == nil { listing = try node.stored?.list() }
    if let listing {
      for position in 0..<listing.count where !listing.kind(at: position).isSupported {
        leftAlone.append(path.appending(listing.name(at: position)))
      }
    }
    let statuses = try original.map { original throws(FilePackageError) in
      try original.statuses(of: children.compactMap(\.node.filename))
    }
    for (name, child) in children {
      var earlier: StoredNode?
      if let original, let filename = child.filename, let status = statuses?[filename] {
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
      let attributes = node.attributes.executable(over: replaced?.status)
      add(path, action(for: contents, of: node, original: original), attributes, replaced)
    case .link:
      add(path, .link(node), node.attributes, replaced)
    case .directory:
      // The original may have another kind of node there.
      let folder = original?.status?.kind == .directory ? original : nil
      add(path, .makeDirectory(like: folder), node.attributes, replaced)
      try putChildren(of: node, at: path, original: original)
    }
  }

  private func action(
    for contents: FileContents, of node: PackageSnapshot.Node, original: StoredNode?
  ) -> SavePlan.Step.Action {
    if let base {
      // This child only moved within its package.
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
    // A step holds no wrapper: files of a removed folder are kept only for a program that holds it.
    let old = replaced.map { SavePlan.Replaced(status: $0.status) }
    steps.append(SavePlan.Step(path: path, action: action, attributes: attributes, replaced: old))
  }

  private func check(_ path: PackagePath, of node: PackageSnapshot.Node) throws(FilePackageError) {
    guard let problem = path.name?.problem else { return }
    throw FilePackageError(
      .invalidName, .save, document: base.map { FileName($0.path).string } ?? "", child: path.display,
      reason: problem.words)
  }
}

extension StoredNode {
  /// Returns the statuses of the children with these names; none if no folder is there.
  fileprivate func statuses(of names: [FileName]) throws(FilePackageError) -> [FileName: FileStatus] {
    do throws(FilePackageError) {
      return try presentStatuses(of: names)
    } catch {
      if error.code == .noSuchFile || error.code == .wrongKind { return [:] }
      throw error
    }
  }
}

extension PackageSnapshot.Node {
  /// Returns the file at `original` if it has this node's bytes and permissions, without reading it.
  ///
  /// It is the very file that the wrapper was read from or written as. For bytes that never were in memory, a copy of
  /// that file with the same date also counts.
  fileprivate func unchanged(at original: StoredNode) -> StoredNode? {
    guard let written = known, !hasNewAttributes(since: written), let status = original.status,
      status.kind == .file, status.size == written.size, status.modified == written.modified,
      status.mode == written.mode
    else { return nil }
    if case .file(.data) = content, !status.identity.hasSameContents(as: written.identity) { return nil }
    return original
  }
}
