/// A format string that was read.
package struct PredicateFormat: Sendable {
  private let condition: PredicateParser.Condition

  /// Reads a format string, and puts the arguments in.
  package init(_ format: String, _ arguments: [Any]) throws(PredicateFormatError) {
    condition = try PredicateParser.parse(format, arguments)
  }

  /// Returns whether the condition is true for an item of a query, a dictionary or a value.
  package func matches(_ object: Any?) -> Bool { condition(object) }
}

/// The reason why a format string is no predicate.
package struct PredicateFormatError: Error, Equatable, CustomStringConvertible {
  let format: String
  let reason: String

  package var description: String { "The predicate '\(format)' cannot be read: \(reason)." }
}
