import FoundationEssentials
import PackageFormat

/// The notes of a save that merges versions.
///
/// The files on disk may be of several versions, while the digests are those of one.
struct VersionMerge {
  /// The merged states, except the one on disk.
  var parents: [UUID]
  /// The files and links that differ from the notes of the save that made the state on disk.
  var others: [ManifestRow] = []
  /// The folders that this save did not note.
  package var folders: [ManifestRow] = []
  /// The noted children that are missing.
  var missing: [ManifestRow] = []
  /// Whether the notes are unknown: the save then counts the children again, and the content of earlier versions is
  /// unknown.
  var isUnaccounted = false
  /// Every child as it is, if the save counts them again.
  var recounted: [ManifestRow]?
}

extension NewChildren {
  /// Accounts for the files that a synchronising program brought.
  ///
  /// The sums and the versions of the history are those of the state that the metadata names.
  mutating func account(for merge: VersionMerge) {
    for row in merge.missing {
      missing.insert(row.child.path)
      change.subtract(row.child)
      batch.remove(row.child.path)
      keepAbsence(at: row.child.path)
    }
    for row in merge.folders {
      change.add(row.child)
      batch.add(row)
      keepNewFolder(at: row.child.path)
    }
  }
}
