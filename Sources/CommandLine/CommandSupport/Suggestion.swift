/// Returns ` Did you mean 'verify'?` for the end of a sentence; empty if no name is near.
package func didYouMean(_ name: String, among names: some Sequence<String>) -> String {
  nearest(to: name, among: names).map { " Did you mean '\(display($0))'?" } ?? ""
}

/// Returns the name nearest to a mistyped one, if few letters differ; case does not matter.
package func nearest(to name: String, among names: some Sequence<String>) -> String? {
  let typed = Array(name.lowercased())
  let limit = max(1, typed.count / 3)
  var best: (name: String, distance: Int)?
  for candidate in names where candidate != name {
    let letters = Array(candidate.lowercased())
    if abs(letters.count - typed.count) > limit { continue }
    let distance = editDistance(typed, letters)
    if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.name
}

/// Returns the least number of letters to add, remove, replace, or exchange with the next letter.
private func editDistance(_ first: [Character], _ second: [Character]) -> Int {
  var before: [Int] = []
  var last = Array(0...second.count)
  for row in first.indices {
    var next = [row + 1]
    for column in second.indices {
      let isSame = first[row] == second[column]
      var distance = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, next[column] + 1)
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        distance = min(distance, before[column - 1] + 1)
      }
      next.append(distance)
    }
    (before, last) = (last, next)
  }
  return last[second.count]
}
