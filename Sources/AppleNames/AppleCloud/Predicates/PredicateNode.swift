import Foundation

/// A condition, as a format string describes it.
indirect enum PredicateNode: Sendable {
  case constant(Bool)
  case not(PredicateNode)
  case and(PredicateNode, PredicateNode)
  case or(PredicateNode, PredicateNode)
  case comparison(Comparison)

  /// One side of a comparison.
  enum Operand: Sendable {
    case value(AttributeValue)
    /// The names of an attribute and of its members; none for the object itself.
    case key([String])
  }

  /// The operators. Some are not here, since they are one of these with the sides exchanged.
  enum Operator: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case like, matches, beginsWith, endsWith, contains, isIn
  }

  struct Comparison: Sendable {
    var left: Operand
    var operation: Operator
    var right: Operand
    /// The differences that the comparison ignores.
    var options: String.CompareOptions = []
  }

  func matches(_ subject: PredicateSubject) -> Bool {
    switch self {
    case .constant(let value): value
    case .not(let node): !node.matches(subject)
    case .and(let one, let other): one.matches(subject) && other.matches(subject)
    case .or(let one, let other): one.matches(subject) || other.matches(subject)
    case .comparison(let comparison): comparison.matches(subject)
    }
  }
}

/// An object that a predicate looks at: an item of a query, a dictionary, or a value.
struct PredicateSubject {
  private let object: Any?

  init(_ object: Any?) { self.object = object }

  func value(of operand: PredicateNode.Operand) -> AttributeValue {
    switch operand {
    case .value(let value): value
    case .key(let names):
      names.dropFirst().reduce(value(of: names.first)) { $0.member($1) }
    }
  }

  private func value(of name: String?) -> AttributeValue {
    guard let name else { return AttributeValue(object) }
    switch object {
    case let item as NSMetadataItem: return AttributeValue(item.value(forAttribute: name))
    case let dictionary as [String: Any]: return AttributeValue(dictionary[name])
    default: return .none
    }
  }
}

extension PredicateNode.Comparison {
  func matches(_ subject: PredicateSubject) -> Bool {
    let (left, right) = (
      subject.value(of: left).folded(options), subject.value(of: right).folded(options)
    )
    switch operation {
    case .contains: return contains(left, right)
    case .isIn: return contains(right, left)
    case .notEqual: return !isTrue(.equal, left, right)
    default: return isTrue(operation, left, right)
    }
  }

  /// Returns whether a list has the value, or a text the part.
  private func contains(_ whole: AttributeValue, _ part: AttributeValue) -> Bool {
    switch (whole, part) {
    case (.list(let list), _): list.contains(part)
    case (.text(let text), .text(let part)): text.contains(part)
    default: false
    }
  }

  /// Compares a value; a list of values if one of them is as the other side.
  private func isTrue(
    _ operation: PredicateNode.Operator, _ left: AttributeValue, _ right: AttributeValue
  ) -> Bool {
    if case .list(let list) = left {
      if case .list = right { return operation == .equal && left == right }
      return list.contains { isTrue(operation, $0, right) }
    }
    switch (operation, left, right) {
    case (.equal, _, _): return left == right
    case (.like, .text(let text), .text(let pattern)): return text.matches(pattern.expressionOfWildcards)
    case (.matches, .text(let text), .text(let pattern)): return text.matches(pattern)
    case (.beginsWith, .text(let text), .text(let part)): return part.isEmpty || text.hasPrefix(part)
    case (.endsWith, .text(let text), .text(let part)): return part.isEmpty || text.hasSuffix(part)
    default: break
    }
    guard let order = left.order(right) else { return false }
    return switch operation {
    case .less: order == .orderedAscending
    case .lessOrEqual: order != .orderedDescending
    case .greater: order == .orderedDescending
    case .greaterOrEqual: order != .orderedAscending
    default: false
    }
  }
}

extension String {
  /// Returns whether a regular expression matches the whole text.
  fileprivate func matches(_ expression: String) -> Bool {
    precomposedStringWithCanonicalMapping.range(
      of: "\\A(?:\(expression.precomposedStringWithCanonicalMapping))\\z", options: .regularExpression) != nil
  }

  /// The regular expression of a pattern of `LIKE`: `?` is one character, `*` any number of them, and a backslash takes
  /// the next one as it is.
  fileprivate var expressionOfWildcards: String {
    var (expression, isEscaped) = ("", false)
    for character in self {
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "*" where !isEscaped: expression += "(?s:.*)"
      case "?" where !isEscaped: expression += "\\X"
      default: expression += NSRegularExpression.escapedPattern(for: String(character))
      }
      isEscaped = false
    }
    return expression
  }
}
