import Glibc

/// A database of the system's SQLite, whose library is loaded at run time.
final class SQLiteDatabase {
  private let library: SQLiteLibrary
  private let connection: OpaquePointer

  /// - Throws: `StrategyUnavailable` if there is no library; otherwise SQLite's error.
  init(at path: String) throws {
    library = try SQLiteLibrary()
    var connection: OpaquePointer?
    let code = library.open(path, &connection)
    guard let connection else { throw SQLiteError(description: "it cannot be opened (\(code))") }
    self.connection = connection
    try check(code)
  }

  deinit {
    _ = library.close(connection)  // A `deinit` cannot report it.
  }

  /// The library's version, such as `3.40.1`.
  var version: String { String(cString: library.version()) }

  /// Runs statements without results.
  func run(_ sql: String) throws {
    try check(library.execute(connection, sql, nil, nil, nil))
  }

  func prepare(_ sql: String) throws -> Statement {
    var statement: OpaquePointer?
    try check(library.prepare(connection, sql, -1, &statement, nil))
    guard let statement else { throw SQLiteError(description: "'\(sql)' is not a statement") }
    return Statement(self, statement)
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else {
      throw SQLiteError(description: "\(String(cString: library.message(connection))) (\(code))")
    }
  }

  /// A statement that can run any number of times.
  final class Statement {
    private let database: SQLiteDatabase
    private let statement: OpaquePointer

    fileprivate init(_ database: SQLiteDatabase, _ statement: OpaquePointer) {
      self.database = database
      self.statement = statement
    }

    deinit {
      _ = database.library.finalize(statement)  // It repeats the code of the last step.
    }

    /// Runs the statement with these values: `?1` is a blob, `?2` a name.
    func run(_ blob: UnsafeRawBufferPointer, _ name: String) throws {
      let library = database.library
      try name.withCString { text in
        // There is no destructor, because both values outlive the run of the statement.
        try database.check(library.bindBlob(statement, 1, blob.baseAddress, Int32(blob.count), nil))
        try database.check(library.bindText(statement, 2, text, -1, nil))
        let code = library.step(statement)
        _ = library.reset(statement)  // It repeats the code of the step.
        guard code == SQLiteLibrary.done else { return try database.check(code) }
      }
    }

    /// Calls `body` with the first two columns of each row: a blob and a name.
    func forEachRow(_ body: (UnsafeRawBufferPointer, String) throws -> Void) throws {
      let library = database.library
      defer { _ = library.reset(statement) }  // It repeats the code of the last step.
      while true {
        let code = library.step(statement)
        if code == SQLiteLibrary.done { return }
        guard code == SQLiteLibrary.row else { return try database.check(code) }
        let blob = UnsafeRawBufferPointer(
          start: library.columnBlob(statement, 0), count: Int(library.columnBytes(statement, 0)))
        try body(blob, library.columnText(statement, 1).map { String(cString: $0) } ?? "")
      }
    }
  }
}

struct SQLiteError: Error, CustomStringConvertible {
  var description: String
}

/// The functions of the system's SQLite, found at run time, so that the library is no dependency.
private struct SQLiteLibrary {
  static let row: Int32 = 100
  static let done: Int32 = 101

  typealias Text = UnsafePointer<CChar>
  typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

  let version: @convention(c) () -> Text
  let open: @convention(c) (Text, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  let close: @convention(c) (OpaquePointer) -> Int32
  let message: @convention(c) (OpaquePointer) -> Text
  let execute: @convention(c) (OpaquePointer, Text, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Int32
  let prepare:
    @convention(c) (
      OpaquePointer, Text, Int32, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?
    ) -> Int32
  let bindBlob: @convention(c) (OpaquePointer, Int32, UnsafeRawPointer?, Int32, Destructor?) -> Int32
  let bindText: @convention(c) (OpaquePointer, Int32, Text, Int32, Destructor?) -> Int32
  let step: @convention(c) (OpaquePointer) -> Int32
  let reset: @convention(c) (OpaquePointer) -> Int32
  let finalize: @convention(c) (OpaquePointer) -> Int32
  let columnBlob: @convention(c) (OpaquePointer, Int32) -> UnsafeRawPointer?
  let columnBytes: @convention(c) (OpaquePointer, Int32) -> Int32
  let columnText: @convention(c) (OpaquePointer, Int32) -> Text?

  /// Loads the library, which stays in memory until the process ends.
  init() throws(StrategyUnavailable) {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else {
      throw StrategyUnavailable(description: "this machine has no libsqlite3.so.0")
    }
    // Each type is the one that SQLite documents for the function of that name.
    func function<Function>(_ name: String) throws(StrategyUnavailable) -> Function {
      guard let address = dlsym(library, "sqlite3_\(name)") else {
        throw StrategyUnavailable(description: "this machine's SQLite has no sqlite3_\(name)")
      }
      return unsafeBitCast(address, to: Function.self)
    }
    version = try function("libversion")
    open = try function("open")
    close = try function("close_v2")
    message = try function("errmsg")
    execute = try function("exec")
    prepare = try function("prepare_v2")
    bindBlob = try function("bind_blob")
    bindText = try function("bind_text")
    step = try function("step")
    reset = try function("reset")
    finalize = try function("finalize")
    columnBlob = try function("column_blob")
    columnBytes = try function("column_bytes")
    columnText = try function("column_text")
  }
}
