public import FilePackages
import FoundationEssentials

/// The outcome of a merge of the conflict versions.
public struct ConflictMergeReport: Sendable {
  /// The save that decided the conflict; nil if conflicts are left, and nothing was saved.
  public var save: SaveReport?
  /// The changes of both sides that are not decided.
  public var conflicts: [MergeConflict] = []
}

extension ConflictMergeReport: CustomStringConvertible {
  /// The save in one line, or a line for each change that is not decided.
  public var description: String {
    save?.description ?? conflicts.map(\.description).joined(separator: "\n")
  }
}

extension PackageStore {
  /// Merges all conflict versions into the document, in one save.
  ///
  /// A child that one side changed is as that side has it. A text that both sides changed is merged by line. If both
  /// sides changed the same part, nothing is saved, and the report has the places.
  ///
  /// The store finds the common base by the notes of earlier saves. Texts and images of the base are there only if the
  /// document keeps history. If the base is not known, a child that one side removed is there again.
  ///
  /// - Parameters:
  ///   - keepingBoth: whether to decide everything by keeping both sides. Lines are then between the marks that merge
  ///     programs know. A file is beside the other one, with the computer's name in its own. A child that one side
  ///     removed and the other one changed stays.
  ///   - options: the options of the save.
  /// - Throws: any error of `resolveConflicts(options:with:)`. All versions are then still there.
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
  /// The tree keeps its unsaved edits, which have no part in the plan.
  ///
  /// - Returns: the plan and the conflicts; nil for the plan if conflicts are left.
  /// - Throws: as `mergeConflicts(keepingBoth:options:)`, but for `unsavedEdits`.
  public func mergingPlan<Content: MergeableContent>(
    as type: Content.Type?, keepingBoth: Bool = false
  ) throws -> (plan: SavePlan?, conflicts: [MergeConflict]) {
    let content = type.map { contentMerge(by: $0) }
    do {
      return (try resolvingPlan { try self.merge(into: $0, keepingBoth, by: content) }, [])
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
      let report = try resolveConflicts(options: options) { try merge(into: $0, keepingBoth, by: content) }
      return ConflictMergeReport(save: report)
    } catch let undecided as Undecided {
      return ConflictMergeReport(conflicts: undecided.conflicts)
    }
  }

  private func merge(into tree: FileWrapper, _ keepingBoth: Bool, by content: ContentMerge?) throws {
    for version in try conflictVersions().reversed() {
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
  /// The name of the version: the computer that saved it, or the beginning of its identifier.
  package var label: String {
    let computer = savingComputer ?? ""
    // A name with a slash would be a path.
    return computer.isEmpty ? String(id.uuidString.prefix(8)) : computer.replacing("/", with: ":")
  }
}
