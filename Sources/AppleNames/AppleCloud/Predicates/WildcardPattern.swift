/// The pattern of `LIKE`: `?` is one character, `*` any number of them, and a backslash takes the next one as it is.
struct WildcardPattern {
  private enum Part: Equatable {
    case character(Character)
    case one
    case any
  }

  private let parts: [Part]

  init(_ pattern: String) {
    var parts: [Part] = []
    var isEscaped = false
    for character in pattern {
      switch character {
      case _ where isEscaped:
        parts.append(.character(character))
        isEscaped = false
      case "\\": isEscaped = true
      case "*": parts.append(.any)
      case "?": parts.append(.one)
      default: parts.append(.character(character))
      }
    }
    self.parts = parts
  }

  /// Returns whether the whole text is as the pattern.
  ///
  /// Cost: the product of both lengths at most, since only the last `*` is tried again.
  func matches(_ text: String) -> Bool {
    let characters = Array(text)
    var (part, position) = (0, 0)
    var retry: (part: Int, position: Int)?
    while position < characters.count {
      switch part < parts.count ? parts[part] : nil {
      case .any:
        retry = (part + 1, position)
        part += 1
      case .one:
        (part, position) = (part + 1, position + 1)
      case .character(characters[position]):
        (part, position) = (part + 1, position + 1)
      default:
        guard let last = retry else { return false }
        retry = (last.part, last.position + 1)
        (part, position) = (last.part, last.position + 1)
      }
    }
    return parts[part...].allSatisfy { $0 == .any }
  }
}
