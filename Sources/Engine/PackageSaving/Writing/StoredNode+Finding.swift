package import DurableIO
package import FileTrees
package import PackageFormat
package import SystemPackage

extension StoredNode {
  /// Returns the node of a document at `path`; follows a symbolic link.
  package static func find(_ path: FilePath, on disk: any Disk) throws(FilePackageError) -> StoredNode {
    do {
      return try look(at: path, following: true, on: disk)
    } catch {
      throw error.during(.open)
    }
  }
}
