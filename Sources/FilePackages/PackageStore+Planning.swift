import DurableIO
public import FoundationEssentials
import SystemPackage

extension PackageStore {
  /// Says what making a package of `tree` at `url` would do, without touching anything.
  ///
  /// - Throws: as `create(_:at:contentType:)`, as far as it can be told beforehand.
  public static func plan(creating tree: FileWrapper, at url: URL) throws(FilePackageError) -> SavePlan {
    let location = Location(FilePath(lossless: url.path), on: PosixDisk())
    return try SavePlan(making: tree.snapshot()).withoutOurs(at: location).plan
  }
}
