/// A place in a text that names a file: the destination of an image or of a link.
struct TextReference: Equatable {
  enum Kind: Equatable {
    /// `![](…)`, or an HTML `img`: a program shows the file there.
    case image
    /// `[text](…)`, or an HTML `a`.
    case link
    /// `[assets/7.png]`, as Bear writes images in its own markup; in Markdown these are brackets around words.
    case brackets
    /// `![[7.png]]`, as Obsidian writes images.
    case embed

    /// Whether a program shows the file there.
    var isShown: Bool { self == .image || self == .embed }
  }

  /// The syntax around the destination, which decides how it is spelled.
  enum Spelling: Equatable {
    /// Bare, or in angle brackets: percent-encoded.
    case markdown
    /// The value of an attribute: percent-encoded, then with HTML's character references.
    case html
  }

  var kind: Kind
  var spelling = Spelling.markdown
  /// The bytes of the destination in the UTF-8 of the text.
  var range: Range<Int>
  /// The bytes of the whole syntax, which a program shows as the image: the brackets with the parenthesis, or the tag.
  /// For the definition of a label, its line.
  var whole: Range<Int>
  /// The destination as the text spells it.
  var destination: String
  /// The words that stand for the image, or the words of the link.
  var words = ""
  /// For the definition of a label, the places that show its image.
  var uses: [Range<Int>]?
}

extension TextReference {
  /// Returns the text with other destinations, and with those of other references as they are.
  ///
  /// - Parameter spelled: returns the new destination of a reference, nil to leave it.
  static func rewrite(
    _ text: String, _ references: [TextReference], _ spelled: (TextReference) throws -> String?
  ) rethrows -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var position = 0
    for reference in references {
      guard let new = try spelled(reference), new != reference.destination else { continue }
      result += bytes[position..<reference.range.lowerBound]
      result += reference.spelling == .html ? Array(HTMLText.escaped(new).utf8) : Array(new.utf8)
      position = reference.range.upperBound
    }
    result += bytes[position...]
    return String(decoding: result, as: UTF8.self)
  }
}
