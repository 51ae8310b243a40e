import DurableIO
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

/// The database of a document in figures.
package struct ManagedSummary: Sendable {
  /// The metadata of the last save.
  package var metadata: PackageMetadata?
  /// The size of the database in bytes, with its free pages.
  package var size: Int
  /// The application's tables with the number of their rows, in order of their names.
  package var tables: [(name: String, rows: Int)]
  /// The number of files in `AdditionalContent`, and their bytes.
  package var fileCount: Int
  package var fileSize: Int
  /// The number of changes that can be undone.
  package var undoCount: Int
  package var hasUnsavedChanges: Bool
  /// Whether a program has the document open.
  package var isOpen = false

  fileprivate init(_ db: Database) throws {
    metadata = try SavedMetadata.read(db)?.metadata
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    size = try pages * (Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
    tables = try TableShape.ofApplication(in: db).map { ($0.name, try $0.rowCount(in: db)) }
    fileCount = try Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_content") ?? 0
    fileSize = try Int.fetchOne(db, sql: "SELECT sum(size) FROM grdb_content") ?? 0
    undoCount =
      try Int.fetchOne(
        db, sql: "SELECT count(DISTINCT step) FROM grdb_changes WHERE role = ?",
        arguments: [ChangeLog.Role.undo.rawValue]) ?? 0
    hasUnsavedChanges = try DocumentHead(of: db).hasUnsavedChanges
  }
}

extension ManagedPackage {
  /// Returns the figures of one moment.
  ///
  /// Cost: counts the rows of each table.
  package func summary() async throws -> ManagedSummary {
    var summary = try await read { db, _ in try ManagedSummary(db) }
    if summary.metadata == nil {
      summary.metadata = try PackageMetadata.read(from: reader.location.path, on: reader.location.disk)
    }
    summary.isOpen = try isInUse()
    return summary
  }

  /// Returns whether a program has the document open.
  private func isInUse() throws(SystemError) -> Bool {
    do {
      return try HiddenFolder.isInUse(reader.location)
    } catch {
      // No program has a document on a read-only disk open for writing.
      if [.readOnlyFileSystem, .permissionDenied].contains(error.code) { return false }
      throw error
    }
  }

  /// The name of the database's file.
  package var persistentStoreName: String { reader.database.name?.string ?? "" }

  /// Returns the path below `AdditionalContent`; nil for any other child.
  package static func contentPath(_ child: String) -> String? {
    let path = PackagePath(child)
    guard path.names.count > 1, path.names[0] == ContentObjects.contentFolder else { return nil }
    return PackagePath(Array(path.names.dropFirst())).string
  }

  /// Returns whether a child is the database, or a file that SQLite keeps beside it.
  package func isDatabase(_ child: String) -> Bool {
    reader.databaseFiles.contains(PackagePath(child))
  }
}
