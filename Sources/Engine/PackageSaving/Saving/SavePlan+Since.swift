import DurableIO
import FileTrees
import PackageFormat

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
