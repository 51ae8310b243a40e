import FilePackages
import GRDB

/// The rows that a merge puts into `ours`, before it does.
struct RowPlan {
  /// A row that cannot be as planned.
  enum Problem: Sendable, Hashable {
    /// Another row has its key or one of its unique values.
    case unique(RowIdentity, with: [RowIdentity])
    /// CHECK or the type of a STRICT table refuses it.
    case check(RowIdentity)
    /// No row has the values of a foreign key.
    case foreignKey(RowIdentity, key: Int, values: [EncodedValue])
    /// A file needs a folder where another file is, or the reverse.
    case path(RowIdentity, with: RowIdentity)
  }

  let policy: MergePolicy
  let schema: MergedSchema
  let ours: SideChanges
  let theirs: SideChanges
  /// The rows that differ from ours.
  private(set) var changes: [RowIdentity: EncodedRow?] = [:]
  /// The conflicts, with the columns that both sides changed.
  private(set) var conflicts: [RowIdentity: (kind: RowConflict.Kind, columns: [Int])] = [:]
  /// The rows that are the winner's now.
  private var reverted: Set<RowIdentity> = []
  /// The rows whose foreign keys are NULL since the row to which they led is gone.
  private var cleared: Set<RowIdentity> = []
  /// The foreign keys that a side already violated.
  private var accepted: Set<Problem> = []

  init(_ ours: SideChanges, _ theirs: SideChanges, _ policy: MergePolicy, _ schema: MergedSchema) {
    (self.ours, self.theirs, self.policy, self.schema) = (ours, theirs, policy, schema)
    for (identity, their) in theirs.rows {
      guard let mine = ours.rows[identity] else {
        changes[identity] = .some(their.row)
        continue
      }
      let table = schema.tables[identity.table]
      let decision = RowDecision(
        base: their.base, ours: mine.row, theirs: their.row, policy, isOneProperty: table.isOneProperty)
      set(identity, decision.row)
      if let kind = decision.conflict { conflicts[identity] = (kind, decision.columns) }
    }
  }

  private mutating func set(_ identity: RowIdentity, _ row: EncodedRow?) {
    if row == version(identity, .ours) { changes[identity] = nil } else { changes[identity] = .some(row) }
  }

  // MARK: Versions

  func isChanged(_ identity: RowIdentity) -> Bool {
    ours.rows[identity] != nil || theirs.rows[identity] != nil
  }

  func base(_ identity: RowIdentity) -> EncodedRow? { (ours.rows[identity] ?? theirs.rows[identity])?.base }

  /// The row on one side; nil if that side has none, or if neither side changed it.
  func version(_ identity: RowIdentity, _ side: MergeSide) -> EncodedRow? {
    let (own, other) = side == .ours ? (ours, theirs) : (theirs, ours)
    if let change = own.rows[identity] { return change.row }
    return other.rows[identity]?.base
  }

  func planned(_ identity: RowIdentity) -> EncodedRow? {
    if let change = changes[identity] { return change }
    return version(identity, .ours)
  }

  /// Whether a row is planned as on one side. A row that neither side changed is.
  private func isVersion(_ identity: RowIdentity, of side: MergeSide) -> Bool {
    !isChanged(identity) || planned(identity) == version(identity, side)
  }

  // MARK: Revising

  /// Gives a row the winner's version.
  ///
  /// - Returns: false if it has it already.
  private mutating func revert(_ identity: RowIdentity, _ kind: RowConflict.Kind) -> Bool {
    if isVersion(identity, of: policy.winner) || !reverted.insert(identity).inserted { return false }
    conflicts[identity] = (kind, [])
    set(identity, version(identity, policy.winner))
    return true
  }

  func isAccepted(_ problem: Problem) -> Bool { accepted.contains(problem) }

