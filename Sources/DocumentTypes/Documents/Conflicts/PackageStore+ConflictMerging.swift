public import FilePackages
import FoundationEssentials

/// The outcome of a merge of the conflict versions.
public struct ConflictMergeReport: Sendable {
  /// The save that decided the conflict; nil if conflicts are left, and nothing was saved.
  public var save: SaveReport?
  /// The changes of both sides that need a decision.
  public var conflicts: [MergeConflict] = []
}

extension ConflictMergeReport: CustomStringConvertible {
  /// The save in one line, or a line for each change that needs a decision.
  public var description: String {
    save?.description ?? conflicts.map(\.description).joined(separator: "\n")
  }
}

extension PackageStore {
  /// Merges all conflict versions into the document, in one save.
  ///
  /// A child that only one side changed takes that side's version. A text that both sides changed is merged by line. If
  /// both sides changed the same part, the store saves nothing, and the report lists the conflicts.
  ///
  /// The store finds the common ancestor by digests that earlier saves noted. The contents of its children are
  /// available only if the document keeps history. If the common ancestor is not known, a child that one side removed
  /// appears again.
  ///
  /// - Parameters:
  ///   - keepingBoth: whether to resolve conflicts with both sides. The merged text has the lines of both sides between
  ///     the marks of `git merge-file --diff3`. Of two files, the second has the name of the saving computer in its
  ///     filename. A child that one side removed and the other side changed stays.
  ///   - options: the options of the save.
  /// - Throws: any error of `resolveConflicts(_:options:with:)`. All versions then stay.
  public func mergeConflicts(
    keepingBoth: Bool = false, options: SavingOptions = []
  ) throws -> ConflictMergeReport {
    try mergeConflicts(keepingBoth, by: nil, options)
  }

  /// Merges all conflict versions into the document, as its content type does.
  ///
  /// The children that the type does not own are merged as in `mergeConflicts(keepingBoth:options:)`.
  ///
  /// - Throws: as that method, and any error of the type.
  public func mergeConflicts<Content: MergeableContent>(
    as type: Content.Type, keepingBoth: Bool = false, options: SavingOptions = []
  ) throws -> ConflictMergeReport {
    try mergeConflicts(keepingBoth, by: contentMerge(by: type), options)
  }

  /// Plans a merge into the document as it was last saved, and changes nothing on disk.
  ///
  /// The plan ignores unsaved edits; they stay in the tree.
  ///
  /// - Returns: the plan and the conflicts; nil for the plan if conflicts are left.
  /// - Throws: as `mergeConflicts(keepingBoth:options:)`, except `unsavedEdits`.
  public func mergingPlan<Content: MergeableContent>(
    as type: Content.Type?, keepingBoth: Bool = false
  ) throws -> (plan: SavePlan?, conflicts: [MergeConflict]) {
    let content = type.map { contentMerge(by: $0) }
    do {
      let versions = try conflictVersions()
      return (try resolvingPlan { try self.merge(versions, into: $0, keepingBoth, by: content) }, [])
    } catch let undecided as Undecided {
      return (nil, undecided.conflicts)
    }
  }

  private func contentMerge<Content: MergeableContent>(by type: Content.Type) -> ContentMerge {
    ContentMerge(
      type, as: contentType, pathExtension: url.pathExtension, metadataRole(isVisible: type.seesMetadata))
  }

  /// The end of a merge that is not saved.
  private struct Undecided: Error {
    let conflicts: [MergeConflict]
  }

  private func mergeConflicts(
    _ keepingBoth: Bool, by content: ContentMerge?, _ options: SavingOptions
  ) throws -> ConflictMergeReport {
    do {
      let versions = try conflictVersions()
      let report = try resolveConflicts(versions, options: options) {
        try merge(versions, into: $0, keepingBoth, by: content)
      }
      return ConflictMergeReport(save: report)
    } catch let undecided as Undecided {
      return ConflictMergeReport(conflicts: undecided.conflicts)
    }
  }

  private func merge(
    _ versions: [ConflictVersion], into tree: FileWrapper, _ keepingBoth: Bool, by content: ContentMerge?
  ) throws {
    for version in versions.reversed() {
      if let lost = version.missing.first { throw lacks(lost, version) }
      var merge = ConflictMerge(keepsBoth: keepingBoth, label: version.label)
      try merge.merge(
        contents(ofConflict: version.id), into: tree, base: commonAncestor(ofConflict: version.id),
        by: content)
      if !merge.conflicts.isEmpty { throw Undecided(conflicts: merge.conflicts) }
    }
  }
}

extension ConflictVersion {
  /// The name of the version: the computer that saved it, or the beginning of its identifier.
  package var label: String {
    let computer = savingComputer ?? ""
    // A name with a slash would be a path.
    return computer.isEmpty ? String(id.uuidString.prefix(8)) : computer.replacing("/", with: ":")
  }
}
