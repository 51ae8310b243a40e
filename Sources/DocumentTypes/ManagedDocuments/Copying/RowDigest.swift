import FilePackages
import FoundationEssentials
package import GRDB

/// A sum over the schema, the rows and the files of a document at one moment.
///
/// Each part adds its SHA-256, in the lanes of a `ContentDigest`. So the sum depends neither on the order of rows nor on
/// the pages of the database.
package struct RowDigest {
  private var sum = ContentDigest()

  /// The sum as 64 hexadecimal digits.
  package static func hexadecimal(of db: Database) throws -> String {
    var digest = RowDigest()
    try digest.addSchema(db)
    for table in try TableShape.ofApplication(in: db) { try digest.addRows(of: table.name, in: db) }
    try digest.addRows(of: "grdb_migrations", in: db)
    try digest.addFiles(db)
    return digest.sum.hexadecimal
  }

  // MARK: Parts

  private mutating func addSchema(_ db: Database) throws {
    let entries = try Row.fetchCursor(
      db,
      sql: """
        SELECT type, name, sql FROM sqlite_master
        WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'grdb\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """)
    while let row = try entries.next() { add("schema", "", row) }
  }

  private mutating func addRows(of table: String, in db: Database) throws {
    guard try db.tableExists(table) else { return }
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table.quotedName)")
    while let row = try rows.next() { add("row", table, row) }
  }

  private mutating func addFiles(_ db: Database) throws {
    let rows = try Row.fetchCursor(db, sql: "SELECT path, digest FROM grdb_content")
    while let row = try rows.next() { add("file", "", row) }
  }

  // MARK: Encoding

  /// Adds the hash of a kind, a name, and the values of a row, each with its type and its length.
  private mutating func add(_ kind: String, _ name: String, _ row: Row) {
    var hash = SHA256()
    for text in [kind, name] { Self.add("t", Array(text.utf8), to: &hash) }
    for (_, value) in row {
      switch value.storage {
      case .null: Self.add("n", [], to: &hash)
      case .int64(let number): Self.add("i", Self.bytes(UInt64(bitPattern: number)), to: &hash)
      case .double(let number): Self.add("r", Self.bytes(number.bitPattern), to: &hash)
      case .string(let text): Self.add("t", Array(text.utf8), to: &hash)
      case .blob(let data): Self.add("b", Array(data), to: &hash)
      }
    }
    sum.add(ContentDigest(of: hash.finalize()).lanes)
  }

  private static func add(_ type: Unicode.Scalar, _ bytes: [UInt8], to hash: inout SHA256) {
    hash.update([UInt8(ascii: type)] + self.bytes(UInt64(bytes.count)))
    hash.update(bytes)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian, Array.init)
  }
}
