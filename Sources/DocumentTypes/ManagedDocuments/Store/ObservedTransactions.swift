import GRDB
import Synchronization

/// The transactions that the observers of a store know, as SQLite counts them.
///
/// `PRAGMA data_version` of a connection is another number if another connection has committed. So the number of the
/// pool's writer stays the same with the edits and saves of this store.
final class ObservedTransactions: Sendable {
  private let version: Mutex<Int>

  /// Called on the pool's writer.
  init(of writer: Database) throws { version = Mutex(try Self.version(of: writer)) }

  private static func version(of db: Database) throws -> Int {
    guard let version = try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "PRAGMA data_version")
    }
    return version
  }

  /// Calls `body` if another connection has committed since the last call; called on the pool's writer.
  ///
  /// - Returns: nil if there was no such commit. If `body` throws, the next call looks again.
  func ifNew<Result>(on writer: Database, _ body: () throws -> Result) throws -> Result? {
    let now = try Self.version(of: writer)
    if now == version.withLock({ $0 }) { return nil }
    let result = try body()
    version.withLock { $0 = now }
    return result
  }

  /// A transaction of the store's own other connection, while it runs.
  struct OwnTransaction {
    fileprivate var version: Int
    /// Whether the observers know all transactions before it.
    fileprivate var isKnown: Bool
  }

  /// Begins a transaction or a checkpoint on another connection of this store; called within a transaction.
  func begin(on db: Database, _ writer: Database) throws -> OwnTransaction {
    // In this order: a commit between both makes the last number another one.
    let version = try Self.version(of: db)
    let before = try Self.version(of: writer)
    return OwnTransaction(version: version, isKnown: before == self.version.withLock { $0 })
  }

  /// Counts a transaction as known, unless another program committed before or after it.
  func end(_ own: OwnTransaction, on db: Database, _ writer: Database) throws {
    let now = try Self.version(of: writer)
    // In this order: a commit between both makes the last number another one.
    guard own.isKnown, try Self.version(of: db) == own.version else { return }
    version.withLock { $0 = now }
  }
}
