/// The severity of a message. The names and numbers are those of Apple's `OSLogType`.
public struct OSLogType: RawRepresentable, Equatable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt8
  /// Makes a type with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Makes a type with this number.
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// A message that is written.
  public static let `default` = OSLogType(0)
  /// A message that is not written.
  public static let info = OSLogType(1)
  /// A message that is not written.
  public static let debug = OSLogType(2)
  /// An error.
  public static let error = OSLogType(16)
  /// A mistake in the program itself.
  public static let fault = OSLogType(17)

  /// Whether a message of this type is written.
  var isWritten: Bool { self != .info && self != .debug }
}
