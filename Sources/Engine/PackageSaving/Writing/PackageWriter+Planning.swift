import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat

// Plans touch neither the disk nor the tree, apart from the rest of the last save, which is published first (W1).
extension PackageWriter {
  /// Returns the plan of a save that is asked for now: see `PackageStore.plan(_:)`.
  package func plan(saving tree: FileWrapper? = nil) throws(FilePackageError) -> SavePlan {
    try settle()
    return try plan(SaveRequest(tree ?? self.tree)).plan
  }

  /// Returns the plan of a save of the document as it was last saved, which `body` completes.
  ///
  /// The tree of the store stays as it is, and the plan ignores its edits.
  package func plan(changing body: (inout SaveRequest) throws -> Void) throws -> SavePlan {
    try settle()
    var request = SaveRequest(try package.savedTree())
    try body(&request)
    return try plan(request, known: nil).plan
  }

  package func plan(_ request: SaveRequest) throws(FilePackageError) -> PlannedSave {
    try plan(request, known: request.tree === tree ? nil : tree)
  }

  /// The noted children, if they are those of the state on disk.
  private var currentTable: StateTable? {
    guard let table = session?.table, table.revision == baseline.metadata.known?.revision
    else {
      return nil
    }
    return table
  }

  /// - Parameters:
  ///   - seen: the tree that knows the package on disk, if `tree` may come from elsewhere; nil if `tree` was read from
  ///     there.
  private func plan(
    _ request: SaveRequest, known seen: FileWrapper?
  ) throws(FilePackageError) -> PlannedSave {
    let snapshot = request.tree.changesSnapshot()
    guard snapshot.root.kind == .directory else {
      throw FilePackageError(.wrongKind, .save, node, reason: "the content is no folder")
    }
    baseline.retryMetadata(at: location)
    do throws(FilePackageError) {
      let known = try baseline.metadata.get()
      var (plan, values) = try SavePlan(saving: snapshot, over: location, known: seen)
        .withoutOurs(at: location, snapshot.metadataRole)
      // A merge writes the other version's children anew.
      if request.merge == nil { plan = plan.withoutIdentical(known: request.readsFiles ? nil : currentTable) }
      if !baseline.othersWroteValues && values == known?.applicationValues { values = nil }
      if baseline.othersWroteValues && values != nil {
        throw FilePackageError(
          .changedOnDisk, .save, StoredNode(location: location, path: PackagePath([PackageLayout.metadata])))
      }
      if case .present(let known, let status) = baseline.metadata {
        let keepsNoHistory = request.keepsNoHistory ?? known.keepsNoHistory
        // A return to a state of the same bytes is still a step.
        if plan.isEmpty && values == nil && request.contentRevision == nil
          && keepsNoHistory == known.keepsNoHistory
          && request.changedOutside.isDisjoint(with: plan.identical.keys)
        {
          return PlannedSave(plan: plan, snapshot: snapshot)
        }
        var draft = MetadataDraft(
          after: known, values, location, contentRevision: request.contentRevision,
          merging: request.merge?.parents ?? [], at: clock())
        draft.program = program
        draft.keepsNoHistory = keepsNoHistory
        return PlannedSave(plan: plan.writingMetadata(over: status), snapshot: snapshot, draft: draft)
      }
      guard known == nil, let values else { return PlannedSave(plan: plan, snapshot: snapshot) }
      // If another program's package gets its first metadata, the store reads everything in it once.
      let present = PackageSnapshot(root: .init(node, kind: .directory))
      var draft = MetadataDraft(new: nil, values, location, over: try ContentSummary(reading: present))
      draft.program = program
      return PlannedSave(plan: plan.writingMetadata(over: nil), snapshot: snapshot, draft: draft)
    } catch {
      throw error.during(.save)
    }
  }

  // MARK: Unsaved edits

  /// Returns whether the tree differs from the last save.
  ///
  /// - Throws: the system's reason if a folder cannot be listed.
  package func hasUnsavedEdits() throws(FilePackageError) -> Bool {
    try !plan(saving: nil).isEmpty
  }

  /// Throws `unsavedEdits` if the tree has edits that no save has.
  ///
  /// Operations that give the store another tree call it first.
  func refuseUnsavedEdits() throws(FilePackageError) {
    let plan = try plan(saving: nil)
    if plan.isEmpty { return }
    // Every save writes the metadata.
    let edited = plan.steps.filter { if case .writeMetadata = $0.action { false } else { true } }
    let paths = edited.map(\.path).sorted()
    let places = (paths.isEmpty ? plan.steps.map(\.path) : paths).map { "'\($0.display)'" }
    var names = Array(places.prefix(10))
    if plan.rootAttributes != nil { names.insert("the attributes of its folder", at: 0) }
    if places.count > 10 { names.append("\(places.count - 10) more") }
    throw FilePackageError(
      .unsavedEdits, .save, node, reason: "it has edits that are not saved: \(names.joined(separator: ", "))")
  }
}
