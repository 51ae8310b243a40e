import Foundation

/// Whether a message has a value or `<private>` in its place.
public struct OSLogPrivacy: Sendable, Equatable {
  private enum Kind { case auto, shown, hidden }

  /// The replacement of a hidden value on Apple's systems. It has no effect here: the replacement is `<private>`.
  public enum Mask: Sendable {
    /// A hash.
    case hash
    /// Nothing.
    case none
  }

  private let kind: Kind

  /// Shows the value, as a debugger's console does.
  public static let auto = OSLogPrivacy(kind: .auto)
  /// Shows the value.
  public static let `public` = OSLogPrivacy(kind: .shown)
  /// Writes `<private>`.
  public static let `private` = OSLogPrivacy(kind: .hidden)
  /// Writes `<private>`.
  public static let sensitive = OSLogPrivacy(kind: .hidden)

  /// Shows the value.
  public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
  /// Writes `<private>`.
  public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
  /// Writes `<private>`.
  public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }

  func text(_ value: String) -> String { kind == .hidden ? "<private>" : value }
}

/// The form of a floating-point number.
public struct OSLogFloatFormatting: Sendable {
  let precision: Int?

  /// The number's description in Swift.
  public static let fixed = OSLogFloatFormatting(precision: nil)
  /// With a number of digits after the decimal point.
  public static func fixed(precision: Int) -> OSLogFloatFormatting {
    OSLogFloatFormatting(precision: precision)
  }
}

/// The form of an integer.
public struct OSLogIntegerFormatting: Sendable {
  let radix: Int

  /// With the base 10.
  public static let decimal = OSLogIntegerFormatting(radix: 10)
  /// With the base 16.
  public static let hex = OSLogIntegerFormatting(radix: 16)
  /// With the base 8.
  public static let octal = OSLogIntegerFormatting(radix: 8)
}

/// A message with values.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// The message as one text.
  package let text: String

  /// Makes a message without values.
  public init(stringLiteral value: String) { text = value }
  /// Makes a message with values.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Collects the parts of a message.
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    /// Makes an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Adds a text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a value.
    public mutating func appendInterpolation<Value>(_ value: Value, privacy: OSLogPrivacy = .auto) {
      text += privacy.text("\(value)")
    }

    /// Adds a number in a form.
    public mutating func appendInterpolation<Value: BinaryFloatingPoint>(
      _ value: Value, format: OSLogFloatFormatting, privacy: OSLogPrivacy = .auto
    ) {
      let number = format.precision.map { String(format: "%.\($0)f", Double(value)) } ?? "\(value)"
      text += privacy.text(number)
    }

    /// Adds a number in a form.
    public mutating func appendInterpolation<Value: BinaryInteger>(
      _ value: Value, format: OSLogIntegerFormatting, privacy: OSLogPrivacy = .auto
    ) {
      text += privacy.text(String(value, radix: format.radix))
    }
  }
}
