import FilePackages
import FoundationEssentials
import GRDB

/// The differences between two documents with a database: the changed rows of each table, and the changed files.
package struct ManagedDifferences: Sendable, Hashable, Codable {
  /// The numbers of changed rows of one table.
  package struct TableDifference: Sendable, Hashable, Codable {
    /// The name of the table.
    package var table: String
    /// The number of rows that only the second document has.
    package var inserted = 0
    /// The number of rows that both have with other values.
    package var updated = 0
    /// The number of rows that only the first document has.
    package var deleted = 0
  }

  /// A file that differs.
  package struct FileDifference: Sendable, Hashable, Codable {
    /// The path below `AdditionalContent`.
    package var path: String
    /// The kind of the difference. A moved file is removed and added.
    package var kind: VersionDifference.Kind
  }

  /// The tables with changed rows, in order of names. If the columns of a table differ, all its rows count as deleted
  /// and inserted.
  package var tables: [TableDifference] = []
  /// The changed files, in order of paths.
  package var files: [FileDifference] = []

  /// Whether there is no difference.
  package var isEmpty: Bool { tables.isEmpty && files.isEmpty }

  /// Counts the changes of a changeset, without the tables that virtual tables have for themselves.
  init(_ changeset: Changeset, in db: Database) throws {
    let shadows = Set(try TableShape.all(in: db).filter { $0.kind == .shadow }.map(\.name))
    var found: [String: TableDifference] = [:]
    var files: [FileDifference] = []
    try changeset.forEachRow { row in
      if row.table == PrivateTables.content {
        guard let path = row.text(0) else { return }
        files.append(FileDifference(path: path, kind: row.operation.kind))
      } else if !shadows.contains(row.table) {
        var difference = found[row.table] ?? TableDifference(table: row.table)
        switch row.operation {
        case .insert: difference.inserted += 1
        case .update: difference.updated += 1
        case .delete: difference.deleted += 1
        }
        found[row.table] = difference
      }
    }
    tables = found.values.sorted { $0.table < $1.table }
    self.files = files.sorted { $0.path < $1.path }
  }
}

extension ManagedDifferences: CustomStringConvertible {
  /// A line for each table and each file, such as `recipe: 1 inserted, 2 updated`.
  package var description: String {
    let tables = tables.map { table in
      let counts = [(table.inserted, "inserted"), (table.updated, "updated"), (table.deleted, "deleted")]
      return "\(displayString(table.table)): "
        + counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
    return (tables + files.map { "\(displayString($0.path)): \($0.kind.rawValue)" }).joined(separator: "\n")
  }
}

extension ChangedRow.Operation {
  fileprivate var kind: VersionDifference.Kind {
    switch self {
    case .insert: .added
    case .update: .changed
    case .delete: .removed
    }
  }
}
