import DurableIO
package import FileTrees
package import FoundationEssentials
import PackageFormat

// R1 The outcome is saved and durable before any conflict version is removed: until then all versions stay available.
// R2 A file of another version than the metadata in its place is written again, as if this save brought it. So the
//    versions of the history do not share it, and the sums are right.

/// The decisions about the versions in conflict with a document, each as a save and as its plan.
///
/// The docs of `PackageStore` say what each guarantees.
package struct ConflictResolution {
  /// Makes a tree of the document on disk, without the conflict copies, the outcome.
  package typealias Decision = (FileWrapper, ConflictSet) throws -> Void

  private let writer: PackageWriter

  package init(_ writer: PackageWriter) { self.writer = writer }

  /// Returns the decision for one version; nil for the document on disk.
  package static func keeping(_ id: UUID?) -> Decision {
    { tree, set in
      guard let id else { return }
      let entry = try set.entry(id)
      if let lost = entry.version.missing.first { throw set.lacks(lost, entry.version) }
      try set.apply(entry, to: tree)
    }
  }

  package func resolve(options: SavingOptions, _ decide: Decision) throws -> SaveReport {
    try writer.publish()
    let set = try ConflictSet(writer.package)
    try writer.refuseUnsavedEdits()
    let before = writer.baseline.metadata
    do {
      let tree = writer.package.newTree()
      writer.tree = tree
      var merge = try prepare(tree, set)
      try decide(tree, set)
      try account(for: &merge, in: tree)
      var request = SaveRequest(tree, options)
      request.merge = merge
      // The conflict versions go only after this save (R1).
      var report = try writer.save(request)
      // After the save, a failure is only a warning.
      do throws(FilePackageError) {
        try writer.publish()
        report.isPublishedAfterAll()
        try removeResolved(set)
      } catch {
        if report.strategy == .none { throw error }
        report.note(SaveWarning(.conflictsLeft, error))
      }
      return report
    } catch {
      if writer.state.isRebased {
        (writer.tree, writer.baseline.metadata) = (writer.package.newTree(), before)
      }
      throw error
    }
  }

  package func plan(_ decide: Decision) throws -> SavePlan {
    let set = try ConflictSet(writer.package)
    return try writer.plan(dropsIdentical: false) { tree in
      _ = try prepare(tree, set)
      try decide(tree, set)
    }
  }

  /// Makes the tree the document on disk, without the conflict copies.
  private func prepare(_ tree: FileWrapper, _ set: ConflictSet) throws -> VersionMerge {
    try set.apply(nil, to: tree)
    let merge = try VersionMerge(set, writer.package)
    // Files of other versions (R2).
    for row in merge.others { try set.rewrite(row, in: tree) }
    return merge
  }

  /// Completes the notes of a save that merges versions.
  private func account(for merge: inout VersionMerge, in tree: FileWrapper) throws {
    merge.folders = try merge.folders.filter {
      try tree.descendant(at: $0.child.path.string)?.isDirectory == true
    }
    if merge.isUnaccounted, case .present(var metadata, let status) = writer.baseline.metadata {
      let children = try PackageVerification(package: writer.package).verifyChildren()
      metadata.summary = children.summary
      writer.baseline.metadata = .present(metadata, status)
      merge.recounted = children.rows
    }
  }

  /// Removes the resolved conflict versions. Files that came after the look at the conflicts stay.
  private func removeResolved(_ set: ConflictSet) throws(FilePackageError) {
    let disk = writer.location.disk
    do {
      guard let hidden = try writer.location.openHiddenFolder() else { return }
      for name in set.evidence.hiddenCopies where try disk.exists(name, in: hidden) {
        try disk.removeFile(name, in: hidden)
      }
      let kept = set.entries.compactMap(\.keptIn)
      if kept.isEmpty { return }
      let folder = try disk.openDirectory(PackageLayout.conflicts, in: hidden)
      for name in kept where !disk.removeEverything(name, from: folder) {
        throw FilePackageError(
          .inputOutput, .save, writer.node,
          reason: "'\(name.display)' among its conflict versions could not be removed")
      }
      if try disk.list(folder).count == 0 { disk.removeEverything(PackageLayout.conflicts, from: hidden) }
    } catch {
      throw FilePackageError(any: error, .save, writer.node, activity: "removing its conflict versions")
    }
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
    guard let noted = try package.manifest(for: metadata), noted.isComplete else {
      isUnaccounted = true
      return
    }
    for (path, row) in set.evidence.present where noted.row(at: path)?.child != row.child {
      if row.child.kind == .directory { folders.append(row) } else { others.append(row) }
    }
    missing = noted.rows.filter { set.evidence.found[$0.child.path] == nil }
  }
}
