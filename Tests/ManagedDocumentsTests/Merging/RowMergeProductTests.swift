import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Merging one row", .temporaryDirectory)
struct RowMergeProductTests {
  private static let values: [String?] = [nil, "A", "B", "C"]

  /// All values of the base, ours and theirs; the row's key is its position here.
  private static let cases: [(base: String?, ours: String?, theirs: String?)] = values.flatMap { base in
    values.flatMap { ours in values.map { (base: base, ours: ours, theirs: $0) } }
  }

  private static func databases(_ keyType: String) throws -> MergedDatabases {
    let databases = try MergedDatabases("CREATE TABLE t(k \(keyType) PRIMARY KEY NOT NULL, v TEXT NOT NULL)")
    for name in ["base", "ours", "theirs"] {
      try databases.edit(name) { db in
        for (key, row) in cases.enumerated() {
          let value = name == "base" ? row.base : name == "ours" ? row.ours : row.theirs
          if let value { try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [key, value]) }
        }
      }
    }
    return databases
  }

  /// The row by the table of outcomes, and whether it is a conflict.
  private static func expected(
    _ row: (base: String?, ours: String?, theirs: String?), _ policy: MergePolicy
  ) -> (String?, RowConflict.Kind?) {
    if row.ours == row.base || row.ours == row.theirs { return (row.theirs, nil) }
    if row.theirs == row.base { return (row.ours, nil) }
    let oursWin = [.error, .overwrite, .mergeByPropertyObjectTrump].contains(policy)
    return (oursWin ? row.ours : row.theirs, row.ours == nil || row.theirs == nil ? .removal : .columns)
  }

  @Test(arguments: MergePolicy.allCases)
  func `has the outcome of the table for each base, each side and each policy`(_ policy: MergePolicy)
    throws
  {
    let databases = try Self.databases("TEXT")
    let expected = Self.cases.map { Self.expected($0, policy) }
    let inConflict = expected.indices.filter { expected[$0].1 != nil }
    #expect(inConflict.count == 24)
    let outcome = try databases.merge(policy)
    let oursWin = [.error, .overwrite, .mergeByPropertyObjectTrump].contains(policy)
    let rows = expected.indices.compactMap { key in expected[key].0.map { "\(key) \($0)" } }
    #expect(try databases.rows("ours", "SELECT k, v FROM t ORDER BY CAST(k AS INTEGER)") == rows)
    #expect(outcome.conflicts.count == inConflict.count)
    for conflict in outcome.conflicts {
      let key = try #require(conflict.key["k"].flatMap(String.fromDatabaseValue).flatMap { Int($0) })
      #expect(conflict.kind == expected[key].1)
      #expect(conflict.base?["v"] == Self.cases[key].base?.databaseValue)
      #expect(conflict.ours?["v"] == Self.cases[key].ours?.databaseValue)
      #expect(conflict.theirs?["v"] == Self.cases[key].theirs?.databaseValue)
      #expect(conflict.outcome == (oursWin ? .ours : .theirs))
    }
    #expect(try Set(databases.conflicts("ours")) == Set(outcome.conflicts))
  }

  @Test(arguments: MergePolicy.allCases)
  func `with an integer key is two rows if both sides made it`(_ policy: MergePolicy) throws {
    let databases = try Self.databases("INTEGER")
    let collisions = Self.cases.indices.filter {
      let row = Self.cases[$0]
      return row.base == nil && row.ours != nil && row.theirs != nil && row.ours != row.theirs
    }
    let outcome = try databases.merge(policy)
    var rows = Self.cases.indices.compactMap { key -> String? in
      let row = Self.cases[key]
      let value = collisions.contains(key) ? row.theirs : Self.expected(row, policy).0
      return value.map { "\(key) \($0)" }
    }
    rows += collisions.enumerated().map { "\(64 + $0) \(Self.cases[$1].ours ?? "")" }
    #expect(try databases.rows("ours", "SELECT k, v FROM t ORDER BY k") == rows)
    #expect(outcome.renumbered.map(\.old) == collisions.map { Int64($0) })
    #expect(outcome.conflicts.count == 18)
  }

  @Test(arguments: MergePolicy.allCases)
  func `merges its columns`(_ policy: MergePolicy) throws {
    let values = (0..<9).map { ($0 / 3, $0 % 3) }
    let cases = values.flatMap { ours in values.map { (ours, $0) } }
    let insert = cases.indices.map { "INSERT INTO t VALUES ('\($0)', 0, 0);" }.joined()
    let databases = try MergedDatabases(
      "CREATE TABLE t(k TEXT PRIMARY KEY NOT NULL, x INTEGER, y INTEGER) WITHOUT ROWID; \(insert)"
    )
    for (name, side) in [("ours", cases.map { $0.0 }), ("theirs", cases.map { $0.1 })] {
      try databases.edit(name) { db in
        for (key, row) in side.enumerated() {
          try db.execute(sql: "UPDATE t SET x = ?, y = ? WHERE k = ?", arguments: [row.0, row.1, "\(key)"])
        }
      }
    }
    let oursWin = [.error, .overwrite, .mergeByPropertyObjectTrump].contains(policy)
    let isWhole = policy == .overwrite || policy == .rollback
    func column(_ ours: Int, _ theirs: Int) -> (Int, Bool) {
      if ours == theirs || theirs == 0 { return (ours, false) }
      return ours == 0 ? (theirs, false) : (oursWin ? ours : theirs, true)
    }
    var conflicts = 0
    let expected = cases.enumerated().map { key, row in
      let (x, y) = (column(row.0.0, row.1.0), column(row.0.1, row.1.1))
      if x.1 || y.1 { conflicts += 1 }
      let whole = oursWin ? row.0 : row.1
      return (x.1 || y.1) && isWhole ? "\(key) \(whole.0) \(whole.1)" : "\(key) \(x.0) \(y.0)"
    }
    let outcome = try databases.merge(policy)
    #expect(try databases.rows("ours", "SELECT * FROM t ORDER BY CAST(k AS INTEGER)") == expected)
    #expect(outcome.conflicts.count == conflicts)
  }
}
