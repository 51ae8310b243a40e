import DurableIO
import FilePackages
import SystemPackage

/// The files of a package's database, before SQLite opens them.
struct StoreFiles {
  let location: Location
  let name: String

  /// Checks that the database is a file with bytes in a folder of the package, and that its log and the log's index are
  /// files.
  ///
  /// SQLite would make an empty database anew, and it has no words for the other problems.
  func check() throws(FilePackageError) {
    let folder = PackagePath([PackageLayout.storeFolder])
    guard let status = try status(folder) else { throw problem(.noSuchFile, folder) }
    if status.kind != .directory { throw problem(.wrongKind, folder, "it is no folder") }
    let store = folder.appending(FileName(name))
    if try size(store) == nil { throw problem(.noSuchFile, store) }
    if try size(store) == 0 { throw problem(.invalidContent, store, "it is empty, and so no database") }
    for suffix in ["-wal", "-shm"] { _ = try size(folder.appending(FileName(name + suffix))) }
  }

  /// Returns the size of a file; nil if there is none.
  private func size(_ path: PackagePath) throws(FilePackageError) -> UInt64? {
    guard let status = try status(path) else { return nil }
    if status.kind != .file { throw problem(.wrongKind, path, "it is no file") }
    return status.size
  }

  private func status(_ path: PackagePath) throws(FilePackageError) -> FileStatus? {
    guard let name = path.name else { return nil }
    do throws(SystemError) {
      return try location.disk.statusIfPresent(of: name, in: location.openDirectory(path.parent))
    } catch {
      throw FilePackageError(error, .open, StoredNode(location: location, path: path))
    }
  }

  private func problem(
    _ code: FilePackageError.Code, _ path: PackagePath, _ reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, .open, StoredNode(location: location, path: path), reason: reason)
  }
}
