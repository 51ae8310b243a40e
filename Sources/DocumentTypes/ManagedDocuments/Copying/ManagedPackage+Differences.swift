package import Documents
import FilePackages
import FoundationEssentials
import GRDB
import SystemPackage

extension ManagedPackage {
  /// Returns the differences from this document to another one: changed rows by table, and changed files.
  ///
  /// Cost: a copy of each database in the folder for temporary files, and all rows of both.
  ///
  /// - Throws: `file`.
  package func differences(to other: ManagedPackage) async throws(DocumentError) -> ManagedDifferences {
    try await failing {
      try await BlockingThread().run { [reader] in
        let files = try WrittenFiles.folder(beside: nil)
        let (old, new) = (files.path.appending("old"), files.path.appending("new"))
        try reader.copyDatabase(to: old)
        try other.reader.copyDatabase(to: new)
        return try withExtendedLifetime(files) { try Self.compare(old, new) }
      }
    }
  }

  private static func compare(_ old: FilePath, _ new: FilePath) throws -> ManagedDifferences {
    try DatabaseQueue.using(new.string) { queue in
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "ATTACH ? AS grdb_old", arguments: [old.string])
        return try TableComparison.differences(from: "grdb_old", in: db)
      }
    }
  }
}
