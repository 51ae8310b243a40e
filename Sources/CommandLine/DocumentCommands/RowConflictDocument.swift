import CommandSupport
package import FilePackages
package import FoundationEssentials

/// A document with a database, whose rows may be in conflict after a merge in a container.
package protocol RowConflictDocument: Sendable {
  /// Returns the rows in conflict, the oldest first.
  func rowConflicts() async throws -> [ShownRowConflict]

  /// Ends conflicts of rows, in one edit and one save.
  ///
  /// - Parameters:
  ///   - taken: the conflicts whose rows get the values that are not in place.
  ///   - left: the conflicts whose rows stay as they are.
  func resolveRows(taking taken: [UUID], leaving left: [UUID]) async throws -> SaveReport
}

/// A row in conflict, as the commands show it.
package struct ShownRowConflict: Encodable, Sendable {
  package var id: UUID
  /// The time of the merge.
  package var merged: Date
  package var table: String
  /// The kind of the conflict: `columns`, `removal`, `unique`, `check`, `foreignKey`, `path`.
  package var kind: String
  package var key: [String: String]
  /// The values by column that the merge put in place; nil if it removed the row.
  package var present: [String: String]?
  /// The other values by column; nil if the other machine has no such row.
  package var other: [String: String]?

  package init(
    id: UUID, merged: Date, table: String, kind: String, key: [String: String], present: [String: String]?,
    other: [String: String]?
  ) {
    (self.id, self.merged, self.table, self.kind, self.key) = (id, merged, table, kind, key)
    (self.present, self.other) = (present, other)
  }

  /// The conflict in one line, with the values that differ.
  package var line: String {
    let columns = Set((present ?? [:]).keys).union((other ?? [:]).keys).filter { present?[$0] != other?[$0] }
    func values(_ row: [String: String]?) -> String {
      guard let row else { return "no row" }
      return columns.sorted().map { "\(display($0)) \(display(row[$0] ?? "NULL"))" }.joined(separator: ", ")
    }
    let name = key.sorted { $0.key < $1.key }.map { display($0.value) }.joined(separator: ", ")
    return
      "  \(id.uuidString.prefix(8))  \(localTime(merged))  \(display(table)) \(name): \(values(present)); "
      + "the other: \(values(other))"
  }
}
