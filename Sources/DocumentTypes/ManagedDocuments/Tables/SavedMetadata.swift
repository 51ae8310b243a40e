import DurableIO
import FilePackages
import FoundationEssentials
import GRDB

/// The metadata of the last save, in the row of the document. `Metadata.plist` follows them.
final class SavedMetadata: Sendable {
  let metadata: PackageMetadata
  /// The same as a plist.
  let plist: Data

  convenience init(_ metadata: PackageMetadata) throws {
    self.init(metadata: metadata, plist: try metadata.encoded())
  }

  private init(metadata: PackageMetadata, plist: Data) { (self.metadata, self.plist) = (metadata, plist) }

  private convenience init(decoding plist: Data) throws {
    self.init(metadata: try PackageMetadata(decoding: plist), plist: plist)
  }

  /// Reads the metadata; nil in a database that was never open as a document.
  ///
  /// - Parameter known: metadata that are not decoded again if the row has their bytes.
  static func read(_ db: Database, known: SavedMetadata? = nil) throws -> SavedMetadata? {
    let statement = try db.cachedStatement(sql: "SELECT plist FROM grdb_document")
    guard let plist = try Data.fetchOne(statement) else { return nil }
    return try known?.plist == plist ? known : SavedMetadata(decoding: plist)
  }

  func write(to db: Database) throws {
    try db.cachedStatement(sql: "UPDATE grdb_document SET plist = ?").execute(arguments: [plist])
  }

  /// Returns the metadata of the next save, and counts its files.
  ///
  /// - Parameters:
  ///   - hasChangedFiles: whether files changed since the last save.
  ///   - databasePath: the path of the database in the package.
  func next(
    _ files: CountedFiles, hasChangedFiles: Bool, databasePath: String, by program: SavingProgram
  ) throws -> SavedMetadata {
    var known = metadata
    known.databasePath = databasePath
    var draft = MetadataDraft(after: known, nil, files.location)
    var change = ContentSummary()
    if metadata.databasePath == databasePath {
      if hasChangedFiles { change = try files.countChanges() }
    } else {
      draft = MetadataDraft(after: known, try files.countAll(leavingOut: known.uncounted), files.location)
    }
    draft.program = program
    let made = try draft.completed(change)
    return SavedMetadata(metadata: made.metadata, plist: Data(made.plist))
  }
}
