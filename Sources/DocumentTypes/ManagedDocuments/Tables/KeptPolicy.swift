import GRDB

/// The merge policy of a document: the row of the table `grdb_merging`.
///
/// The application that opens the document writes its `options.mergePolicy` there. So a program that does not know the
/// application merges as the application would.
enum KeptPolicy {
  static let schema = """
    CREATE TABLE grdb_merging(id INTEGER PRIMARY KEY CHECK (id = 1), policy TEXT NOT NULL);
    """

  /// Returns the policy; nil if no application has written one.
  static func read(_ db: Database) throws -> MergePolicy? {
    try String.fetchOne(db, sql: "SELECT policy FROM grdb_merging").flatMap(MergePolicy.init)
  }

  static func keep(_ policy: MergePolicy, in db: Database) throws {
    if try read(db) == policy { return }
    try db.execute(
      sql: "INSERT OR REPLACE INTO grdb_merging VALUES (1, ?)", arguments: [policy.rawValue])
  }
}
