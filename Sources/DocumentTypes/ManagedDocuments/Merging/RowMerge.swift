import FilePackages
package import FoundationEssentials
package import GRDB

/// The result of a merge of rows.
package struct RowMergeOutcome: Sendable, Hashable {
  /// The rows that both sides changed, in order of tables and keys. They are in the document, too (`ConflictTable`).
  package var conflicts: [RowConflict] = []
  /// The rows of `ours` with another integer key.
  package var renumbered: [RenumberedRow] = []
  /// The changed paths of the additional content. The caller notes them for the next save.
  package var paths: [String] = []
  /// The digests of all files that the changed paths and the conflicts need. The caller brings the bytes that `ours`
  /// lacks, in the same transaction (MT3).
  package var digests: Set<Data> = []
}

/// Merges the rows of two databases that come from a common base, as one change of one of them.
///
/// | Changed in `ours` | Changed in `theirs` | Outcome |
/// | --- | --- | --- |
/// | a row, or other columns of it | another row, or other columns | both changes |
/// | a column of a row | the same column | the policy; `columns` |
/// | a row | the row is removed | the policy: the row, or none; `removal` |
/// | the row is removed | the row is removed | no row |
/// | a new row with a key | a new row with the key, the same values | one row |
/// | a new row with an integer key | a new row with the key | two rows; that of `ours` gets a new key, see `KeyRenumbering` |
/// | a new row with another key | a new row with the key | by column; `columns` |
/// | a row with a unique value | another row with the value | the loser's row is the winner's version, or none; `unique` |
/// | columns of a row | other columns; a CHECK refuses both together | the row is the winner's version; `check` |
/// | a row that refers to another one | that one is removed | `theirs` wins: the row is their version, or none; `ours` wins: the other one is restored; `foreignKey` |
/// | a row is removed | a row that refers to it | `theirs` wins: the row is restored; `ours` wins: the other one is our version, or none; `foreignKey` |
/// | the same, with ON DELETE SET NULL | | if the reference loses, it is NULL; `foreignKey` |
/// | a file | the file, with other bytes | the policy; `columns` |
/// | a file `a` | a file `a/b` | the loser's file is the winner's version, or none; `path` |
/// | a conflict is resolved | | it is resolved |
///
/// The winner is `ours` by `error`, `mergeByPropertyObjectTrump` and `overwrite`, and else `theirs`. A NOT NULL cannot be
/// violated by both together: each column has the value of one side. A row that lacks values of one side is one `RowConflict`, with all values. A violation that one side
/// already had stays.
///
/// | Table | Outcome |
/// | --- | --- |
/// | with a primary key, `WITHOUT ROWID`, `STRICT` | as above |
/// | without a primary key, with a key that may be NULL, with generated columns | `MergeProblem.unmergeable` if `theirs` changed it |
/// | FTS3, FTS4, FTS5 over another table or a view | made again from the rows |
/// | FTS with a content of its own or without content, R-tree, other virtual tables | the changed side's, whole; if both changed it, `MergeProblem.virtualTable` |
///
/// The result depends on the rows and not on their order or their hidden numbers. If `ours` is as the base, it is
/// exactly `theirs`. The effects of triggers and of foreign keys' actions are rows of each side. So the connection has
/// both off, as that for undo has. It serves for one merge: FTS5 keeps its index's structure in the memory of a
/// connection, and undoing changes the index beneath.
///
/// Cost: the time to read all rows of the three databases, and to make the full-text tables of changed tables again; the
/// memory of the changed rows.
package struct RowMerge {
  private let db: Database
  private let base: String
  private let theirs: String
  private let policy: MergePolicy
  private let schema: MergedSchema

  /// Merges an attached database into the main one, in a transaction of the caller.
  ///
  /// - Parameters:
  ///   - base: the schema of the last state that both sides have seen. Both schemas are attached for reading
  ///     (`mode=ro`): `BEGIN IMMEDIATE` would lock them for writing.
  ///   - theirs: the schema of the other database.
  ///   - date: the time of the merge.
  /// - Throws: `MergeProblem`, `DatabaseError`; the main database is then as before.
  package static func run(
    in db: Database, base: String, theirs: String, _ policy: MergePolicy, at date: Date
  ) throws -> RowMergeOutcome {
    var outcome = RowMergeOutcome()
    try db.inSavepoint {
      outcome = try RowMerge(db, base, theirs, policy).run(at: date)
      return .commit
    }
    return outcome
  }

  private init(_ db: Database, _ base: String, _ theirs: String, _ policy: MergePolicy) throws {
    (self.db, self.base, self.theirs, self.policy) = (db, base, theirs, policy)
    schema = try MergedSchema(of: db, base: base, theirs: theirs)
  }

  private func run(at date: Date) throws -> RowMergeOutcome {
    var outcome = RowMergeOutcome()
    let changed = try SideChanges(in: theirs, from: base, schema.tables, db)
    if !changed.rows.isEmpty {
      outcome.renumbered = try KeyRenumbering(
        db: db, schema: schema, base: base, theirs: theirs, changed: changed
      ).run()
      let own = try SideChanges(in: "main", from: base, schema.tables, db)
      try checkOpaqueTables(own, changed)
      let plan = try applied(RowPlan(own, changed, policy, schema), isRenumbered: !outcome.renumbered.isEmpty)
      outcome.conflicts = conflicts(of: plan, at: date)
      note(plan, in: &outcome)
    }
    try ConflictTable.merge(base: base, theirs: theirs, in: db)
    try ConflictTable.add(outcome.conflicts, to: db)
    outcome.digests.formUnion(try ConflictTable.refer(in: db))
    return outcome
  }

  private func checkOpaqueTables(_ own: SideChanges, _ changed: SideChanges) throws {
    func owners(_ side: SideChanges) -> Set<String> {
      Set(side.tables.compactMap { schema.tables[$0].owner })
    }
    if let table = owners(own).intersection(owners(changed)).min() {
      throw MergeProblem.virtualTable(table)
    }
  }

  // MARK: Rounds

  /// Applies a plan, and revises it until no constraint refuses a row.
  ///
  /// Each round reverts at least one row to the winner's version, which no later round changes. So the rounds end, at the
  /// latest with all rows of the winner.
  private func applied(_ first: RowPlan, isRenumbered: Bool) throws -> RowPlan {
    var plan = first
    while true {
      var problems: [RowPlan.Problem] = []
      try db.inSavepoint {
        problems = try RowApplication(
          db: db, plan: plan, base: base, theirs: theirs, isRenumbered: isRenumbered
        ).run()
        return problems.isEmpty ? .commit : .rollback
      }
      if problems.isEmpty { return plan }
      try plan.revise(problems) { child, key, values, side in
        try parents(of: child, key, values, in: side == .ours ? "main" : theirs)
      }
    }
  }

  /// Returns the rows to which the values of a foreign key lead.
  private func parents(
    of child: RowIdentity, _ key: Int, _ values: [EncodedValue], in name: String
  ) throws -> [RowIdentity] {
    let foreignKey = schema.tables[child.table].foreignKeys[key]
    guard let position = schema.position(of: foreignKey.parent) else { return [] }
    let parent = schema.tables[position]
    let keys = parent.keys.map { parent.columns[$0].name.quotedName }.joined(separator: ", ")
    let conditions = foreignKey.parentColumns.enumerated().map { "\($1.quotedName) = ?\($0 + 1)" }
    return try ValueStatement.rows(
      db,
      """
      SELECT \(keys) FROM \(name.quotedName).\(parent.name.quotedName) WHERE \(conditions.joined(separator: " AND "))
      """, values, count: parent.keys.count
    ).map { RowIdentity(table: position, key: $0.values) }
  }

  // MARK: The outcome

  private func conflicts(of plan: RowPlan, at date: Date) -> [RowConflict] {
    plan.conflicts.keys.sorted().compactMap { identity in
      guard let (kind, columns) = plan.conflicts[identity] else { return nil }
      let table = schema.tables[identity.table]
      let (row, ours, theirs) = (
        plan.planned(identity), plan.version(identity, .ours), plan.version(identity, .theirs)
      )
      let names = table.columns.map(\.name)
      return RowConflict(
        id: UUID(), date: date, storedTable: table.name, kind: kind,
        outcome: row == ours ? .ours : row == theirs ? .theirs : .merged, winner: policy.winner,
        columns: names, keyColumns: table.keys.map { names[$0] }, changedColumns: columns.map { names[$0] },
        baseRow: plan.base(identity), oursRow: ours, theirsRow: theirs)
    }
  }

  private func note(_ plan: RowPlan, in outcome: inout RowMergeOutcome) {
    guard let position = schema.position(of: PrivateTables.content) else { return }
    let table = schema.tables[position]
    guard let digest = table.columns.firstIndex(where: { $0.name == "digest" }) else { return }
    for (identity, row) in plan.changes where identity.table == position {
      if let path = identity.values.first.flatMap({ String.fromDatabaseValue($0.databaseValue) }) {
        outcome.paths.append(path)
      }
      if let bytes = (row?.values[digest].databaseValue).flatMap(Data.fromDatabaseValue) {
        outcome.digests.insert(bytes)
      }
    }
    outcome.paths.sort()
  }
}
