import CSQLiteSession
import GRDB

/// A row that is not as a change left it, when the change is taken back.
struct ChangeConflict: Error, Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    /// The row has other values.
    case data
    /// The row is gone.
    case notFound
    /// Another row has the key.
    case taken
    /// A constraint, such as UNIQUE or CHECK, refuses the row.
    case constraint
    /// A foreign key leads to no row.
    case foreignKey
    /// The earlier bytes of a file are gone.
    case lostBytes
  }

  /// The answer to a conflict.
  enum Answer: Sendable, Hashable {
    /// The row stays as it is.
    case omit
    /// The row becomes as before the change. Only for `data` and `taken`.
    case replace
    /// Nothing is taken back.
    case abort
  }

  var kind: Kind
  /// The row of the changeset; nil for foreign keys.
  var row: ChangedRow?
  /// The values that are in the way, of `data` and `taken`.
  var current: [DatabaseValue?] = []
  /// The table, if it is known; the place of a file with lost bytes.
  var table: String?

  init(kind: Kind, table: String) { (self.kind, self.table) = (kind, table) }

  /// Reads the conflict at which the iterator is.
  init(_ kind: Kind, _ iterator: OpaquePointer?) {
    self.kind = kind
    // A conflict of foreign keys stands for no single row.
    if kind == .foreignKey { return }
    let row = ChangedRow(iterator)
    (self.row, table) = (row, row.table)
    guard kind == .data || kind == .taken else { return }
    current = row.isKey.indices.map { column in
      var value: OpaquePointer?
      guard sqlite3changeset_conflict(iterator, Int32(column), &value) == SQLITE_OK else { return nil }
      return value.map(DatabaseValue.init(copying:))
    }
  }

  /// The conflict in the words of an error.
  var reason: String {
    let table = table.map { " in table '\($0)'" } ?? ""
    return switch kind {
    case .data: "another program changed a row\(table) that the edit had changed"
    case .notFound: "another program removed a row\(table) that the edit had changed"
    case .taken: "another program made a row\(table) with the key of a row that the edit had removed"
    case .constraint: "a constraint\(table) refuses the row as it was before"
    case .foreignKey: "a row\(table) would refer to a row that is gone"
    case .lostBytes: "another program replaced '\(self.table ?? "")', and its earlier bytes are gone"
    }
  }
}

extension ChangeConflict.Kind {
  init?(_ code: Int32) {
    switch code {
    case SQLITE_CHANGESET_DATA: self = .data
    case SQLITE_CHANGESET_NOTFOUND: self = .notFound
    case SQLITE_CHANGESET_CONFLICT: self = .taken
    case SQLITE_CHANGESET_CONSTRAINT: self = .constraint
    case SQLITE_CHANGESET_FOREIGN_KEY: self = .foreignKey
    default: return nil
    }
  }
}
