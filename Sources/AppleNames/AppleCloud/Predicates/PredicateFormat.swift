/// A format string that was read.
package struct PredicateFormat: Sendable {
  private let node: PredicateNode

  /// Reads a format string, and puts the arguments in.
  package init(_ format: String, _ arguments: [Any]) throws(PredicateFormatError) {
    node = try PredicateParser.parse(format, arguments)
  }

  /// Returns whether the condition is true for an item of a query, a dictionary or a value.
  package func matches(_ object: Any?) -> Bool { node.matches(PredicateSubject(object)) }
}
