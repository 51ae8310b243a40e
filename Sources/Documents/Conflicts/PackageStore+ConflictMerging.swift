public import FilePackages
import FoundationEssentials

/// What merging the versions that are in conflict came to.
public struct ConflictMergeReport: Sendable {
  /// The save that decided the conflict; nil where something is still to be decided, and nothing was saved.
  public var save: SaveReport?
  /// What both sides changed, and nobody has decided.
  public var conflicts: [MergeConflict] = []
}

extension PackageStore {
  /// Merges all versions that are in conflict with the document, in one save: children that one side changed are as that side
  /// has them, texts that both changed are merged by line. Where both changed the same, nothing is saved, and the report says
  /// where.
  ///
  /// What the versions have in common before they were made apart is found by what saves have noted; texts and images
  /// of that state only where the document keeps history. Where it is not known, what one side removed is there
  /// again.
  ///
  /// - Parameters:
  ///   - keepingBoth: whether to decide everything, by keeping both: lines between the marks that programs for merging know,
  ///     a file beside the other one, with the computer's name in its own. What was removed by one side and changed by the
  ///     other stays.
  ///   - options: how it is saved.
  /// - Throws: what `resolveConflicts(options:with:)` throws. Then all versions are there still.
  public func mergeConflicts(
    keepingBoth: Bool = false, options: SavingOptions = []
  ) throws -> ConflictMergeReport {
    try mergeConflicts(keepingBoth, by: nil, options)
  }

  /// Merges all versions that are in conflict with the document, as its content type does. Children that are not the type's
  /// own are merged as `mergeConflicts(keepingBoth:options:)` does.
  ///
  /// - Throws: as that, and what the type throws.
  public func mergeConflicts<Content: MergeableContent>(
    as type: Content.Type, keepingBoth: Bool = false, options: SavingOptions = []
  ) throws -> ConflictMergeReport {
    try mergeConflicts(keepingBoth, by: ContentMerge(type, as: contentType), options)
  }

  /// Says what merging would do to the document as it was last saved, without touching anything on disk. The tree with its
  /// unsaved edits stays as it is, and they have no part in the plan.
  ///
  /// - Returns: nil for the plan where something is still to be decided.
  /// - Throws: as `mergeConflicts(keepingBoth:options:)`, but for `unsavedEdits`.
  public func mergingPlan<Content: MergeableContent>(
    as type: Content.Type?, keepingBoth: Bool = false
  ) throws -> (plan: SavePlan?, conflicts: [MergeConflict]) {
    let content = type.map { ContentMerge($0, as: contentType) }
    do {
      return (try resolvingPlan { try self.merge(into: $0, keepingBoth, by: content) }, [])
    } catch let undecided as Undecided {
      return (nil, undecided.conflicts)
    }
  }

  /// Ends a merge that is not to be saved.
  private struct Undecided: Error {
    let conflicts: [MergeConflict]
  }

  private func mergeConflicts(
    _ keepingBoth: Bool, by content: ContentMerge?, _ options: SavingOptions
  ) throws -> ConflictMergeReport {
    do {
      let report = try resolveConflicts(options: options) { try merge(into: $0, keepingBoth, by: content) }
      return ConflictMergeReport(save: report)
    } catch let undecided as Undecided {
      return ConflictMergeReport(conflicts: undecided.conflicts)
    }
  }

  private func merge(into tree: FileWrapper, _ keepingBoth: Bool, by content: ContentMerge?) throws {
    for version in try conflicts().reversed() {
      if let lost = version.missing.first { throw lacks(lost, version) }
      var merge = ConflictMerge(keepingBoth ? .both : .left, label: version.label)
      try merge.merge(
        contents(ofConflict: version.id), into: tree, base: commonAncestor(ofConflict: version.id),
        by: content)
      if !merge.conflicts.isEmpty { throw Undecided(conflicts: merge.conflicts) }
    }
  }
}

extension ConflictVersion {
  /// What to call it: the computer that saved it, or else how it begins.
  public var label: String {
    let computer = savingComputer ?? ""
    // A name with a slash would be a path.
    return computer.isEmpty ? String(id.uuidString.prefix(8)) : computer.replacing("/", with: ":")
  }
}
