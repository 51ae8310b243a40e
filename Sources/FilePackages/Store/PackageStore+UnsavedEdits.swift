import DurableIO

// Unsaved edits are the differences from the last save, even if that one waits to be published.

extension PackageStore {
  /// Returns whether the tree differs from the last save.
  ///
  /// - Throws: the system's reason if a folder cannot be listed.
  package func hasUnsavedEdits() throws(FilePackageError) -> Bool {
    let plan = try plan()
    return !plan.isEmpty || !revised().isEmpty
  }

  /// Returns the places that the waiting save changes, and that the program edited since.
  ///
  /// If such an edit takes the tree back to the state of the disk, a plan over the disk does not contain it.
  private func revised() -> [PackagePath] {
    guard let waiting = state.waiting, waiting.tree === tree else { return [] }
    return waiting.snapshot.revised(in: tree.changesSnapshot())
  }

  /// Throws `unsavedEdits` if the tree has edits that no save has.
  ///
  /// Operations that give the store another tree call it first.
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
  /// Returns the plan for a tree without the changes of an earlier snapshot of the same tree, which is saved.
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
  /// Returns the places that differ from the disk in this snapshot, and have something else in a later one of the same
  /// tree.
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

  /// Returns whether two snapshots of one tree have the same content at a path.
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
