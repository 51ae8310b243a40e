package import DurableIO

/// The names of the library's own files in a package.
package enum PackageLayout {
  /// The version and metadata plist.
  package static let metadata: FileName = "Metadata.plist"
  /// The hidden folder.
  package static let hidden: FileName = ".docpkg"

  /// The beginning of every name that a save uses beside the package.
  package static let siblingPrefix = Array(".docpkg-".utf8)

  /// The hidden folder of a folder whose documents are in a container.
  package static let containerFolder: FileName = ".docpkg-cloud"

  /// The folder of a database in a document, and the usual name of the database in it.
  package static let storeFolder: FileName = "StoreContent"
  package static let usualStore: FileName = "persistentStore"

  // The names in the hidden folder follow.

  /// The log: what the saves noted about the children, the versions, and a save that waits to be published.
  package static let log: FileName = "log"
  /// The temporary name of a new log.
  package static let newLog: FileName = "log.new"
  /// A log that a repair set aside.
  package static let damagedLog: FileName = "log.damaged"
  /// Staged files, files that a save set aside, and children that a save removed while a program with the package open
  /// holds them.
  package static let staging: FileName = "tmp"
  package static let stagingPath = PackagePath([hidden, staging])
  /// The files and links that only versions have, each named by its content.
  package static let kept: FileName = "kept"
  package static let keptPath = PackagePath([hidden, kept])
  /// The lock file of the writers.
  package static let lock: FileName = "lock"
  /// The files of other programs that a save found in the place of its own files.
  package static let conflicts: FileName = "conflicts"
  package static let conflictsPath = PackagePath([hidden, conflicts])

  /// All names in the hidden folder.
  package static let namesInHidden: Set<FileName> = [
    log, newLog, damagedLog, staging, kept, lock, conflicts,
  ]

  /// The maximum size of a log in bytes; the library does not read a larger one.
  package static let maximumLogSize = 1 << 30

  /// Returns whether a place is the library's own, and no child of the document.
  package static func isOurs(_ path: PackagePath) -> Bool {
    path.names.first == hidden || path.names == [metadata]
  }

  /// Returns whether a place is the library's own in a tree in which `Metadata.plist` has that role.
  package static func isOurs(_ path: PackagePath, in role: MetadataRole) -> Bool {
    path.names.first == hidden || path.names == [metadata] && role != .child
  }

  /// Returns whether an entry of the hidden folder belongs to a session, or to a killed program.
  package static func isOfSession(_ name: FileName) -> Bool {
    [newLog, staging, lock].contains(name)
  }
}

extension FileName {
  /// The name of a kept file or link: the hash of its bytes, and `-link` for a link.
  package init(keeping content: ContentHash, _ kind: FileKind) {
    self.init(content.bytes.hexadecimal + (kind == .symbolicLink ? "-link" : ""))
  }

  private static let heldSuffix = Array("-held".utf8)

  /// The name for a child that a save removed while a program holds it.
  package var held: FileName { FileName(bytes: bytes + Self.heldSuffix) }
  package var isHeld: Bool { bytes.suffix(Self.heldSuffix.count).elementsEqual(Self.heldSuffix) }
}
