public import Foundation

// Foundation on Linux marks these initialisers as unavailable, so that a call finds those of this module.

extension NSPredicate {
  /// Makes the predicate of a format string, for items of an `NSMetadataQuery` and for dictionaries of type
  /// `[String: Any]`.
  ///
  /// It knows the operators `=`, `==`, `!=`, `<>`, `<`, `<=`, `>`, `>=`, `LIKE`, `MATCHES`, `BEGINSWITH`, `ENDSWITH`,
  /// `CONTAINS` and `IN`, with `[c]`, `[d]` and `[cd]`; `AND`, `OR`, `NOT` and brackets; `SELF`, texts, numbers,
  /// `TRUE`, `FALSE` and `NIL`; `%@`, `%K`, and formats of numbers such as `%d`. A name may end with `.pathExtension`.
  ///
  /// A format that cannot be read ends the program with the reason, as Apple's does.
  public convenience init(format predicateFormat: String, _ arguments: Any...) {
    self.init(format: predicateFormat, argumentArray: arguments)
  }

  /// Makes the predicate of a format string, as `init(format:_:)`.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    let condition: PredicateParser.Condition
    do {
      condition = try PredicateParser.parse(predicateFormat, arguments ?? [])
    } catch {
      preconditionFailure("\(error)")
    }
    self.init { object, _ in condition(object) }
  }
}
