import CSQLiteSession
import FoundationEssentials
import GRDB

/// One value with SQLite's type, in the form of a changeset. Two values are equal only if type and bytes are.
typealias EncodedValue = ArraySlice<UInt8>

/// The values of one row, one after the other, in the form of a changeset.
///
/// A text that is not UTF-8, the real number 1.0 and the sign of zero stay as they are.
struct EncodedRow: Sendable, Hashable {
  var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(_ values: [EncodedValue]) { bytes = values.flatMap { $0 } }

  /// The values, in order of the columns.
  var values: [EncodedValue] {
    var (rest, values) = (bytes[...], [EncodedValue]())
    while !rest.isEmpty {
      var next = EncodedValues(rest)
      let value = next.next()
      values.append(value)
      rest = rest.dropFirst(value.count)
    }
    return values
  }

  static let null: EncodedValue = [UInt8(SQLITE_NULL)]

  static func text(_ text: String) -> EncodedValue {
    var writer = ChangesetWriter()
    writer.append(text)
    return writer.bytes[...]
  }

  static func integer(_ number: Int64) -> EncodedValue {
    ([UInt8(SQLITE_INTEGER)] + withUnsafeBytes(of: number.bigEndian) { Array($0) })[...]
  }
}

extension EncodedValue {
  var isNull: Bool { first == UInt8(SQLITE_NULL) }

  /// The value in a key. The same number as integer and as real is one key for SQLite.
  var asKey: EncodedValue {
    guard case .double(let number) = databaseValue.storage, let integer = Int64(exactly: number) else {
      return self
    }
    return EncodedRow.integer(integer)
  }

  /// The same value as GRDB has it.
  var databaseValue: DatabaseValue {
    guard let type = first else { return .null }
    let body = dropFirst()
    switch Int32(type) {
    case SQLITE_INTEGER: return Int64(bitPattern: Self.number(body)).databaseValue
    case SQLITE_FLOAT: return Double(bitPattern: Self.number(body)).databaseValue
    case SQLITE_TEXT: return String(decoding: Self.content(body), as: UTF8.self).databaseValue
    case SQLITE_BLOB: return Data(Self.content(body)).databaseValue
    default: return .null
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The bytes after their length, each of whose bytes but the last has its highest bit set.
  private static func content(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes.drop { $0 >= 0x80 }.dropFirst()
  }
}

/// A row of one of the merged tables by its primary key.
struct RowIdentity: Sendable, Hashable, Comparable {
  /// The position of the table.
  var table: Int
  /// The values of the key, in order of the columns.
  var key: [UInt8]

  init(table: Int, key: [UInt8]) { (self.table, self.key) = (table, key) }

  init(table: Int, key values: [EncodedValue]) {
    self.init(table: table, key: values.flatMap(\.asKey))
  }

  var values: [EncodedValue] { EncodedRow(bytes: key).values }

  static func < (a: RowIdentity, b: RowIdentity) -> Bool {
    a.table == b.table ? a.key.lexicographicallyPrecedes(b.key) : a.table < b.table
  }
}
