import Foundation

/// A value of an attribute, or one that it is compared with.
enum AttributeValue: Sendable, Equatable {
  case none
  case text(String)
  case number(Double)
  case date(Date)
  case list([AttributeValue])

  /// Takes the values that attributes and arguments have. Anything else has no value.
  init(_ value: Any?) {
    switch value {
    case let text as String: self = .text(text)
    case let number as NSNumber: self = .number(number.doubleValue)
    case let date as Date: self = .date(date)
    case let url as URL: self = .text(url.absoluteString)
    case let list as [Any]: self = .list(list.map { AttributeValue($0) })
    default: self = .none
    }
  }

  /// Returns the order of two values of one kind; nil for values of two kinds, or without one.
  func order(_ other: AttributeValue) -> ComparisonResult? {
    switch (self, other) {
    case (.text(let one), .text(let other)): .of(one, other)
    case (.number(let one), .number(let other)): .of(one, other)
    case (.date(let one), .date(let other)): .of(one, other)
    default: nil
    }
  }

  /// Returns the value without the differences that a comparison ignores.
  func folded(_ options: String.CompareOptions) -> AttributeValue {
    switch self {
    case .text(let text) where !options.isEmpty: .text(text.folding(options: options, locale: nil))
    case .list(let list): .list(list.map { $0.folded(options) })
    default: self
    }
  }
}

extension ComparisonResult {
  fileprivate static func of<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
    one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
  }
}
