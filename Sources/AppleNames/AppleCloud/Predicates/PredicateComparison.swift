import Foundation

/// The operators of a predicate.
enum PredicateComparison {
  typealias Comparison = @Sendable (AttributeValue, AttributeValue) -> Bool

  /// The operators by their names.
  static let named: [String: Comparison] = {
    let symbols: [String: Comparison] = [
      "=": any(==), "==": any(==), "!=": { !any(==)($0, $1) }, "<>": { !any(==)($0, $1) },
      "<": ordered { $0 == .orderedAscending }, ">": ordered { $0 == .orderedDescending },
      "<=": ordered { $0 != .orderedDescending }, "=<": ordered { $0 != .orderedDescending },
      ">=": ordered { $0 != .orderedAscending }, "=>": ordered { $0 != .orderedAscending },
    ]
    let words: [String: Comparison] = [
      "LIKE": text { $0.matches($1.expressionOfWildcards) }, "MATCHES": text { $0.matches($1) },
      "BEGINSWITH": text { $1.isEmpty || $0.hasPrefix($1) },
      "ENDSWITH": text { $1.isEmpty || $0.hasSuffix($1) },
      "CONTAINS": { contains($0, $1) }, "IN": { contains($1, $0) },
    ]
    return symbols.merging(words) { one, _ in one }
  }()

  /// Compares a value; a list of values if one of them is as the other side.
  private static func any(_ comparison: @escaping Comparison) -> Comparison {
    { left, right in
      if case .list(let list) = left, comparison(left, right) == false {
        return list.contains { comparison($0, right) }
      }
      return comparison(left, right)
    }
  }

  private static func ordered(_ isTrue: @escaping @Sendable (ComparisonResult) -> Bool) -> Comparison {
    any { left, right in left.order(right).map(isTrue) ?? false }
  }

  private static func text(_ isTrue: @escaping @Sendable (String, String) -> Bool) -> Comparison {
    any { left, right in
      if case (.text(let text), .text(let other)) = (left, right) { isTrue(text, other) } else { false }
    }
  }

  /// Returns whether a list has the value, or a text the part.
  private static func contains(_ whole: AttributeValue, _ part: AttributeValue) -> Bool {
    switch (whole, part) {
    case (.list(let list), _): list.contains(part)
    case (.text(let text), .text(let part)): text.contains(part)
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
