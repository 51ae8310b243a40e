import DurableIO
import FilePackages

/// The write-ahead log of a database in `StoreContent`, or the index of the log.
///
/// The container has neither: an upload first brings the log into the database.
struct DatabaseLog {
  private static let (log, index) = (Array("-wal".utf8), Array("-shm".utf8))

  /// Whether the log may have transactions that the database lacks.
  let hasTransactions: Bool

  /// Looks at a file; nil if it is no such file of a database beside it.
  init?(_ name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk) throws(SystemError) {
    let ending = Array(name.bytes.suffix(Self.log.count))
    guard ending == Self.log || ending == Self.index,
      try disk.exists(FileName(bytes: Array(name.bytes.dropLast(ending.count))), in: folder)
    else { return nil }
    let size = try disk.statusIfPresent(of: name, in: folder)?.size ?? 0
    hasTransactions = ending == Self.log && size > 0
  }
}
