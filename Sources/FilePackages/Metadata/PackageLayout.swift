package import DurableIO

/// The names that this library uses for itself in a package.
package enum PackageLayout {
  /// The version and metadata plist.
  package static let metadata: FileName = "Metadata.plist"
  /// The hidden folder.
  package static let hidden: FileName = ".docpkg"

  // In the hidden folder.

  /// The redo log; absent when no save waits to be published and no store is open.
  package static let journal: FileName = "journal"
  /// A redo log that is being made.
  package static let newJournal: FileName = "journal.new"
  /// A redo log that repairing put aside.
  package static let damagedJournal: FileName = "journal.damaged"
  /// Files on their way in or out.
  package static let staging: FileName = "tmp"
  /// What saves took out of the package and somebody in a program that has it open still holds.
  package static let removed: FileName = "removed"
  package static let removedPath = PackagePath([hidden, removed])
  /// The digest of every child.
  package static let manifest: FileName = "manifest"
  /// One that is being made.
  package static let newManifest: FileName = "manifest.new"
  /// The versions that are kept; where it is, each save keeps the one it replaces.
  package static let history: FileName = "history"
  /// One that is being made.
  package static let newHistory: FileName = "history.new"
  /// The children that only versions have.
  package static let versions: FileName = "versions"
  package static let versionsPath = PackagePath([hidden, versions])
  /// What writers lock.
  package static let lock: FileName = "lock"
  /// What other programs wrote where a save had something else to put.
  package static let conflicts: FileName = "conflicts"
  package static let conflictsPath = PackagePath([hidden, conflicts])

  /// How large one of the library's own files may be that is read as a whole; nil for others, in bytes.
  package static func maximumSize(of name: FileName) -> UInt64? {
    switch name {
    case journal: UInt64(JournalFile.maximumSize)
    case manifest: UInt64(Manifest.maximumSize)
    case history: UInt64(HistoryFile.maximumSize)
    default: nil
    }
  }

  /// Whether a place is the library's own, and no child of the document.
  package static func isOurs(_ path: PackagePath) -> Bool {
    path.names.first == hidden || path.names == [metadata]
  }

  /// Whether an entry of the hidden folder is there only while a program has the package open, or was killed.
  static func isOfSession(_ name: FileName) -> Bool {
    [journal, newJournal, staging, removed, lock].contains(name)
  }

  /// Whether a place in the hidden folder is of the stores that have the package open, or made anew by each
  /// staged save.
  static func isOfSession(_ path: PackagePath) -> Bool {
    guard path.names.count == 2, path.names.first == hidden, let name = path.names.last else { return false }
    return [journal, newJournal, staging, removed, lock, manifest, history].contains(name)
  }
}
