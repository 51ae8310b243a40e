/// Writes the messages of one part of a program to standard error.
///
/// Counterpart of Apple's `Logger`, over `OSLog`.
public struct Logger: Sendable {
  private let log: OSLog

  /// Makes a logger without a subsystem.
  public init() { self.init(.default) }
  /// Makes a logger that writes to this log.
  public init(_ log: OSLog) { self.log = log }
  /// Makes a logger that begins each line with `subsystem:category:`.
  public init(subsystem: String, category: String) {
    self.init(OSLog(subsystem: subsystem, category: category))
  }

  /// Writes a message of the type `default`.
  public func log(_ message: @autoclosure () -> OSLogMessage) { log(level: .default, message()) }
  /// Writes a message of this type.
  public func log(level: OSLogType, _ message: @autoclosure () -> OSLogMessage) {
    log.write(level) { message().text }
  }
  /// Writes nothing, as for each message of the types `debug` and `info`.
  public func trace(_ message: @autoclosure () -> OSLogMessage) { log(level: .debug, message()) }
  /// Writes nothing, as for each message of the types `debug` and `info`.
  public func debug(_ message: @autoclosure () -> OSLogMessage) { log(level: .debug, message()) }
  /// Writes nothing, as for each message of the types `debug` and `info`.
  public func info(_ message: @autoclosure () -> OSLogMessage) { log(level: .info, message()) }
  /// Writes a message of the type `default`.
  public func notice(_ message: @autoclosure () -> OSLogMessage) { log(level: .default, message()) }
  /// Writes a message of the type `error`.
  public func warning(_ message: @autoclosure () -> OSLogMessage) { log(level: .error, message()) }
  /// Writes a message of the type `error`.
  public func error(_ message: @autoclosure () -> OSLogMessage) { log(level: .error, message()) }
  /// Writes a message of the type `fault`.
  public func critical(_ message: @autoclosure () -> OSLogMessage) { log(level: .fault, message()) }
  /// Writes a message of the type `fault`.
  public func fault(_ message: @autoclosure () -> OSLogMessage) { log(level: .fault, message()) }
}
