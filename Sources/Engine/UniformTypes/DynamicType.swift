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
  package static let prefix = "dyn."

  package let tag: TypeTag
  /// The key of the requested supertype, or nil.
  package let supertype: String?

  /// Makes a type; nil if the supertype's identifier cannot be written: it is empty or has a NUL.
  package init?(_ tag: TypeTag, conformingTo supertype: String?) {
    if let supertype, supertype.isEmpty || supertype.utf8.contains(0) { return nil }
    self.tag = tag
    self.supertype = supertype?.lowercased()
  }

  /// Reads an identifier in any case; nil if it is not one that `identifier` writes.
  package init?(identifier: String) {
    let identifier = identifier.lowercased()
    guard identifier.hasPrefix(Self.prefix),
      let bytes = Base32.decode(identifier.utf8.dropFirst(Self.prefix.utf8.count)),
      let fields = String(validating: bytes, as: UTF8.self)?
        .split(separator: "\0", omittingEmptySubsequences: false).map(String.init),
      fields.count == 3, let tag = TypeTag(fields[1], tagClass: Self.tagClass(fields[0]))
    else { return nil }
    self.init(tag, conformingTo: fields[2].isEmpty ? nil : fields[2])
    guard self.identifier == identifier else { return nil }
  }

  package var identifier: String {
    Self.prefix + Base32.encode("\(classField)\0\(tag.value)\0\(supertype ?? "")".utf8)
  }

  /// Returns the facts about the type.
  ///
  /// It conforms to the requested supertype, or to `public.item` without one. A MIME type also conforms to what its
  /// first word says, unless that contradicts the requested supertype.
  package func entry(conforms: (_ key: String, _ ancestor: String) -> Bool) -> TypeEntry {
    var parents = [supertype ?? "public.item"]
    if tag.tagClass == .mimeType {
      let implied = Self.supertype(ofMIMEType: tag.value)
      if implied != parents[0], supertype.map({ conforms(implied, $0) }) ?? true { parents.append(implied) }
    }
    return TypeEntry(identifier: identifier, parents: parents, tags: [tag.tagClass: [tag.value]])
  }

  private static func supertype(ofMIMEType mimeType: String) -> String {
    switch mimeType.prefix(while: { $0 != "/" }) {
    case "text": "public.plain-text"
    case "image": "public.image"
    case "audio": "public.audio"
    case "video": "public.movie"
    case "font": "public.font"
    case "inode", "x-content": "public.item"
    default: "public.data"
    }
  }

  private var classField: String {
    switch tag.tagClass {
    case .filenameExtension: "e"
    case .mimeType: "m"
    default: ":" + tag.tagClass.rawValue
    }
  }

  private static func tagClass(_ field: String) -> UTTagClass {
    switch field {
    case "e": .filenameExtension
    case "m": .mimeType
    default: UTTagClass(rawValue: String(field.dropFirst()))
    }
  }
}

/// Base 32 of RFC 4648, section 6, with small letters and without padding.
package enum Base32 {
  private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    let text = regrouped(bytes, from: 8, to: 5, keepingRest: true)
    return String(decoding: text.map { digits[Int($0)] }, as: UTF8.self)
  }

  /// Decodes a text; nil for a character outside the alphabet. Left-over bits are dropped unread.
  package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var values: [UInt8] = []
    for character in text {
      guard let value = digits.firstIndex(of: character) else { return nil }
      values.append(UInt8(value))
    }
    return regrouped(values, from: 5, to: 8, keepingRest: false)
  }

  /// Returns the bits of values of one width as values of another.
  private static func regrouped(
    _ values: some Sequence<UInt8>, from width: Int, to newWidth: Int, keepingRest: Bool
  ) -> [UInt8] {
    var (output, bits, count) = ([UInt8](), 0, 0)
    for value in values {
      bits = bits << width | Int(value)
      count += width
      while count >= newWidth {
        count -= newWidth
        output.append(UInt8(bits >> count))
        bits &= 1 << count - 1
      }
    }
    if keepingRest, count > 0 { output.append(UInt8(bits << (newWidth - count))) }
    return output
  }
}
