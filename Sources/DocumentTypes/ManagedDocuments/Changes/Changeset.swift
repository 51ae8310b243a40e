import CSQLiteSession
package import FoundationEssentials
package import GRDB

/// The changes of a transaction, with the old and the new values of each changed row.
package struct Changeset: Sendable, Hashable {
  package var bytes: Data

  package init(bytes: Data) { self.bytes = bytes }

  package var isEmpty: Bool { bytes.isEmpty }

  /// The tables that it changes, in their order, and the paths of the additional content among them.
  struct Extent: Sendable, Hashable {
    var tables: [String] = []
    var paths: [String] = []
  }

  /// Reads which tables and paths it changes. Cost: its length.
  func extent() throws -> Extent {
    var extent = Extent()
    try forEachRow { change in
      if extent.tables.last != change.table { extent.tables.append(change.table) }
      if change.table == PrivateTables.content, let path = change.text(0) { extent.paths.append(path) }
    }
    return extent
  }

  /// The digests of the files before and after.
  func digests() throws -> Set<Data> {
    var digests: Set<Data> = []
    try forEachRow { row in
      guard row.table == PrivateTables.content else { return }
      for value in [row.old[1], row.new[1]] {
        if let digest = value.flatMap(Data.fromDatabaseValue) { digests.insert(digest) }
      }
    }
    return digests
  }

  /// Calls `body` with each changed row, table by table.
  package func forEachRow(_ body: (ChangedRow) throws -> Void) throws {
    if isEmpty { return }
    var bytes = bytes
    try bytes.withUnsafeMutableBytes { buffer in
      var iterator: OpaquePointer?
      try Self.check(
        sqlite3changeset_start(&iterator, Int32(buffer.count), buffer.baseAddress), "sqlite3changeset_start")
      defer { sqlite3changeset_finalize(iterator) }
      while true {
        let step = sqlite3changeset_next(iterator)
        if step == SQLITE_DONE { return }
        guard step == SQLITE_ROW else { throw Self.error(step, "sqlite3changeset_next") }
        try body(ChangedRow(iterator))
      }
    }
  }

  /// Takes the changes back.
  ///
  /// The connection has its triggers and foreign keys off: their effects are changes of their own.
  ///
  /// - Parameter resolution: answers for a row that is not as the changes left it.
  /// - Throws: the `ChangeConflict` that the resolution refuses, or SQLite's error. The caller's transaction then ends.
  func takeBack(on db: Database, _ resolution: inout ChangesetConflictHandler) throws {
    guard !isEmpty else { return }
    guard let connection = db.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
    }
    let resolver = Resolver(resolution)
    defer { resolution = resolver.resolution }
    var bytes = bytes
    let code = bytes.withUnsafeMutableBytes { buffer in
      sqlite3changeset_apply_v2(
        connection, Int32(buffer.count), buffer.baseAddress, nil,
        { context, kind, iterator in
          guard let context else { return SQLITE_CHANGESET_ABORT }
          let resolver = Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
          return resolver.answer(kind, iterator)
        }, Unmanaged.passUnretained(resolver).toOpaque(), nil, nil, SQLITE_CHANGESETAPPLY_INVERT)
    }
    if let conflict = resolver.refused { throw conflict }
    try Self.check(code, "sqlite3changeset_apply_v2")
  }

  /// Takes the changes back, if no other program changed their rows.
  ///
  /// - Throws: the first `ChangeConflict`; the database is then as it was.
  package func takeBack(on db: Database) throws {
    var indexes = IndexReversal()
    try takeBack(on: db, &indexes)
  }

  /// - Parameter indexes: the indexes of the database, which the caller makes again.
  func takeBack(on db: Database, _ indexes: inout IndexReversal) throws {
    var resolution = ChangesetConflictHandler(.error, indexes)
    do {
      try takeBack(on: db, &resolution)
      if resolution.leavesPage { indexes.isStale = true }
    } catch let conflict as ChangeConflict where conflict.kind == .constraint {
      try db.inSavepoint {
        try ExactReversal(self, in: db).run(indexes)
        return .commit
      }
      indexes.isStale = true
    }
  }

  private final class Resolver {
    private(set) var resolution: ChangesetConflictHandler
    private(set) var refused: ChangeConflict?

    init(_ resolution: ChangesetConflictHandler) { self.resolution = resolution }

    func answer(_ kind: Int32, _ iterator: OpaquePointer?) -> Int32 {
      guard let kind = ChangeConflict.Kind(kind) else { return SQLITE_CHANGESET_ABORT }
      let conflict = ChangeConflict(kind, iterator)
      switch resolution.answer(to: conflict) {
      case .omit: return SQLITE_CHANGESET_OMIT
      case .replace: return SQLITE_CHANGESET_REPLACE
      case .abort:
        refused = conflict
        return SQLITE_CHANGESET_ABORT
      }
    }
  }

  static func check(_ code: Int32, _ call: String) throws {
    if code != SQLITE_OK { throw error(code, call) }
  }

  private static func error(_ code: Int32, _ call: String) -> DatabaseError {
    DatabaseError(resultCode: ResultCode(rawValue: code), message: call)
  }
}
