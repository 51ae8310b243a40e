import FilePackages
import GRDB

/// Puts the rows of a plan into the main database, and finds the constraints that refuse them.
struct RowApplication {
  let db: Database
  let plan: RowPlan
  let base: String
  let theirs: String
  /// Whether rows have new keys, also in tables that the plan does not change.
  let isRenumbered: Bool
  private var schema: MergedSchema { plan.schema }

  /// - Returns: the problems; then the caller takes the changes back.
  func run() throws -> [RowPlan.Problem] {
    var byTable: [Int: [RowIdentity]] = [:]
    for identity in plan.changes.keys { byTable[identity.table, default: []].append(identity) }
    var problems: [RowPlan.Problem] = []
    for position in byTable.keys.sorted() {
      problems += try change((byTable[position] ?? []).sorted(), schema.tables[position], at: position)
    }
    if !problems.isEmpty { return problems }
    // A side alone violates no constraint that it did not violate before.
    if !plan.ours.rows.isEmpty {
      problems = try foreignKeyProblems() + pathProblems()
      if !problems.isEmpty { return problems }
    }
    try rebuildFullText(of: byTable.keys.map { schema.tables[$0].name })
    try raiseSequences()
    return []
  }

  // MARK: Rows

  /// Removes all changed rows, and then inserts those that the plan has: two rows may have exchanged a unique value.
  private func change(_ identities: [RowIdentity], _ table: MergedTable, at position: Int) throws -> [RowPlan
    .Problem]
  {
    let delete = try ValueStatement(db, table.delete)
    let number = try table.selectNumber.map { try ValueStatement(db, $0) }
    let removals = try table.indexes.map {
      try ValueStatement(db, $0.remove(table, where: table.condition()))
    }
    var numbers: [RowIdentity: EncodedValue] = [:]
    for identity in identities where plan.version(identity, .ours) != nil {
      let key = identity.values
      if let number {
        try number.start(key)
        if try number.next() { numbers[identity] = number.row(0..<1).bytes[...] }
        number.end()
      }
      for removal in removals { _ = try removal.run(key) }  // An index has no constraint.
      _ = try delete.run(key)  // A removal violates no constraint: foreign keys are off.
    }
    let additions = try table.indexes.map { try ValueStatement(db, $0.add(table, where: table.condition())) }
    let insert = try ValueStatement(db, table.insert(.abort, withNumber: false))
    let insertNumbered = try ValueStatement(db, table.insert(.abort, withNumber: true))
    var problems: [RowPlan.Problem] = []
    // A row with a number comes before the new ones, which would take it.
    for identity in identities.filter({ numbers[$0] != nil }) + identities.filter({ numbers[$0] == nil }) {
      guard let row = plan.changes[identity] ?? nil else { continue }
      let values = row.values
      let outcome =
        if let number = numbers[identity] { try insertNumbered.run(values + [number]) } else {
          try insert.run(values)
        }
      switch outcome {
      case .done: for addition in additions { _ = try addition.run(identity.values) }
      case .notUnique:
        problems.append(.unique(identity, with: try BlockingRows.find(table, at: position, values, db)))
      case .invalid: problems.append(.check(identity))
      }
    }
    return problems
  }

  /// Makes the full-text tables again that have no other way. Cost: all rows of their tables.
  private func rebuildFullText(of changed: [String]) throws {
    let names = Set(changed.map { $0.lowercased() })
    for (table, indexes) in schema.rebuilt
    where isRenumbered || table.isEmpty || names.contains(table.lowercased()) {
      for index in indexes.map(\.quotedName) {
        try db.execute(sql: "INSERT INTO main.\(index)(\(index)) VALUES ('rebuild')")
      }
    }
  }

  /// No table gives a key again that either side has given.
  private func raiseSequences() throws {
    for position in plan.theirs.tables where schema.tables[position].isAutoincrement {
      let table = schema.tables[position]
      let greatest = try KeyRenumbering.greatest(of: table, base: base, theirs: theirs, db)
      try db.execute(
        sql: """
          INSERT INTO sqlite_sequence(name, seq)
          SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1);
          """, arguments: [table.name])
      try db.execute(
        sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", arguments: [greatest, table.name])
    }
  }

  // MARK: Foreign keys

  private func foreignKeyProblems() throws -> [RowPlan.Problem] {
    let touched = plan.ours.tables.union(plan.theirs.tables)
    var problems: [RowPlan.Problem] = []
    for (position, table) in schema.tables.enumerated() {
      for (number, key) in table.foreignKeys.enumerated() {
        let parent = schema.position(of: key.parent)
        guard touched.contains(position) || parent.map(touched.contains) ?? false else { continue }
        let childKeys = table.keys.map { "c.\(table.columns[$0].name.quotedName)" }
        let values = key.columns.map { "c.\($0.quotedName)" }
        let matches = zip(key.parentColumns, values).map { "p.\($0.quotedName) = \($1)" }
        let rows = try ValueStatement.rows(
          db,
          """
          SELECT \((childKeys + values).joined(separator: ", ")) FROM \(table.quoted) AS c
          WHERE \(values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) AND NOT EXISTS (
            SELECT 1 FROM main.\(key.parent.quotedName) AS p WHERE \(matches.joined(separator: " AND ")))
          """, count: childKeys.count + values.count)
        for row in rows {
          let found = row.values
          let child = RowIdentity(table: position, key: Array(found.prefix(childKeys.count)))
          let problem = RowPlan.Problem.foreignKey(
            child, key: number, values: Array(found.dropFirst(childKeys.count)))
          if !plan.isAccepted(problem) { problems.append(problem) }
        }
      }
    }
    return problems.sorted { $0.identity < $1.identity }
  }

  // MARK: Files

  private func pathProblems() throws -> [RowPlan.Problem] {
    guard let position = schema.position(of: PrivateTables.content) else { return [] }
    let changed = Set(plan.ours.rows.keys).union(plan.theirs.rows.keys).filter { $0.table == position }
      .sorted()
    return try changed.compactMap { identity in
      guard plan.planned(identity) != nil,
        let path = identity.values.first.flatMap({ String.fromDatabaseValue($0.databaseValue) }),
        let obstacle = try ContentPath(stored: path).obstacle(in: db)
      else { return nil }
      return .path(identity, with: RowIdentity(table: position, key: [EncodedRow.text(obstacle)]))
    }
  }
}
