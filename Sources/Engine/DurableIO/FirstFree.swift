/// Returns the first of `name(start)`, `name(start + 1)`, … that is not taken.
package func firstFree<Name>(
  from start: Int = 1, _ name: (Int) -> Name, isTaken: (Name) throws -> Bool
) rethrows -> Name {
  var number = start
  while true {
    let candidate = name(number)
    if try !isTaken(candidate) { return candidate }
    number += 1
  }
}
