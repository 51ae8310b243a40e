extension StringProtocol {
  /// Returns the text without the characters at its ends that are outside, by default white space.
  package func trimmed(_ isOutside: (Character) -> Bool = { $0.isWhitespace }) -> String {
    let start = drop(while: isOutside)
    guard let end = start.lastIndex(where: { !isOutside($0) }) else { return "" }
    return String(start[...end])
  }
}
