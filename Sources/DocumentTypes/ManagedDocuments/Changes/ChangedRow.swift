import CSQLiteSession
import FoundationEssentials
package import GRDB

/// One row of a changeset: its table, the kind of change and its values.
///
/// A value is nil if the change does not say it: an update has the old and new values of the changed columns only.
package struct ChangedRow: Sendable, Hashable {
  package enum Operation: Sendable, Hashable { case insert, update, delete }

  package var table: String
  package var operation: Operation
  package var old: [DatabaseValue?]
  package var new: [DatabaseValue?]
  /// For each column, whether it is part of the primary key.
  package var isKey: [Bool]

  /// Copies the row at which the iterator is.
  init(_ iterator: OpaquePointer?) {
    var name: UnsafePointer<CChar>?
    var count: Int32 = 0
    var code: Int32 = 0
    sqlite3changeset_op(iterator, &name, &count, &code, nil)
    table = name.map { String(cString: $0) } ?? ""
    operation = code == SQLITE_INSERT ? .insert : code == SQLITE_DELETE ? .delete : .update
    var (old, new): ([DatabaseValue?], [DatabaseValue?]) = ([], [])
    for column in 0..<count {
      var value: OpaquePointer?
      old.append(
        code != SQLITE_INSERT && sqlite3changeset_old(iterator, column, &value) == SQLITE_OK
          ? value.map(DatabaseValue.init(copying:)) : nil)
      value = nil
      new.append(
        code != SQLITE_DELETE && sqlite3changeset_new(iterator, column, &value) == SQLITE_OK
          ? value.map(DatabaseValue.init(copying:)) : nil)
    }
    (self.old, self.new) = (old, new)
    var keys: UnsafeMutablePointer<UInt8>?
    var keyCount: Int32 = 0
    sqlite3changeset_pk(iterator, &keys, &keyCount)
    isKey = (0..<Int(keyCount)).map { keys?[$0] != 0 }
  }

  /// The text of a column, from the new row or else the old one.
  func text(_ column: Int) -> String? {
    (new[column] ?? old[column]).flatMap { String.fromDatabaseValue($0) }
  }
}

extension DatabaseValue {
  /// Copies a value of SQLite.
  init(copying value: OpaquePointer) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = sqlite3_value_int64(value).databaseValue
    case SQLITE_FLOAT: self = sqlite3_value_double(value).databaseValue
    case SQLITE_TEXT:
      let count = Int(sqlite3_value_bytes(value))
      let bytes = UnsafeBufferPointer(start: sqlite3_value_text(value), count: count)
      self = String(decoding: bytes, as: UTF8.self).databaseValue
    case SQLITE_BLOB:
      let count = Int(sqlite3_value_bytes(value))
      self = (sqlite3_value_blob(value).map { Data(bytes: $0, count: count) } ?? Data()).databaseValue
    default: self = .null
    }
  }
}
