import CSQLiteSession
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The bytes of the files in a package, which this process may have open as databases.
///
/// The system ends all locks of a process on a file when the process closes one descriptor of it. SQLite knows that, and
/// closes a descriptor only after the last lock. So SQLite opens and reads these files, without a lock of its own.
actor DatabaseBytes: NearbyBytes {
  private nonisolated let executor = BlockingExecutor()
  private let package: Location
  private var files: [PackagePath: DatabaseFile] = [:]

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(ofPackageAt path: FilePath) { package = Location(path, on: PosixDisk()) }

  func bytes(of path: PackagePath, in range: Range<UInt64>) -> Data? {
    if files[path] == nil {
      files[path] = isFile(path) ? DatabaseFile(StoredNode(location: package, path: path)) : nil
    }
    return files[path]?.bytes(in: range)
  }

  /// Returns whether a regular file is at a path. If the system does not say so, the bytes come from elsewhere.
  private func isFile(_ path: PackagePath) -> Bool {
    guard let name = path.name, let folder = try? package.openDirectory(path.parent) else { return false }
    return (try? package.disk.statusIfPresent(of: name, in: folder))??.kind == .file
  }
}

/// A file that SQLite has open for reading, without a lock.
private final class DatabaseFile {
  private let connection: OpaquePointer

  /// Returns nil if SQLite cannot open the file.
  init?(_ node: StoredNode) {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(
      StoreReader.immutable(node.filePath.string), &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    guard code == SQLITE_OK, let connection else {
      sqlite3_close_v2(connection)
      return nil
    }
    self.connection = connection
  }

  deinit { sqlite3_close_v2(connection) }

  /// Returns the bytes in a range; nil if SQLite cannot read all of them.
  func bytes(in range: Range<UInt64>) -> Data? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let read = file.pointee.pMethods?.pointee.xRead,
      let offset = Int64(exactly: range.lowerBound), let count = Int32(exactly: range.count)
    else { return nil }
    var bytes = Data(count: range.count)
    let code = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, count, offset) }
    return code == SQLITE_OK ? bytes : nil
  }
}
