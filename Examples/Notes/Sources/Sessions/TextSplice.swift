/// A replacement in a text: `deleted` units of UTF-16 from `offset` on go, and `inserted` comes in their place.
struct TextSplice: Sendable, Hashable, Codable {
  var offset: Int
  var deleted: Int
  var inserted: String

  init(_ offset: Int, _ deleted: Int, _ inserted: String) {
    (self.offset, self.deleted, self.inserted) = (offset, deleted, inserted)
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    offset = try container.decode(Int.self)
    deleted = try container.decode(Int.self)
    inserted = try container.decode(String.self)
    guard offset >= 0, deleted >= 0, offset <= 1 << 40, deleted <= 1 << 40 else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The place is out of bounds.")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(offset)
    try container.encode(deleted)
    try container.encode(inserted)
  }

  /// The end of what goes.
  var end: Int { offset + deleted }
  /// The units that come in its place.
  var size: Int { inserted.utf16.count }

  // MARK: Transforming

  /// Returns each list for a text to which the other one was done first. Both lists were made for the same text.
  ///
  /// Within a deleted range, an insertion comes to the range's start. A deletion leaves out the units that are gone, and
  /// leaves new text within its range. The pages transform by the same rules.
  ///
  /// - Parameter isInFront: whether an insertion of `accepted` comes before a later one at the same place.
  static func crossed(
    _ accepted: [TextSplice], _ later: [TextSplice], isInFront: Bool = true
  ) -> (accepted: [TextSplice], later: [TextSplice]) {
    crossed(primitives(accepted)[...], primitives(later)[...], isInFront)
  }

  /// Each splice as a deletion and an insertion, without empty ones.
  private static func primitives(_ splices: [TextSplice]) -> [TextSplice] {
    splices.flatMap { splice in
      (splice.deleted > 0 ? [TextSplice(splice.offset, splice.deleted, "")] : [])
        + (splice.inserted.isEmpty ? [] : [TextSplice(splice.offset, 0, splice.inserted)])
    }
  }

  private static func crossed(
    _ accepted: ArraySlice<TextSplice>, _ later: ArraySlice<TextSplice>, _ isInFront: Bool
  ) -> (accepted: [TextSplice], later: [TextSplice]) {
    if accepted.isEmpty || later.isEmpty { return (Array(accepted), Array(later)) }
    if accepted.count == 1, later.count == 1, let first = accepted.first, let second = later.first {
      return (first.over(second, isInFront: isInFront), second.over(first, isInFront: !isInFront))
    }
    if accepted.count >= later.count {
      let middle = accepted.startIndex + accepted.count / 2
      let first = crossed(accepted[..<middle], later, isInFront)
      let second = crossed(accepted[middle...], first.later[...], isInFront)
      return (first.accepted + second.accepted, second.later)
    }
    let middle = later.startIndex + later.count / 2
    let first = crossed(accepted, later[..<middle], isInFront)
    let second = crossed(first.accepted[...], later[middle...], isInFront)
    return (second.accepted, first.later + second.later)
  }

  /// One primitive over another one.
  private func over(_ other: TextSplice, isInFront: Bool) -> [TextSplice] {
    if deleted == 0 {
      if other.deleted > 0 {
        return [
          TextSplice(offset <= other.offset ? offset : max(other.offset, offset - other.deleted), 0, inserted)
        ]
      }
      let isBefore = offset < other.offset || (offset == other.offset && isInFront)
      return [TextSplice(isBefore ? offset : offset + other.size, 0, inserted)]
    }
    if other.deleted == 0 {
      if other.offset >= end { return [self] }
      if other.offset <= offset { return [TextSplice(offset + other.size, deleted, "")] }
      return [
        TextSplice(offset, other.offset - offset, ""),
        TextSplice(offset + other.size, end - other.offset, ""),
      ]
    }
    let both = max(0, min(end, other.end) - max(offset, other.offset))
    if both == deleted { return [] }
    let start = offset <= other.offset ? offset : max(other.offset, offset - other.deleted)
    return [TextSplice(start, deleted - both, "")]
  }
}

extension String {
  /// Does the splices, one after the other.
  ///
  /// - Returns: the splices that take them back.
  /// - Throws: `HTTPRefusal` `unprocessable` if one of them is not within the text, or would cut a character of two
  ///   units in two. The text is then of no use.
  mutating func replace(by splices: [TextSplice]) throws -> [TextSplice] {
    let misfit = HTTPRefusal(status: .unprocessableContent, message: "The change does not fit the text.")
    var inverse: [TextSplice] = []
    for splice in splices {
      guard splice.end <= utf16.count else { throw misfit }
      let start = utf16.index(utf16.startIndex, offsetBy: splice.offset)
      let end = utf16.index(start, offsetBy: splice.deleted)
      guard start.samePosition(in: unicodeScalars) != nil, end.samePosition(in: unicodeScalars) != nil else {
        throw misfit
      }
      inverse.append(TextSplice(splice.offset, splice.size, String(unicodeScalars[start..<end])))
      unicodeScalars.replaceSubrange(start..<end, with: splice.inserted.unicodeScalars)
    }
    return inverse.reversed()
  }
}
