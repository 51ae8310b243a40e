import Glibc

/// The system's cache of file contents.
enum KernelPageCache {
  /// Drops the cache, with its names and inodes. Data that is not written yet stays.
  ///
  /// - Throws: `StrategyUnavailable` for any user but root.
  static func drop() throws(StrategyUnavailable) {
    sync()
    let file = open("/proc/sys/vm/drop_caches", O_WRONLY)
    guard file >= 0 else { throw refused }
    defer { close(file) }
    guard write(file, "3", 1) == 1 else { throw refused }
  }

  private static var refused: StrategyUnavailable {
    StrategyUnavailable(
      description:
        "only root can empty the page cache: \(String(cString: strerror(errno)))")
  }
}
