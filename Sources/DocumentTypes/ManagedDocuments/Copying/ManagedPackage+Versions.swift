import FilePackages
import FoundationEssentials
import GRDB

extension ManagedPackage {
  /// Returns the versions, the newest first, without the present state.
  ///
  /// Cost: a row for each version; it reads no changes.
  ///
  /// - Throws: `file`.
  package func versions() async throws -> [ManagedVersion] {
    try await read { db, _ in
      guard try db.tableExists("grdb_versions") else { return [] }
      return try KeptVersion.all(in: db).reversed().map(ManagedVersion.init)
    }
  }
}
