import CSQLiteSession

/// Values, rows and tables in the format of SQLite's changesets.
///
/// Source: the comment at the top of `sqlite3session.c`. A value is a byte for its type, and then eight bytes for a
/// number, or a length and the bytes of a text or a blob. Numbers have their highest byte first.
struct ChangesetWriter {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }

  /// The byte of a column that a change does not say.
  private static let undefined: UInt8 = 0

  mutating func removeAll(keepingCapacity: Bool) { bytes.removeAll(keepingCapacity: keepingCapacity) }

  mutating func truncate(to count: Int) { bytes.removeLast(bytes.count - count) }

  // MARK: Values

  /// Adds a value of a primary key that SQLite's hook for changes gives.
  ///
  /// Two values that are the same number for SQLite, such as 8 and 8.0, get the same bytes.
  mutating func appendKey(_ value: OpaquePointer?) {
    let type = sqlite3_value_type(value)
    if type == SQLITE_FLOAT, let number = Int64(exactly: sqlite3_value_double(value)) {
      bytes.append(UInt8(SQLITE_INTEGER))
      return append(UInt64(bitPattern: number))
    }
    bytes.append(UInt8(type))
    switch type {
    case SQLITE_INTEGER: append(UInt64(bitPattern: sqlite3_value_int64(value)))
    case SQLITE_FLOAT: append(sqlite3_value_double(value).bitPattern)
    case SQLITE_TEXT:
      // The bytes first: SQLite may bring the value into another form, and then counts it.
      let text = UnsafeRawPointer(sqlite3_value_text(value))
      append(text, count: sqlite3_value_bytes(value))
    case SQLITE_BLOB:
      let blob = sqlite3_value_blob(value)
      append(blob, count: sqlite3_value_bytes(value))
    default: break
    }
  }

  /// Adds a column of the row at which the statement is.
  mutating func append(_ column: Int32, of statement: OpaquePointer?) {
    let type = sqlite3_column_type(statement, column)
    bytes.append(UInt8(type))
    switch type {
    case SQLITE_INTEGER: append(UInt64(bitPattern: sqlite3_column_int64(statement, column)))
    case SQLITE_FLOAT: append(sqlite3_column_double(statement, column).bitPattern)
    case SQLITE_TEXT:
      let text = UnsafeRawPointer(sqlite3_column_text(statement, column))
      append(text, count: sqlite3_column_bytes(statement, column))
    case SQLITE_BLOB:
      let blob = sqlite3_column_blob(statement, column)
      append(blob, count: sqlite3_column_bytes(statement, column))
    default: break
    }
  }

  mutating func append(_ text: String) {
    let utf8 = Array(text.utf8)
    bytes.append(UInt8(SQLITE_TEXT))
    append(length: utf8.count)
    bytes += utf8
  }

  private mutating func append(_ number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(_ start: UnsafeRawPointer?, count: Int32) {
    append(length: Int(count))
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
  }

  /// Adds a length in SQLite's form: seven bits in each byte, the highest first. Its values have less than 2^31 bytes.
  private mutating func append(length: Int) {
    var rest = length >> 7
    var groups: [UInt8] = [UInt8(length & 0x7f)]
    while rest > 0 {
      groups.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(contentsOf: groups.reversed())
  }

  // MARK: Rows and tables

  /// Adds the beginning of a table.
  mutating func begin(_ table: RecordedTable) {
    bytes.append(UInt8(ascii: "T"))
    append(length: table.keyFlags.count)
    bytes.append(contentsOf: table.keyFlags)
    bytes.append(contentsOf: table.name.utf8)
    bytes.append(0)
  }

  /// Adds a row that was inserted or deleted, with all its values.
  mutating func append(_ operation: Int32, isIndirect: Bool, _ values: ArraySlice<UInt8>) {
    bytes.append(UInt8(operation))
    bytes.append(isIndirect ? 1 : 0)
    bytes.append(contentsOf: values)
  }

  /// Adds a row with its key, and with the old and the new values of the columns that changed; nothing if none did.
  mutating func append(
    changed table: RecordedTable, isIndirect: Bool, from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>
  ) {
    if old == new { return }
    var (oldValues, newValues) = (EncodedValues(old), EncodedValues(new))
    var changed: [UInt8] = []
    bytes.append(UInt8(SQLITE_UPDATE))
    bytes.append(isIndirect ? 1 : 0)
    for keyFlag in table.keyFlags {
      let (old, new) = (oldValues.next(), newValues.next())
      let hasChanged = keyFlag == 0 && old != new
      if hasChanged || keyFlag != 0 { bytes.append(contentsOf: old) } else { bytes.append(Self.undefined) }
      if hasChanged { changed.append(contentsOf: new) } else { changed.append(Self.undefined) }
    }
    bytes.append(contentsOf: changed)
  }
}

/// The values of a row, one after the other.
struct EncodedValues {
  private var rest: ArraySlice<UInt8>

  /// - Parameter bytes: as a `ChangesetWriter` makes them.
  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> ArraySlice<UInt8> {
    let count = countOfNext()
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private func countOfNext() -> Int {
    guard let type = rest.first else { return 0 }
    switch Int32(type) {
    case SQLITE_INTEGER, SQLITE_FLOAT: return 9
    case SQLITE_TEXT, SQLITE_BLOB:
      let (length, count) = Self.length(at: rest.startIndex + 1, in: rest)
      return 1 + count + length
    default: return 1
    }
  }

  /// Binds the next value to a parameter.
  mutating func bindNext(to parameter: Int32, of statement: OpaquePointer?) -> Int32 {
    let value = next()
    return value.withUnsafeBytes { bytes in
      let body = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
      switch Int32(bytes[0]) {
      case SQLITE_INTEGER:
        return sqlite3_bind_int64(statement, parameter, Int64(bitPattern: Self.number(body)))
      case SQLITE_FLOAT:
        return sqlite3_bind_double(statement, parameter, Double(bitPattern: Self.number(body)))
      case SQLITE_TEXT, SQLITE_BLOB:
        let (length, count) = Self.length(at: value.startIndex + 1, in: value)
        let start = bytes.baseAddress.map { $0 + 1 + count }
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        if Int32(bytes[0]) == SQLITE_BLOB {
          return sqlite3_bind_blob(statement, parameter, start, Int32(length), copies)
        }
        return sqlite3_bind_text(
          statement, parameter, start?.assumingMemoryBound(to: CChar.self), Int32(length), copies)
      default: return sqlite3_bind_null(statement, parameter)
      }
    }
  }

  private static func number(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  private static func length(at position: Int, in bytes: ArraySlice<UInt8>) -> (length: Int, count: Int) {
    var (length, position) = (0, position)
    let start = position
    while true {
      let byte = bytes[position]
      length = length << 7 | Int(byte & 0x7f)
      position += 1
      if byte < 0x80 { return (length, position - start) }
    }
  }
}
