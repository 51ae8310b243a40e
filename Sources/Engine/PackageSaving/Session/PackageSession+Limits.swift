import DurableIO
import FileTrees

extension PackageSession {
  /// The name of a folder among the staged files, for a trial.
  static let trial: FileName = "trial"

  /// Returns the limits of the file system; asks only once, so that no save asks again.
  func limits() throws(SystemError) -> DiskLimits {
    if let knownLimits { return knownLimits }
    let limits = try disk.limits(of: hidden.staging.descriptor)
    knownLimits = limits
    return limits
  }
}
