/// The facts that a MIME type has by itself, and identifiers for MIME types that only freedesktop.org's database has.
package enum MIMETypes {
  /// Returns the key of the supertype that a MIME type has, whatever a database says.
  ///
  /// By the shared-mime-info specification, every `text/*` is a `text/plain`. Every stream of bytes is an
  /// `application/octet-stream`, and `inode/*` types are not files. This function adds images, sound, film and fonts,
  /// because uniform types have names for them.
  package static func implicitParent(_ mimeType: String) -> String {
    let type = mimeType.lowercased()
    switch type.prefix(while: { $0 != "/" }) {
    case "text": return "public.plain-text"
    case "image": return "public.image"
    case "audio": return "public.audio"
    case "video": return "public.movie"
    case "font": return "public.font"
    case "x-content": return "public.item"
    case "inode":
      switch type {
      case "inode/directory": return "public.directory"
      case "inode/symlink": return "public.symlink"
      default: return "public.item"
      }
    default: return "public.data"
    }
  }

  package static let prefix = "org.freedesktop.mime."

  /// Returns the identifier of a MIME type that no declaration and no core type has.
  ///
  /// It is `org.freedesktop.mime.`, the type, a dot, and the subtype. Letters, digits and dots of the subtype stay, and
  /// so does a `-` before one of them. Every other byte is `--` and two hexadecimal digits. So `image/x-foo+bar` is
  /// `org.freedesktop.mime.image.x-foo--2bbar`, on every machine and in every version of the database.
  package static func identifier(_ mimeType: String) -> String {
    let words = mimeType.lowercased().utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard words.count == 2 else { return prefix }
    return prefix + escaped(words[0], keepingDots: false) + "." + escaped(words[1], keepingDots: true)
  }

  /// Returns the MIME type of an identifier; nil for every spelling that `identifier(_:)` does not write.
  package static func mimeType(identifier: String) -> String? {
    let identifier = identifier.lowercased()
    guard identifier.hasPrefix(prefix) else { return nil }
    let words = identifier.utf8.dropFirst(prefix.utf8.count).split(separator: UInt8(ascii: "."), maxSplits: 1)
    guard words.count == 2, let type = unescaped(words[0]), let subtype = unescaped(words[1]),
      let tag = TypeTag(type + "/" + subtype, tagClass: .mimeType),
      self.identifier(tag.value) == identifier
    else { return nil }
    return tag.value
  }

  private static func escaped(_ word: Substring.UTF8View, keepingDots: Bool) -> String {
    let hyphen = UInt8(ascii: "-")
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."): keepingDots
      default: false
      }
    }
    let bytes = Array(word)
    var output: [UInt8] = []
    for (position, byte) in bytes.enumerated() {
      let next = position + 1 < bytes.count ? bytes[position + 1] : 0
      if isPlain(byte) || (byte == hyphen && isPlain(next)) {
        output.append(byte)
      } else {
        output += [hyphen, hyphen, hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func unescaped(_ word: Substring.UTF8View) -> String? {
    var rest = word
    var output: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "-"), rest.first == byte else {
        output.append(byte)
        continue
      }
      rest.removeFirst()
      guard let high = rest.popFirst().flatMap(hexadecimal.firstIndex(of:)),
        let low = rest.popFirst().flatMap(hexadecimal.firstIndex(of:))
      else { return nil }
      output.append(UInt8(high << 4 | low))
    }
    return String(validating: output, as: UTF8.self)
  }

  private static let hexadecimal = Array("0123456789abcdef".utf8)
}
