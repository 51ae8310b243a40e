package import Testing

/// Kinds of suites. `make check` leaves out the suites with `process` or `scale`.
extension Tag {
  /// Power cuts, kills, and calls to the disk that fail.
  @Tag package static var crash: Self
  /// Suites that start other processes.
  @Tag package static var process: Self
  /// Suites of large sizes, or of work that takes seconds.
  @Tag package static var scale: Self
}
