import Foundation

/// A log of one part of a program, on standard error.
///
/// Counterpart of Apple's `OSLog`. Each message is one line, `subsystem:category: message`. Messages of the types
/// `info` and `debug` are not written, as no terminal shows them on Apple's systems.
public final class OSLog: Sendable {
  /// The log of messages without a subsystem.
  public static let `default` = OSLog(prefix: "", isEnabled: true)
  /// A log that writes no message.
  public static let disabled = OSLog(prefix: "", isEnabled: false)

  private let prefix: String
  private let isEnabled: Bool

  private init(prefix: String, isEnabled: Bool) {
    self.prefix = prefix
    self.isEnabled = isEnabled
  }

  /// Makes a log for one part of a program.
  public convenience init(subsystem: String, category: String) {
    self.init(prefix: "\(subsystem):\(category): ", isEnabled: true)
  }

  /// Returns whether messages of this type are written.
  public func isEnabled(type: OSLogType) -> Bool { isEnabled && type.isWritten }

  /// Writes a message; makes its text only if the type is written.
  func write(_ type: OSLogType, _ text: () -> String) {
    guard isEnabled(type: type) else { return }
    let line = "\(prefix)\(text())\n"
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))  // No log can have this error.
  }
}

/// Writes a message with C's format and Apple's annotations, such as `%{public}@`.
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
  _ arguments: any CVarArg...
) {
  log.write(type) {
    String(format: "\(message)".replacing(/%\{[^}]*\}/, with: "%"), arguments: arguments)
  }
}

/// Writes a message of the type `default`.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) { OSLog.default.write(.default) { message.text } }

/// Writes a message of a type.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
  log.write(type) { message.text }
}
