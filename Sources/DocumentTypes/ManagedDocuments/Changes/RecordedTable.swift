/// A table whose changes are recorded.
struct RecordedTable: Sendable, Hashable {
  let name: String
  /// For each column, its place in the primary key, from 1; 0 outside of it.
  let keyFlags: [UInt8]
  /// The columns of the primary key, in the order of the table.
  let keys: [Int]
  /// Reads a row by its key.
  let selectByKey: String
  /// Reads a row by its number; nil if the table has no numbers.
  let selectByNumber: String?

  var columnCount: Int { keyFlags.count }

  /// - Returns: nil if the table is not recorded; if it has no primary key; if it has a generated column, whose value no
  ///   program may write; or if its columns have all names of the row's number.
  init?(_ shape: TableShape) {
    guard shape.isRecorded, !shape.keys.isEmpty, !shape.columns.contains(where: \.isGenerated),
      shape.isWithoutNumbers || shape.number != nil
    else { return nil }
    (name, keyFlags, keys) = (shape.name, shape.columns.map(\.keyPlace), shape.keys)
    let table = MergedTable(shape)
    selectByKey = table.selectRow
    selectByNumber = shape.number.map { "\(table.selectAll(in: "main")) WHERE \($0) = ?1" }
  }
}
