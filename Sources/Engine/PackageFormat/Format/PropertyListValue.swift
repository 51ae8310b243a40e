public import FoundationEssentials

/// Any value of a property list, so that unknown keys keep their values.
///
/// A real number without a fraction is read as an integer.
public enum PropertyListValue: Sendable, Hashable {
  /// `<true/>` or `<false/>`.
  case boolean(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer beyond `Int64`.
  case unsigned(UInt64)
  /// A number with a fraction.
  case real(Double)
  /// A text.
  case string(String)
  /// A date, to the second in an XML plist.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// An array.
  case array([PropertyListValue])
  /// A dictionary.
  case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
  /// The value as one kind; nil if it is of another one.
  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var array: [PropertyListValue]? { if case .array(let values) = self { values } else { nil } }
}

extension PropertyListValue: Codable {
  /// Reads a value of any kind.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Each attempt but the last may fail: the value is then of another kind.
    if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else if let value = try? container.decode([PropertyListValue].self) {
      self = .array(value)
    } else {
      self = .dictionary(try container.decode([String: PropertyListValue].self))
    }
  }

  /// Writes the value as its own kind.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .dictionary(let value): try container.encode(value)
    }
  }
}
