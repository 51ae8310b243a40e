package import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat

// The stages of a save are values, and each is made of the one before:
//
//     SaveRequest ─ plan ─▶ PlannedSave ─ commit ─▶ CommittedSave ─ publish ─▶ PublishedSave ─ rebase ─▶ StoreBaseline
//
// A commit that fails at the last moment makes an UncertainSave, until the store looks at the log again.

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

/// A save that is durable and that other programs do not see yet.
package struct CommittedSave {
  package let tree: FileWrapper
  package let snapshot: PackageSnapshot
  /// The metadata of the save; nil if the package has none.
  let metadata: PackageMetadata?

  init(_ tree: FileWrapper, _ snapshot: PackageSnapshot, _ metadata: PackageMetadata?) {
    (self.tree, self.snapshot, self.metadata) = (tree, snapshot, metadata)
  }
}

/// A save whose commit failed at the last moment: its record is in the log, or not.
package struct UncertainSave {
  package let save: CommittedSave
  let record: SaveRecord
}

/// A save that other programs see, until it is the baseline of its tree.
package struct PublishedSave {
  package let tree: FileWrapper
  package let snapshot: PackageSnapshot
  /// The status of the package's own directory after the save.
  let made: FileStatus
  let metadata: (metadata: PackageMetadata, status: FileStatus)?
  package let way: Way
  /// Whether another program may have written since the save was published.
  var isLate = false

  /// The way in which the package got the state of the tree.
  package enum Way {
    /// A new directory has all of it.
    case new
    /// The package's own directory got the changes.
    case inPlace
    /// The same, and another program moved the package before the save was published.
    case elsewhere
    /// Nothing was written, since the disk had all of it: the file wrappers still know the state of the disk.
    case nothingWritten
  }

  package init(
    _ tree: FileWrapper, _ snapshot: PackageSnapshot, in package: FileStatus,
    _ metadata: (metadata: PackageMetadata, status: FileStatus)?, _ way: Way
  ) {
    (self.tree, self.snapshot) = (tree, snapshot)
    made = package
    self.metadata = metadata
    self.way = way
  }
}
