import DurableIO

// A save that waits to be published is saved: what differs from it is what this is about.

extension PackageStore {
  /// Whether the tree differs from the last save.
  ///
  /// - Throws: the system's reason where a folder cannot be listed.
  package func hasUnsavedEdits() throws(FilePackageError) -> Bool {
    let plan = try plan()
    return !plan.isEmpty || !revised().isEmpty
  }

  /// The places that a save which waits to be published changes, and that were edited since. Where the tree is as the disk is
  /// again, a plan over the disk does not tell of it.
  private func revised() -> [PackagePath] {
    guard let pending, pending.tree === tree else { return [] }
    return pending.snapshot.revised(in: tree.changesSnapshot())
  }

  /// Refuses an operation that gives the store another tree while the present one has edits that no save has.
  func refuseUnsavedEdits() throws(FilePackageError) {
    let plan = try plan()
    let revised = revised()
    guard !plan.isEmpty || !revised.isEmpty else { return }
    // Every save writes the metadata.
    let edited = plan.steps.filter { if case .writeMetadata = $0.action { false } else { true } }
    let paths = Set(edited.map(\.path) + revised).sorted()
    let places = (paths.isEmpty ? plan.steps.map(\.path) : paths).map { "'\($0.display)'" }
    var names = Array(places.prefix(10))
    if plan.rootAttributes != nil { names.insert("the attributes of its folder", at: 0) }
    if places.count > 10 { names.append("\(places.count - 10) more") }
    throw FilePackageError(
      .unsavedEdits, .save, node, reason: "it has edits that are not saved: \(names.joined(separator: ", "))")
  }
}

extension SavePlan {
  /// The plan to save a tree without what an earlier snapshot of the same tree has, which is saved.
  func since(_ saved: PackageSnapshot, _ snapshot: PackageSnapshot) -> SavePlan {
    var plan = self
    plan.steps.removeAll { step in
      if case .writeMetadata = step.action { return false }
      return snapshot.root.isSame(as: saved.root, at: step.path)
    }
    if snapshot.root.attributes == saved.root.attributes { plan.rootAttributes = nil }
    let metadata = PackagePath([PackageLayout.metadata])
    if plan.rootAttributes == nil, plan.steps.allSatisfy({ $0.path == metadata }),
      snapshot.root.isSame(as: saved.root, at: metadata)
    {
      plan.steps = []
    }
    return plan
  }
}

extension PackageSnapshot {
  /// The places that differ from the disk in this snapshot, and have something else in a later one of the same tree.
  func revised(in later: PackageSnapshot) -> [PackagePath] {
    root.revised(in: later.root, at: .root).sorted()
  }
}

extension PackageSnapshot.Node {
  fileprivate func revised(in later: Self, at path: PackagePath) -> [PackagePath] {
    guard wrapper === later.wrapper, attributes == later.attributes else { return [path] }
    guard case .directory(let changes) = content, case .directory(let laterChanges) = later.content else {
      return revision == later.revision ? [] : [path]
    }
    return changes.flatMap { name, change -> [PackagePath] in
      let place = path.appending(name)
      switch (change.now, laterChanges[name]?.now) {
      case (nil, nil): return laterChanges[name] == nil ? [place] : []
      case (let before?, let now?): return before.revised(in: now, at: place)
      default: return [place]
      }
    }
  }

  /// Whether two snapshots of one tree have the same under a path.
  fileprivate func isSame(as other: Self, at path: PackagePath) -> Bool {
    var (left, right) = (self, other)
    for name in path.names {
      guard left.wrapper === right.wrapper else { return false }
      let (first, second) = (left.change(name), right.change(name))
      if first == nil && second == nil { return true }
      guard let first, let second else { return false }
      guard let now = first.now, let before = second.now else {
        return first.now == nil && second.now == nil
      }
      (left, right) = (now, before)
    }
    guard left.wrapper === right.wrapper else { return false }
    return left.kind == .directory ? left.attributes == right.attributes : left.revision == right.revision
  }
}
