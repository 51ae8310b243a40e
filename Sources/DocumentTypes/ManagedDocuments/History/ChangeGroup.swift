import CSQLiteSession
import FoundationEssentials
import GRDB

/// Combines changesets that follow each other into one, with SQLite's change group.
struct ChangeGroup: ~Copyable {
  private let group: OpaquePointer

  init() throws {
    var group: OpaquePointer?
    try Changeset.check(sqlite3changegroup_new(&group), "sqlite3changegroup_new")
    guard let group else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
    self.group = group
  }

  /// Adds the changes that follow those so far.
  borrowing func add(_ changeset: Changeset) throws {
    if changeset.isEmpty { return }
    var bytes = changeset.bytes
    let code = bytes.withUnsafeMutableBytes { buffer in
      sqlite3changegroup_add(group, Int32(buffer.count), buffer.baseAddress)
    }
    try Changeset.check(code, "sqlite3changegroup_add")
  }

  /// Returns all changes as one changeset: a row that changed twice is in it once.
  borrowing func changeset() throws -> Changeset {
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    try Changeset.check(sqlite3changegroup_output(group, &count, &bytes), "sqlite3changegroup_output")
    defer { sqlite3_free(bytes) }
    guard let bytes, count > 0 else { return Changeset(bytes: Data()) }
    return Changeset(bytes: Data(bytes: bytes, count: Int(count)))
  }

  /// Combines changesets; the oldest comes first.
  static func concatenate(_ changesets: [Changeset]) throws -> Changeset {
    let changesets = changesets.filter { !$0.isEmpty }
    if changesets.count < 2 { return changesets.first ?? Changeset(bytes: Data()) }
    let group = try ChangeGroup()
    for changeset in changesets { try group.add(changeset) }
    return try group.changeset()
  }

  deinit { sqlite3changegroup_delete(group) }
}
