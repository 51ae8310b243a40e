public import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Goes on with the package where somebody moved it: saves go there from now on, and what was not read yet is read
  /// there.
  ///
  /// - Throws: `changedOnDisk` when the package that this store knows is not at `url`; the store is then as it was.
  public func follow(to url: URL) throws(FilePackageError) {
    let path = try FilePath(of: url, for: .open)
    guard isPackage(at: Location(path, on: location.disk)) else {
      throw FilePackageError(
        .changedOnDisk, .open, document: url.path, reason: "it is not the package that was opened")
    }
    location.path = path
  }
}
