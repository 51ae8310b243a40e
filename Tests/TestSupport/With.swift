/// Returns a value after a change.
package func with<Value>(_ value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
  var value = value
  try change(&value)
  return value
}
