/// A made-up type for a tag that no known type has.
///
/// Its identifier has all its facts, so that another process gets the same type from the identifier. The identifier is
/// `dyn.` and then the UTF-8 of three fields with a NUL between each two. That UTF-8 is in the base 32 of RFC 4648,
/// with small letters and without padding:
///
///     class      "e" for a filename extension, "m" for a MIME type, ":" and the class for any other
///     tag        in lower case
///     supertype  in lower case, or empty without a requested supertype
///
/// Each type has one spelling; `init(identifier:)` refuses every other one. The scheme is this package's own: Apple's
/// dynamic identifiers mean nothing here, and these mean nothing to Apple's systems.
package struct DynamicType: Hashable, Sendable {
  package let tag: TypeTag
  /// The key of the requested supertype, or nil.
  package let supertype: String?

  /// Makes a type; nil if the supertype's identifier cannot be written: it is empty, has a NUL or is no key.
  package init?(_ tag: TypeTag, conformingTo supertype: String?) {
    if let supertype {
      guard !supertype.isEmpty, !supertype.utf8.contains(0), supertype == supertype.lowercased() else {
        return nil
      }
    }
    self.tag = tag
    self.supertype = supertype
  }

  /// Reads an identifier in any case; nil if it is not one that `identifier` writes.
  package init?(identifier: String) {
    let identifier = identifier.lowercased()
    guard identifier.hasPrefix(Self.prefix),
      let bytes = Base32.decode(identifier.utf8.dropFirst(Self.prefix.utf8.count)),
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let fields = text.utf8.split(separator: 0, omittingEmptySubsequences: false).map { String(Substring($0)) }
    guard fields.count == 3, let tagClass = Self.tagClass(fields[0]),
      let tag = TypeTag(fields[1], tagClass: tagClass)
    else { return nil }
    self.init(tag, conformingTo: fields[2].isEmpty ? nil : fields[2])
    guard self.identifier == identifier else { return nil }
  }

  package static let prefix = "dyn."

  package var identifier: String {
    Self.prefix + Base32.encode("\(classField)\0\(tag.value)\0\(supertype ?? "")".utf8)
  }

  /// Returns the facts about the type.
  ///
  /// It conforms to the requested supertype, or to `public.item` without one. A MIME type adds its implicit parent (see
  /// `MIMETypes.implicitParent`), unless that contradicts the requested supertype.
  package func entry(conforms: (_ key: String, _ ancestor: String) -> Bool) -> TypeEntry {
    var parents = [supertype ?? "public.item"]
    if tag.tagClass == .mimeType {
      let implicit = MIMETypes.implicitParent(tag.value)
      if implicit != parents[0], supertype.map({ conforms(implicit, $0) }) ?? true {
        parents.append(implicit)
      }
    }
    var entry = TypeEntry(identifier: identifier, parents: parents)
    entry.tags = [tag.tagClass: [tag.value]]
    return entry
  }

  private var classField: String {
    switch tag.tagClass {
    case .filenameExtension: "e"
    case .mimeType: "m"
    default: ":" + tag.tagClass.rawValue
    }
  }

  private static func tagClass(_ field: String) -> UTTagClass? {
    switch field {
    case "e": .filenameExtension
    case "m": .mimeType
    default: field.hasPrefix(":") ? UTTagClass(rawValue: String(field.dropFirst())) : nil
    }
  }
}

/// Base 32 of RFC 4648, section 6, with small letters and without padding.
package enum Base32 {
  private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        output.append(digits[Int(bits >> UInt32(count) & 31)])
      }
      bits &= 31
    }
    if count > 0 { output.append(digits[Int(bits << UInt32(5 - count) & 31)]) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes a text; nil for a character outside the alphabet. Left-over bits are dropped unread.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    for character in text {
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): bits = bits << 5 | UInt32(character - 97)
      case UInt8(ascii: "2")...UInt8(ascii: "7"): bits = bits << 5 | UInt32(character - 24)
      default: return nil
      }
      count += 5
      if count >= 8 {
        count -= 8
        output.append(UInt8(bits >> UInt32(count) & 255))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    return output
  }
}
