import FoundationEssentials
import PackageFormat

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
