/// Accepts the intervals that a program marks for a profiler, and records nothing.
public struct OSSignposter: Sendable {
  /// Makes a signposter.
  public init() {}
  /// Makes a signposter.
  public init(logHandle: OSLog) {}
  /// Makes a signposter.
  public init(logger: Logger) {}
  /// Makes a signposter.
  public init(subsystem: String, category: String) {}
  /// Makes a signposter.
  public init(subsystem: String, category: OSLog.Category) {}

  /// False: no tool records intervals.
  public var isEnabled: Bool { false }
  /// Returns `.exclusive`, the only identity.
  public func makeSignpostID() -> OSSignpostID { .exclusive }
  /// Begins an interval.
  public func beginInterval(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage = ""
  ) -> OSSignpostIntervalState { OSSignpostIntervalState() }
  /// Ends an interval.
  public func endInterval(
    _ name: StaticString, _ state: OSSignpostIntervalState, _ message: @autoclosure () -> OSLogMessage = ""
  ) {}
  /// Marks a moment.
  public func emitEvent(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage = ""
  ) {}
  /// Calls `body`, and returns its result.
  public func withIntervalSignpost<Result, Failure: Error>(
    _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage = "",
    around body: () throws(Failure) -> Result
  ) throws(Failure) -> Result { try body() }
}

/// The identity of an interval.
public struct OSSignpostID: Sendable, Hashable {
  /// The only identity.
  public static let exclusive = OSSignpostID()
}

/// An interval that has begun.
public final class OSSignpostIntervalState: Sendable {}
