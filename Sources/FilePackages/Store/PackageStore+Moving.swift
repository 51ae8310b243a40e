public import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Continues with the package at `url`, after another program moved it there.
  ///
  /// Later saves go there, and the tree reads its unread children there.
  ///
  /// - Throws: `changedOnDisk` if the package at `url` is not the one that this store knows; the store then stays as it
  ///   was.
  public func follow(to url: URL) throws(FilePackageError) {
    let path = try FilePath(of: url, for: .open)
    guard isPackage(at: Location(path, on: location.disk)) else {
      throw FilePackageError(
        .changedOnDisk, .open, document: url.path, reason: "it is not the package that was opened")
    }
    location.path = path
  }
}
