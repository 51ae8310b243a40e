import DurableIO
import FileTrees
package import FoundationEssentials
package import PackageFormat

/// The result of restoring a version.
public struct RestoreReport: Sendable, Hashable, Codable {
  /// The save that restored it.
  public var save: SaveReport
  /// The children whose content in that version is lost, because another program changed them.
  ///
  /// They stay as they were before the call.
  public var lost: [String] = []

  package init(save: SaveReport, lost: [String] = []) { (self.save, self.lost) = (save, lost) }
}

extension RestoreReport: CustomStringConvertible {
  /// The save in one line, and a line for each child that is lost.
  public var description: String { ([save.description] + lostLines).joined(separator: "\n") }

  /// A line for each child that is lost.
  package var lostLines: [String] {
    lost.map {
      "'\(displayString($0))' is not as in that version: another program changed it, and its earlier bytes are lost"
    }
  }
}

/// One step of undo or redo.
package struct UndoStep {
  fileprivate let content: @Sendable (UndoChain) -> UUID?
  /// The reason if there is no such step.
  fileprivate let obstacle: String

  package static let undo = UndoStep(
    content: { $0.undone },
    obstacle: "there is no save to undo, or the history has no version before it")
  package static let redo = UndoStep(content: { $0.redone }, obstacle: "there is no save to redo")
}

// The ways back to a version, each as a save and as its plan. The docs of `PackageStore` say what each guarantees.
extension PackageWriter {
  // MARK: Saving

  package func restore(
    _ version: UUID, child: String?, options: SavingOptions
  ) throws(FilePackageError) -> RestoreReport {
    try publish()
    let (history, index) = try find(version, present: baseline.metadata.get())
    return try restore(history, index, child: child, options: options, content: nil)
  }

  /// Finds a version; the index is nil for the present state.
  private func find(
    _ version: UUID, present: PackageMetadata?
  ) throws(FilePackageError) -> (history: VersionHistory?, index: Int?) {
    if present?.revision == version { return (try package.history(), nil) }
    let (history, index) = try package.find(version)
    return (history, index)
  }

  package func go(_ step: UndoStep, options: SavingOptions) throws(FilePackageError) -> RestoreReport {
    try publish()
    let (history, index, content) = try package.target(step.content, step.obstacle)
    return try restore(history, index, child: nil, options: options, content: content)
  }

  private func restore(
    _ history: VersionHistory?, _ index: Int?, child: String?, options: SavingOptions, content: UUID?
  ) throws(FilePackageError) -> RestoreReport {
    try refuseUnsavedEdits()
    let before = tree
    do throws(FilePackageError) {
      var request = SaveRequest(before, options.union(.keepsHistory))
      let lost = try apply(history, index, child: child, content: content, to: &request)
      let report = try save(request)
      // Another program may have put another package in this place, and the tree may come from that.
      if report.strategy == .none { try requirePlace() }
      return RestoreReport(save: report, lost: lost)
    } catch {
      // Nothing is on disk; the restored children in the tree would count as edits, which no caller made.
      if tree === before && state.isRebased { tree = package.newTree() }
      throw error
    }
  }

  /// Gives a request's tree the content of a version, and returns the children whose content is lost.
  private func apply(
    _ history: VersionHistory?, _ index: Int?, child: String?, content: UUID?, to request: inout SaveRequest
  ) throws(FilePackageError) -> [String] {
    let applied = try package.apply(history, index, to: request.tree, child: child)
    if child == nil, let history, let index {
      try package.restoreValues(of: history.chain.versions[index].metadata, in: request.tree)
    }
    request.contentRevision = content
    request.changedOutside = Set(applied.outside.changed.keys)
    return applied.lost
  }

  // MARK: Plans

  package func plan(restoring version: UUID, child: String?) throws(FilePackageError) -> SavePlan {
    let (history, index) = try find(version, present: package.committedMetadata)
    return try plan(history, index, child: child, content: nil)
  }

  package func plan(_ step: UndoStep) throws(FilePackageError) -> SavePlan {
    let (history, index, content) = try package.target(step.content, step.obstacle)
    return try plan(history, index, child: nil, content: content)
  }

  private func plan(
    _ history: VersionHistory?, _ index: Int?, child: String?, content: UUID?
  ) throws(FilePackageError) -> SavePlan {
    try node.attempt(.read) {
      try plan { _ = try apply(history, index, child: child, content: content, to: &$0) }  // No report.
    }
  }
}
