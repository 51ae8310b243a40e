/// A text cut into lines, each with its own end: a line feed, a carriage return, or both. The last line may have none.
///
/// These cuts divide no character: neither one of several bytes nor one of several scalars.
package struct TextLines {
  let bytes: [UInt8]
  /// The end of each line.
  let ends: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var ends: [Int] = []
    for index in bytes.indices {
      switch bytes[index] {
      case UInt8(ascii: "\n"): ends.append(index + 1)
      case UInt8(ascii: "\r") where index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n"):
        ends.append(index + 1)
      default: break
      }
    }
    if let last = ends.last ?? (bytes.isEmpty ? nil : 0), last < bytes.count { ends.append(bytes.count) }
    self.ends = ends
  }

  var count: Int { ends.count }

  /// Returns the bytes of some lines.
  func bytes(of lines: Range<Int>) -> ArraySlice<UInt8> {
    if lines.isEmpty { return [] }
    return bytes[(lines.lowerBound == 0 ? 0 : ends[lines.lowerBound - 1])..<ends[lines.upperBound - 1]]
  }

  /// Returns a number for each line; equal lines of all texts with the same table have the same number.
  func numbers(_ known: inout [ArraySlice<UInt8>: Int]) -> [Int] {
    (0..<count).map { line in
      let next = known.count
      let slice = bytes(of: line..<(line + 1))
      if let number = known[slice] { return number }
      known[slice] = next
      return next
    }
  }
}
