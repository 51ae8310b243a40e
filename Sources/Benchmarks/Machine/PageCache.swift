import Glibc

/// What the system keeps in memory of what it has read.
enum PageCache {
  /// Makes the system forget it, with the names and the inodes that it knows. What was not written yet stays.
  ///
  /// - Throws: `StrategyUnavailable` for anybody but root.
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
        "only root can make the system forget what it has read: \(String(cString: strerror(errno)))")
  }
}
