package import FileTrees
import FoundationEssentials
import PackageFormat

/// The inputs of one save.
package struct SaveRequest {
  package var tree: FileWrapper
  package var options: SavingOptions = []
  /// The revision whose content the new state has again, after an undo or a redo.
  var contentRevision: UUID?
  /// The children that another program changed: if they already have the bytes that this save gives them, it accounts
  /// for them, even if it writes nothing.
  var changedOutside: Set<PackagePath> = []
  /// The new value of `PackageMetadata.keepsNoHistory`; nil for the present one.
  var keepsNoHistory: Bool?
  /// The notes of a save that merges versions.
  var merge: VersionMerge?

  package init(_ tree: FileWrapper, _ options: SavingOptions = []) {
    (self.tree, self.options) = (tree, options)
  }
}
