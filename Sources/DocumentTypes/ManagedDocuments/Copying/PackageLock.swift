import DurableIO
import FilePackages
import Synchronization
import SystemPackage

/// The lock of a package, so that no publisher changes its files.
final class PackageLock: Sendable {
  private let hidden: Mutex<HiddenFolder?>

  private init(_ hidden: sending HiddenFolder) { self.hidden = Mutex(hidden) }

  deinit { release() }

  /// Takes the lock. It may block its thread.
  ///
  /// - Returns: nil if this program cannot write to the package. No other program changes a package on a read-only disk.
  static func take(_ location: Location) throws(SystemError) -> PackageLock? {
    do {
      return PackageLock(try HiddenFolder.open(location, on: location.disk, LockWait()))
    } catch  where [.readOnlyFileSystem, .permissionDenied, .notPermitted].contains(error.code) {
      return nil
    }
  }

  /// Releases the lock, and leaves the package as it was.
  func release() {
    guard let hidden = hidden.withLock({ $0.take() }) else { return }
    defer { hidden.unlock() }
    // A folder that stays does no harm.
    try? hidden.removeTracesUnlessStaged()
  }
}

extension HiddenFolder {
  /// Removes what only an open document has, unless a publisher left a file: it may be another program's (MP3).
  func removeTracesUnlessStaged() throws(SystemError) {
    if try disk.list(staging.descriptor).count == 0 { try removeTraces() }
  }
}
