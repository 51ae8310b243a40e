package import FileTrees
import FoundationEssentials
import PackageFormat

/// The ways to save a package.
public struct SavingOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int
  /// Makes a set of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Also replaces and removes children that have no write permission. By default that is an error, since the renames
  /// of a save would ignore the permission.
  public static let overwritesReadOnly = SavingOptions(rawValue: 1)
  /// Returns as soon as the save is durable. The store publishes it next, and before any other save; `publish()` waits
  /// for that.
  public static let returnsAtCommit = SavingOptions(rawValue: 2)
  /// Keeps the version that the save replaces, and starts a history: from then on every program's saves keep theirs.
  ///
  /// Costs a rename for each child that a save replaces or removes, instead of an unlink. Packages without metadata
  /// have no history. A save begins no history in a document whose history `PackageStore.stopKeepingHistory(dryRun:)`
  /// ended.
  public static let keepsHistory = SavingOptions(rawValue: 16)
  /// Ends the save with `cancelled` and without any effect if the task is cancelled before the commit. After the commit
  /// the save completes. By default every save completes.
  public static let cancellable = SavingOptions(rawValue: 64)
}

/// The inputs of one save.
package struct SaveRequest {
  package var tree: FileWrapper
  package var options: SavingOptions = []
  /// The revision whose content the new state has again, after an undo or a redo.
  var contentRevision: UUID?
  /// The children that another program changed: if they already have the bytes that this save gives them, it accounts
  /// for them, even if it writes nothing.
  var changedOutside: Set<PackagePath> = []
  /// Whether only the bytes on disk, and not the notes about them, show that a child stays as it is.
  var readsFiles = false
  /// The new value of `PackageMetadata.keepsNoHistory`; nil for the present one.
  var keepsNoHistory: Bool?
  /// The notes of a save that merges versions.
  var merge: VersionMerge?

  package init(_ tree: FileWrapper, _ options: SavingOptions = []) {
    (self.tree, self.options) = (tree, options)
  }
}

/// The notes of a save that merges versions.
///
/// The files on disk may be of several versions, while the digests are those of one.
struct VersionMerge {
  /// The merged states, except the one on disk.
  var parents: [UUID]
  /// The files and links that differ from the notes of the save that made the state on disk.
  var others: [NotedChild] = []
  /// The noted children that are missing, and the folders that this save did not note.
  var changes: [Change] = []
  /// Whether the notes are unknown: the save then counts the children again, and the content of earlier versions is
  /// unknown.
  var isUnaccounted = false
  /// Every child as it is, if the save counts them again.
  var recounted: [NotedChild]?
}

/// A save that is decided and has touched nothing.
package struct PlannedSave {
  package var plan: SavePlan
  /// The changes of the tree at the moment of the plan.
  package let snapshot: PackageSnapshot
  /// The metadata without the sums of the children; nil if the package gets none.
  var draft: MetadataDraft?
}
