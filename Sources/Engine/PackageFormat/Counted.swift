/// Returns a number with its noun, such as `1 child` and `2 children`.
///
/// - Parameter many: the plural; nil for one with an s.
package func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? one : many ?? one + "s")"
}
