import DurableIO
import FileTrees
import PackageFormat

// A session asks once about the limits of its file system, so that no save asks again.
extension PackageSession {
  /// The answers of the file system so far.
  struct Asked {
    fileprivate var limits: DiskLimits?
    /// The folders that belong to the same project as the staging folder.
    package fileprivate(set) var folders: Set<PackagePath> = []
  }

  /// The name of a folder among the staged files, for a trial.
  static let trial: FileName = "trial"

  /// Returns the limits of the file system.
  func limits() throws(SystemError) -> DiskLimits {
    if let known = asked.limits { return known }
    let limits = try disk.limits(of: hidden.staging.descriptor)
    asked.limits = limits
    return limits
  }

  /// Returns whether a folder belongs to the same project as the staging folder: if not, nothing can be renamed between
  /// the two.
  func isInProject(_ folder: OpenNode, _ path: PackagePath) throws(SystemError) -> Bool {
    if asked.folders.contains(path) { return true }
    guard try disk.project(of: folder.descriptor) == disk.project(of: hidden.staging.descriptor) else {
      return false
    }
    asked.folders.insert(path)
    return true
  }
}
