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

  /// Counts the changes of these tables.
  init(_ changes: SideChanges, of merged: [MergedTable]) {
    var found = merged.map { TableDifference(table: $0.name) }
    for (identity, change) in changes.rows where !identity.values.contains(where: \.isNull) {
      let kind: VersionDifference.Kind = change.base == nil ? .added : change.row == nil ? .removed : .changed
      if found[identity.table].table == PrivateTables.content {
        guard let path = identity.values.first.flatMap({ String.fromDatabaseValue($0.databaseValue) }) else {
          continue
        }
        files.append(FileDifference(path: path, kind: kind))
        continue
      }
      switch kind {
      case .added: found[identity.table].inserted += 1
      case .changed: found[identity.table].updated += 1
      case .removed: found[identity.table].deleted += 1
      }
    }
    tables = found.filter { $0.inserted + $0.updated + $0.deleted > 0 }
    files.sort { $0.path < $1.path }
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
