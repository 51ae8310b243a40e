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
  /// The rows that a side changed, for each table.
  private let changed: [Int: [RowIdentity]]
  private var schema: MergedSchema { plan.schema }

  init(db: Database, plan: RowPlan, base: String, theirs: String, isRenumbered: Bool) {
    (self.db, self.plan, self.base, self.theirs, self.isRenumbered) = (db, plan, base, theirs, isRenumbered)
    changed = Dictionary(grouping: Set(plan.ours.rows.keys).union(plan.theirs.rows.keys), by: \.table)
  }

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
    var numbers: [RowIdentity: EncodedValue] = [:]
    for identity in identities where plan.version(identity, .ours) != nil {
      let key = identity.values
      if let number {
        try number.start(key)
        if try number.next() { numbers[identity] = number.row(0..<1).bytes[...] }
        number.end()
      }
      _ = try delete.run(key)  // A removal violates no constraint: foreign keys are off.
    }
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
      case .done: break
      case .notUnique:
        problems.append(.unique(identity, with: try BlockingRows.find(table, at: position, values, db)))
      case .invalid: problems.append(.check(identity))
      }
    }
    return problems
  }

  /// Makes the full-text tables of the changed tables again. Cost: all rows of these tables.
  private func rebuildFullText(of changed: [String]) throws {
    let names = Set(changed.map { $0.lowercased() })
    for table in schema.fullText {
      guard let content = table.content else { continue }
      // A view may be over any table.
      let isChanged = schema.position(of: content) == nil || names.contains(content)
      if isRenumbered || isChanged { try table.makeAgain(in: db) }
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
    var problems: [RowPlan.Problem] = []
    for (position, table) in schema.tables.enumerated() {
      for (number, key) in table.foreignKeys.enumerated() {
        // A row that neither side changed refers to a row of the base.
        let children = hasLostParents(key) ? nil : changed[position] ?? []
        for values in try orphans(of: table, key, among: children) {
          let child = RowIdentity(table: position, key: Array(values.prefix(table.keys.count)))
          let problem = RowPlan.Problem.foreignKey(
            child, key: number, values: Array(values.dropFirst(table.keys.count)))
          if !plan.isAccepted(problem) { problems.append(problem) }
        }
      }
    }
    return problems.sorted { $0.identity < $1.identity }
  }

  /// Whether the plan takes values of the base away to which a foreign key may lead.
  private func hasLostParents(_ key: MergedTable.ForeignKey) -> Bool {
    guard let position = schema.position(of: key.parent) else { return false }
    let names = Set(key.parentColumns.map { $0.lowercased() })
    let columns = schema.tables[position].columns.enumerated().filter { names.contains($1.name.lowercased()) }
      .map(\.offset)
    return (changed[position] ?? []).contains { identity in
      guard let old = plan.base(identity)?.values else { return false }
      guard let new = plan.planned(identity)?.values else { return true }
      return columns.contains { old[$0] != new[$0] }
    }
  }

  /// Returns the rows whose foreign key leads to no row: the values of the primary key, and of the foreign key.
  ///
  /// - Parameter children: the rows to look at; nil for all rows of the table.
  private func orphans(
    of table: MergedTable, _ key: MergedTable.ForeignKey, among children: [RowIdentity]?
  ) throws -> [[EncodedValue]] {
    if children?.isEmpty == true { return [] }
    let names = table.keys.map { table.columns[$0].name } + key.columns
    let values = key.columns.map { "c.\($0.quotedName)" }
    let matches = zip(key.parentColumns, values).map { "p.\($0.quotedName) = \($1)" }
    let select = """
      SELECT \(names.map { "c.\($0.quotedName)" }.joined(separator: ", ")) FROM \(table.quoted) AS c
      WHERE \(values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) AND NOT EXISTS (
        SELECT 1 FROM main.\(key.parent.quotedName) AS p WHERE \(matches.joined(separator: " AND ")))
      """
    guard let children else {
      return try ValueStatement.rows(db, select, count: names.count).map(\.values)
    }
    let statement = try ValueStatement(db, "\(select) AND \(table.condition())")
    return try children.compactMap { child in
      try statement.start(child.values)
      defer { statement.end() }
      return try statement.next() ? statement.row(0..<names.count).values : nil
    }
  }

  // MARK: Files

  private func pathProblems() throws -> [RowPlan.Problem] {
    guard let position = schema.position(of: PrivateTables.content) else { return [] }
    return try (changed[position] ?? []).sorted().compactMap { identity in
      guard plan.planned(identity) != nil,
        let path = identity.values.first.flatMap({ String.fromDatabaseValue($0.databaseValue) }),
        let obstacle = try ContentPath(stored: path).obstacle(in: db)
      else { return nil }
      return .path(identity, with: RowIdentity(table: position, key: [EncodedRow.text(obstacle)]))
    }
  }
}
