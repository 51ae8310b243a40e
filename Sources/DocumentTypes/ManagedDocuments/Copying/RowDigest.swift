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
    try digest.add("file", "", "SELECT path, digest FROM grdb_content", db)
    return digest.sum.hexadecimal
  }

  // MARK: Parts

  private mutating func addSchema(_ db: Database) throws {
    try add(
      "schema", "",
      """
      SELECT type, name, sql FROM sqlite_master
      WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'grdb\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      """, db)
  }

  private mutating func addRows(of table: String, in db: Database) throws {
    guard try db.tableExists(table) else { return }
    try add("row", table, "SELECT * FROM \(table.quotedName)", db)
  }

  /// Adds the hash of a kind, a name and a row, for each row of a query.
  private mutating func add(_ kind: String, _ name: String, _ sql: String, _ db: Database) throws {
    let head = EncodedRow([EncodedRow.text(kind), EncodedRow.text(name)]).bytes
    let rows = try ValueStatement(db, sql)
    try rows.start()
    while try rows.next() {
      var hash = SHA256()
      hash.update(head)
      hash.update(rows.row().bytes)
      sum.add(ContentDigest(of: hash.finalize()).lanes)
    }
  }
}
