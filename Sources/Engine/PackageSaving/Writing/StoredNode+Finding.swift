package import DurableIO
package import FileTrees
package import PackageFormat
package import SystemPackage

extension StoredNode {
  /// Returns the node of a document at `path`; follows a symbolic link.
  ///
  /// It puts back a document that a crash left under its hidden name.
  package static func find(_ path: FilePath, on disk: any Disk) throws(FilePackageError) -> StoredNode {
    do {
      return try look(at: path, following: true, on: disk)
    } catch {
      guard error.code == .noSuchFile, let last = path.lastComponent, last.kind == .regular,
        // After any error here the package is still not found.
        let folder = try? disk.openDirectory(at: path.folder),
        (try? TemporarySiblings(of: FileName(last), on: disk).recover(in: folder)) != nil
      else { throw error.during(.open) }
    }
    do {
      return try look(at: path, following: true, on: disk)
    } catch {
      throw error.during(.open)
    }
  }
}
