/// Whether a message has a value or `<private>` in its place.
public struct OSLogPrivacy: Sendable, Equatable {
  private let isHidden: Bool

  /// Shows the value, as a debugger's console does.
  public static let auto = OSLogPrivacy(isHidden: false)
  /// Shows the value.
  public static let `public` = OSLogPrivacy(isHidden: false)
  /// Writes `<private>`.
  public static let `private` = OSLogPrivacy(isHidden: true)
  /// Writes `<private>`.
  public static let sensitive = OSLogPrivacy(isHidden: true)

  func text(_ value: String) -> String { isHidden ? "<private>" : value }
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
  }
}
