import CSQLiteSession
import GRDB

/// The pages of a database's file, which SQLite has open.
///
/// Source: "Database File Format" of SQLite's documentation.
struct DatabasePages {
  /// The bytes of a page.
  let size: Int
  /// The bytes of a page that SQLite uses.
  let usable: Int
  let encoding: UInt8
  let count: UInt32
  private let file: UnsafeMutablePointer<sqlite3_file>

  /// - Returns: nil if the file is not all of the database: a log or a journal has a part of it.
  init?(of schema: String, in db: Database) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var journal: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(db.sqliteConnection, schema, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      sqlite3_file_control(db.sqliteConnection, schema, SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK,
      let file, Self.isEmpty(journal), let header = Self.read(100, of: file, at: 0)
    else { return nil }
    self.file = file
    let stored = Int(header[16]) << 8 | Int(header[17])
    size = stored == 1 ? 65_536 : stored
    usable = size - Int(header[20])
    encoding = header[59]
    var bytes: Int64 = 0
    guard size >= 512, usable >= 480, file.pointee.pMethods?.pointee.xFileSize(file, &bytes) == SQLITE_OK,
      let count = UInt32(exactly: bytes / Int64(size))
    else { return nil }
    self.count = count
  }

  private static func isEmpty(_ journal: UnsafeMutablePointer<sqlite3_file>?) -> Bool {
    guard let journal, let methods = journal.pointee.pMethods else { return true }
    var bytes: Int64 = 0
    return methods.pointee.xFileSize(journal, &bytes) == SQLITE_OK && bytes == 0
  }

  private static func read(
    _ count: Int, of file: UnsafeMutablePointer<sqlite3_file>, at offset: Int64
  ) -> [UInt8]? {
    guard let methods = file.pointee.pMethods else { return nil }
    var code = SQLITE_IOERR
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      code = methods.pointee.xRead(file, buffer.baseAddress, Int32(count), offset)
      initialized = code == SQLITE_OK ? count : 0
    }
    return code == SQLITE_OK ? bytes : nil
  }

  /// Returns nil if the file has no such page, or if it cannot be read.
  subscript(number: UInt32) -> DatabasePage? {
    guard number >= 1, number <= count else { return nil }
    return Self.read(size, of: file, at: Int64(number - 1) * Int64(size)).map {
      DatabasePage(bytes: $0, usable: usable)
    }
  }
}

/// One page of a table with row numbers, or of the rest of a large row. Any bytes are allowed.
struct DatabasePage: Equatable {
  let bytes: [UInt8]
  let usable: Int

  enum Kind: UInt8 {
    case interior = 5
    case leaf = 13
  }

  /// The rest of a row that one page cannot take.
  struct Overflow {
    /// The first page of the chain.
    var page: UInt32
    /// The number of pages.
    var count: Int
  }

  var kind: Kind? { Kind(rawValue: bytes[0]) }

  /// The page that follows in the chain of a large row.
  var following: UInt32 { number(at: 0) ?? 0 }

  /// The pages below an interior page; nil if the page is none.
  var children: [UInt32]? {
    guard kind == .interior, let cells = cells(after: 12), let last = number(at: 8) else { return nil }
    var children: [UInt32] = []
    for cell in cells {
      guard let child = number(at: cell) else { return nil }
      children.append(child)
    }
    return children + [last]
  }

  /// The numbers of the first and the last row of a leaf, and the rests of its rows; nil if the page is no leaf.
  var rows: (numbers: ClosedRange<Int64>?, overflows: [Overflow])? {
    guard kind == .leaf, let cells = cells(after: 8) else { return nil }
    var (numbers, overflows) = ([Int64](), [Overflow]())
    for cell in cells {
      guard let length = variableNumber(at: cell), let payload = UInt32(exactly: length.value).map(Int.init),
        let row = variableNumber(at: length.end)
      else { return nil }
      numbers.append(row.value)
      if payload <= usable - 35 { continue }
      let least = (usable - 12) * 32 / 255 - 23
      let wanted = least + (payload - least) % (usable - 4)
      let here = wanted <= usable - 35 ? wanted : least
      guard let page = number(at: row.end + here) else { return nil }
      overflows.append(Overflow(page: page, count: (payload - here + usable - 5) / (usable - 4)))
    }
    guard let first = numbers.min(), let last = numbers.max() else { return (nil, []) }
    return (first...last, overflows)
  }

  /// The places of the cells; nil if one is outside of the page.
  private func cells(after header: Int) -> [Int]? {
    let count = Int(bytes[3]) << 8 | Int(bytes[4])
    guard header + 2 * count <= usable else { return nil }
    let cells = (0..<count).map { Int(bytes[header + 2 * $0]) << 8 | Int(bytes[header + 2 * $0 + 1]) }
    return cells.allSatisfy { $0 < usable } ? cells : nil
  }

  private func number(at place: Int) -> UInt32? {
    guard place >= 0, place + 4 <= usable else { return nil }
    return bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// A number of one to nine bytes, whose last one has all its bits.
  private func variableNumber(at place: Int) -> (value: Int64, end: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place + index < usable else { return nil }
      let byte = bytes[place + index]
      if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(byte)), place + 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (Int64(bitPattern: value), place + index + 1) }
    }
    return nil
  }
}
