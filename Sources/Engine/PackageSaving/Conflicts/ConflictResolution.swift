import DurableIO
package import FileTrees
package import FoundationEssentials
import PackageFormat

// R1 The outcome is saved and durable before any conflict version is removed: until then all versions stay available.
// R2 A file of another version than the metadata in its place is written again, as if this save brought it. So the
//    versions of the history do not share it, and the sums are right.
// R3 A decision removes only files that the decided versions had when they were listed. Files that came later stay, and
//    so do the versions that have one of them.

/// Makes a tree of the document on disk, without the conflict copies, the outcome of a decision.
package typealias ConflictDecision = (FileWrapper, ConflictSet) throws -> Void

// The decisions about the versions in conflict with a document, each as a save and as its plan. The docs of
// `PackageStore` say what each guarantees.
extension PackageWriter {
  /// Returns the decision for one version; nil for the document on disk.
  ///
  /// - Parameter shown: the version as it was shown; nil for a plan, which removes nothing.
  package static func keeping(_ id: UUID?, shown: [ConflictVersion]? = nil) -> ConflictDecision {
    { tree, set in
      guard let id else { return }
      let entry = try set.entry(id)
      if let shown, !entry.version.files.isSubset(of: Set(shown.flatMap(\.files))) {
        throw set.hasChanged(entry.version)
      }
      if let lost = entry.version.missing.first { throw entry.version.lacks(lost, at: set.location) }
      try set.apply(entry, to: tree)
    }
  }

  /// - Parameter decided: the versions that the decision is about, as they were shown.
  package func resolveConflicts(
    _ decided: [ConflictVersion], options: SavingOptions, _ decide: ConflictDecision
  ) throws -> SaveReport {
    try publish()
    let set = try ConflictSet(package)
    let undecided = set.undecided(besides: decided)
    let left = Set(undecided.flatMap(\.files).map(\.path))
    try refuseUnsavedEdits()
    let before = baseline.metadata
    do {
      let tree = package.newTree()
      self.tree = tree
      let copies = try left.intersection(set.evidence.allCopies).map { path in
        (path: path.string, file: try tree.descendant(at: path.string))
      }
      var merge = try prepare(tree, set)
      merge.parents.removeAll { parent in undecided.contains { $0.id == parent } }
      try decide(tree, set)
      try account(for: &merge, in: tree, leaving: left)
      // The decision did not see the copies that stay, and a content type may write all children.
      for case (let path, let file?) in copies { try tree.setDescendant(file, at: path) }
      // A version that stays shares children with the state that the save replaces.
      var request = SaveRequest(tree, undecided.isEmpty ? options : options.union(.keepsHistory))
      request.merge = merge
      // The conflict versions go only after this save (R1).
      var report = try save(request)
      // After the save, a failure is only a warning.
      do throws(FilePackageError) {
        try publish()
        report.isPublishedAfterAll()
        try removeResolved(Set(decided.flatMap(\.files)), set, leaving: left)
        if !undecided.isEmpty { report.note(SaveWarning(undecided: undecided)) }
      } catch {
        if report.strategy == .none { throw error }
        report.note(SaveWarning(.conflictsLeft, error))
      }
      return report
    } catch {
      if state.isRebased {
        (self.tree, baseline.metadata) = (package.newTree(), before)
      }
      throw error
    }
  }

  package func planResolving(_ decide: ConflictDecision) throws -> SavePlan {
    let set = try ConflictSet(package)
    return try plan { request in
      request.merge = try prepare(request.tree, set)
      try decide(request.tree, set)
    }
  }

  /// Makes the tree the document on disk, without the conflict copies.
  private func prepare(_ tree: FileWrapper, _ set: ConflictSet) throws -> VersionMerge {
    try set.apply(nil, to: tree)
    let merge = try VersionMerge(set, package)
    // Files of other versions (R2).
    for row in merge.others { try set.rewrite(row, in: tree) }
    return merge
  }

  /// Completes the notes of a save that merges versions.
  ///
  /// - Parameter left: the conflict copies that stay, which are no children of the document.
  private func account(
    for merge: inout VersionMerge, in tree: FileWrapper, leaving left: Set<PackagePath>
  ) throws {
    merge.changes = try merge.changes.filter {
      try $0.new == nil || tree.descendant(at: $0.path.string)?.isDirectory == true
    }
    if merge.isUnaccounted, case .present(var metadata, let status) = baseline.metadata {
      var children = try package.verifyChildren()
      children.found = children.found.filter { !left.contains($0.key) }
      metadata.summary = children.summary
      baseline.metadata = .present(metadata, status)
      merge.recounted = children.rows
    }
  }

  /// Removes the resolved conflict versions (R3).
  private func removeResolved(
    _ decided: Set<ConflictFile>, _ set: ConflictSet, leaving left: Set<PackagePath>
  ) throws(FilePackageError) {
    let disk = location.disk
    try node.attempt(.save, "removing its conflict versions") {
      guard let hidden = try location.openHiddenFolder() else { return }
      for copy in set.evidence.hiddenCopies.intersection(decided) where !left.contains(copy.path) {
        guard let name = copy.path.name, try disk.exists(name, in: hidden) else { continue }
        try disk.removeFile(name, in: hidden)
      }
      try removeKeptConflicts(decided)
    }
  }
}

extension SaveWarning {
  /// Makes the warning for versions that arrived while the others were decided.
  fileprivate init(undecided: [ConflictVersion]) {
    let names = undecided.map { String($0.id.uuidString.prefix(8)) }.joined(separator: ", ")
    self.init(.conflictsLeft, reason: "\(names) arrived during the decision")
  }
}

extension VersionMerge {
  fileprivate init(
    _ set: ConflictSet, _ package: OpenPackage
  ) throws(FilePackageError) {
    let metadata = try package.baseline.metadata.get()
    self.init(
      parents: set.entries.compactMap(\.version.metadata?.revision).filter { $0 != metadata?.revision })
    guard let metadata, !set.evidence.isEmpty else { return }
    guard let noted = try package.table(of: metadata), noted.isComplete else {
      isUnaccounted = true
      return
    }
    for (path, row) in set.evidence.present where noted.row(at: path)?.child != row.child {
      if row.child.kind == .directory { changes.append(Change(path, new: row)) } else { others.append(row) }
    }
    changes += noted.rows.filter { set.evidence.found[$0.child.path] == nil }
      .map { Change($0.child.path, noted: $0) }
  }
}
