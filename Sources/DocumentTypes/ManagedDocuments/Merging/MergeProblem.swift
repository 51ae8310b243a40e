/// The reason why two databases are not merged. Nothing has changed then.
package enum MergeProblem: Error, Sendable, Hashable {
  /// The side of a merge that changed a table's schema.
  package enum ChangedSide: String, Sendable, Hashable { case ours, theirs, both }

  /// A table with other schemas.
  package struct Difference: Sendable, Hashable {
    package var table: String
    package var side: ChangedSide

    package init(table: String, side: ChangedSide) { (self.table, self.side) = (table, side) }
  }

  /// The schemas of the tables differ. If only `theirs` changed them, this program needs their migrations.
  case schemasDiffer([Difference])
  /// A side lacks migrations of the other one.
  case migrationsDiffer(missingInOurs: [String], missingInTheirs: [String])
  /// Both sides have migrated a table alike since the base, and the base has no values for the new columns.
  case baseIsOlder(table: String)
  /// The rows of a table have no identity.
  case unmergeable(table: String, RowProblem)
  /// Both sides changed a virtual table that is merged as a whole.
  case virtualTable(String)
  /// All keys up to the greatest integer are taken.
  case noFreeKey(table: String)
  /// A side violates its own constraints.
  case constraint(table: String)

  package var reason: String {
    switch self {
    case .schemasDiffer(let differences):
      return differences.map { difference in
        switch difference.side {
        case .ours: "this document changed the schema of '\(difference.table)'"
        case .theirs: "the other document changed the schema of '\(difference.table)'"
        case .both: "both documents changed the schema of '\(difference.table)'"
        }
      }.joined(separator: "; ")
    case .migrationsDiffer(let missingInOurs, let missingInTheirs):
      let parts = [("this document", missingInOurs), ("the other document", missingInTheirs)]
      return parts.filter { !$0.1.isEmpty }.map {
        "\($0.0) lacks the migrations \($0.1.joined(separator: ", "))"
      }
      .joined(separator: "; ")
    case .baseIsOlder(let table):
      return "the common state lacks columns of table '\(table)'; migrate it first"
    case .unmergeable(let table, .noPrimaryKey):
      return "table '\(table)' has no primary key, so its rows cannot be merged"
    case .unmergeable(let table, .nullableKey):
      return "the primary key of table '\(table)' may be NULL, so its rows cannot be merged"
    case .unmergeable(let table, .generatedColumn):
      return "table '\(table)' has a generated column, so its rows cannot be merged"
    case .virtualTable(let table): return "both documents changed the virtual table '\(table)'"
    case .noFreeKey(let table): return "table '\(table)' has no integer left for a new row"
    case .constraint(let table): return "a document violates a constraint of its own table '\(table)'"
    }
  }
}
