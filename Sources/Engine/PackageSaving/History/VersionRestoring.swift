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

/// The state that a restore brings back.
package enum WantedState {
  /// A version, or the present state.
  case version(UUID)
  /// The state before the last save that is not undone.
  case undone
  /// The state before the last undo.
  case redone
}

/// A state that can be brought back.
private struct FoundState {
  var history: VersionHistory?
  /// The version in the history; nil for the present state.
  var index: Int?
  /// The revision whose content the new state has again, after an undo or a redo.
  var content: UUID?
}

extension OpenPackage {
  /// - Parameter present: the metadata of the present state.
  fileprivate func find(
    _ wanted: WantedState, present: PackageMetadata?
  ) throws(FilePackageError) -> FoundState {
    if case .version(let id) = wanted {
      if present?.revision == id { return FoundState(history: try history()) }
      let (history, index) = try find(id)
      return FoundState(history: history, index: index)
    }
    guard let history = try history() else { throw keepsNone }
    let chain = UndoChain(history)
    let (content, obstacle) =
      if case .undone = wanted {
        (chain.undone, "there is no save to undo, or the history has no version before it")
      } else {
        (chain.redone, "there is no save to redo")
      }
    guard let content, let position = chain.index(of: content) else {
      throw FilePackageError(.noSuchVersion, .restore, node, reason: obstacle)
    }
    return FoundState(
      history: history, index: history.available.lowerBound + position, content: content)
  }
}

// The ways back to a version, as a save and as its plan. The docs of `PackageStore` say what each guarantees.
extension PackageWriter {
  package func restore(
    _ wanted: WantedState, child: String? = nil, options: SavingOptions
  ) throws(FilePackageError) -> RestoreReport {
    try publish()
    let found = try package.find(wanted, present: baseline.metadata.get())
    try refuseUnsavedEdits()
    let before = tree
    do throws(FilePackageError) {
      var request = SaveRequest(before, options.union(.keepsHistory))
      let lost = try apply(found, child: child, to: &request)
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

  package func plan(
    restoring wanted: WantedState, child: String? = nil
  ) throws(FilePackageError) -> SavePlan {
    let found = try package.find(wanted, present: package.committedMetadata)
    return try node.attempt(.read) {
      try plan { _ = try apply(found, child: child, to: &$0) }  // No report.
    }
  }

  /// Gives a request's tree the content of a state, and returns the children whose content is lost.
  private func apply(
    _ found: FoundState, child: String?, to request: inout SaveRequest
  ) throws(FilePackageError) -> [String] {
    let applied = try package.apply(found.history, found.index, to: request.tree, child: child)
    if child == nil, let history = found.history, let index = found.index {
      try package.restoreValues(of: history.chain.versions[index].metadata, in: request.tree)
    }
    request.contentRevision = found.content
    request.changedOutside = Set(applied.outside.changed.keys)
    return applied.lost
  }
}