  /// Changes the plan so that fewer problems are left.
  ///
  /// - Parameters:
  ///   - parents: returns the rows of one side to which the values of a foreign key lead.
  /// - Throws: `MergeProblem.constraint` if nothing can be changed, since a side violates its own constraints.
  mutating func revise(
    _ problems: [Problem], parents: (RowIdentity, Int, [EncodedValue], MergeSide) throws -> [RowIdentity]
  ) throws {
    // A row that is revised has other problems in the next round, or none.
    var revised: Set<RowIdentity> = []
    var isAccepted = false
    for problem in problems where !revised.contains(problem.identity) {
      switch problem {
      case .unique(let row, let others) where revised.isDisjoint(with: others):
        revised.formUnion(separate(row, others, .unique))
      case .path(let row, let other) where !revised.contains(other):
        revised.formUnion(separate(row, [other], .path))
      case .unique, .path: break
      case .check(let row): if revert(row, .check) { revised.insert(row) }
      case .foreignKey(let child, let key, let values):
        let rows = try lead(child, key, values, parents)
        revised.formUnion(rows)
        if rows.isEmpty && accepted.insert(problem).inserted { isAccepted = true }
      }
    }
    if revised.isEmpty && !isAccepted, let problem = problems.first {
      throw MergeProblem.constraint(table: schema.tables[problem.identity.table].name)
    }
  }

  /// Gives rows that exclude each other the winner's version.
  ///
  /// A row that is the winner's stays. A row with values of both sides stays beside one of the loser: its value may
  /// be the winner's. If it is not, it is reverted in the next round.
  ///
  /// - Returns: the rows that changed.
  private mutating func separate(
    _ row: RowIdentity, _ others: [RowIdentity], _ kind: RowConflict.Kind
  ) -> [RowIdentity] {
    let (winner, loser) = (policy.winner, policy.winner.other)
    if isVersion(row, of: winner) { return others.filter { revert($0, kind) } }
    let isBehind =
      others.contains { isVersion($0, of: winner) }
      || isVersion(row, of: loser) && others.contains { !isVersion($0, of: loser) }
    if isBehind { return revert(row, kind) ? [row] : [] }
    let isMixed = !isVersion(row, of: loser)
    // Of rows of one kind, the order of the keys decides.
    let behind = others.filter { isMixed && isVersion($0, of: loser) }
    return (behind.isEmpty ? [max(row, others.max() ?? row)] : behind).filter { revert($0, kind) }
  }

  /// Gives a row the row to which it refers, or takes its reference back.
  ///
  /// - Returns: the rows that changed; none if the row already referred to no row on one side.
  private mutating func lead(
    _ child: RowIdentity, _ key: Int, _ values: [EncodedValue],
    _ parents: (RowIdentity, Int, [EncodedValue], MergeSide) throws -> [RowIdentity]
  ) throws -> [RowIdentity] {
    if isVersion(child, of: policy.winner) {
      return try parents(child, key, values, policy.winner).filter { revert($0, .foreignKey) }
    }
    // The other side had this row, and no row to which it led.
    if isVersion(child, of: policy.winner.other),
      try parents(child, key, values, policy.winner.other).isEmpty
    {
      return []
    }
    let table = schema.tables[child.table]
    let foreignKey = table.foreignKeys[key]
    let columns = table.columns.indices.filter { foreignKey.columns.contains(table.columns[$0].name) }
    if foreignKey.setsNull, table.keys.allSatisfy({ !columns.contains($0) }), let row = planned(child),
      cleared.insert(child).inserted
    {
      var values = row.values
      for column in columns { values[column] = EncodedRow.null }
      conflicts[child] = (.foreignKey, [])
      set(child, EncodedRow(values))
      return [child]
    }
    return revert(child, .foreignKey) ? [child] : []
  }
}

extension RowPlan.Problem {
  /// The row that has the problem.
  var identity: RowIdentity {
    switch self {
    case .unique(let row, _), .check(let row), .foreignKey(let row, _, _), .path(let row, _): row
    }
  }
}
