/// A valid tag in the spelling by which tags are compared.
///
/// Letters are lower case, and the parameters of a MIME type have no spaces around them. Nothing else is changed: two
/// names that differ only in Unicode composition are equal to Swift but are written differently.
package struct TypeTag: Hashable, Sendable {
  package let tagClass: UTTagClass
  package let value: String

  /// Makes the canonical form of a tag; nil if the tag is invalid.
  ///
  /// Every tag is at least one character long and has no NUL. A filename extension has no `/` and no empty part:
  /// `tar.gz` is one, `.gz`, `gz.` and `tar..gz` are not. A MIME type is two words of token characters (RFC 2045)
  /// around one `/`, and may have parameters after a `;`.
  package init?(_ tag: String, tagClass: UTTagClass) {
    guard !tag.isEmpty, !tag.utf8.contains(0), !tagClass.rawValue.utf8.contains(0) else { return nil }
    switch tagClass {
    case .filenameExtension:
      let parts = tag.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard !parts.contains(where: \.isEmpty), !tag.utf8.contains(UInt8(ascii: "/")) else { return nil }
      value = tag.lowercased()
    case .mimeType:
      guard let canonical = Self.canonicalMIMEType(tag) else { return nil }
      value = canonical
    default:
      value = tag.lowercased()
    }
    self.tagClass = tagClass
  }

  /// Makes a tag of a value that is known to be valid and in canonical form.
  package init(canonical value: String, tagClass: UTTagClass) {
    self.tagClass = tagClass
    self.value = value
  }

  /// The same MIME type without its parameters, or nil if it has none.
  package var withoutParameters: TypeTag? {
    guard tagClass == .mimeType, let end = value.utf8.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    return TypeTag(String(value[..<end]), tagClass: .mimeType)
  }

  private static func canonicalMIMEType(_ tag: String) -> String? {
    let pieces = tag.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { trimmed(Substring($0)) }
    guard let type = pieces.first else { return nil }
    let words = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard words.count == 2, words.allSatisfy(isToken) else { return nil }
    return pieces.filter { !$0.isEmpty }.joined(separator: ";").lowercased()
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard let first = text.utf8.firstIndex(where: { !isSpace($0) }),
      let last = text.utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return text[first...last]
  }

  private static func isToken(_ word: Substring.UTF8View) -> Bool {
    !word.isEmpty && word.allSatisfy { $0 > 0x20 && $0 < 0x7F && !separators.contains($0) }
  }

  private static let separators = Array("()<>@,;:\\\"/[]?=".utf8)
}
