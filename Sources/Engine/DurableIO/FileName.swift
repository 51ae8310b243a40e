internal import Glibc

/// The name of one directory entry: bytes, as in Linux.
///
/// A name need not be UTF-8. `string` is a lossless spelling of any name as a `String`, and `init(_: String)` reads it.
/// So names pass unchanged through interfaces made of strings.
package struct FileName: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The length of the longest name in Linux file systems, in bytes.
  package static let maximumLength = 255

  /// Whether the name begins with a dot, so that listings omit it.
  package var isHidden: Bool { bytes.first == UInt8(ascii: ".") }

  /// The reason why a file cannot have this name; nil if it can.
  package var problem: Problem? {
    if bytes.isEmpty { return .empty }
    if bytes.count <= 2 && bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) { return .dots }
    var (hasSlash, hasNUL) = (false, false)
    for byte in bytes {
      hasSlash = hasSlash || byte == UInt8(ascii: "/")
      hasNUL = hasNUL || byte == 0
    }
    if hasSlash { return .slash }
    if hasNUL { return .nul }
    return bytes.count > Self.maximumLength ? .tooLong : nil
  }

  package enum Problem: Sendable, Hashable {
    case empty, dots, slash, nul, tooLong
  }
}

extension FileName {
  /// Feeds all bytes at once. An array feeds them one by one, and a save looks for its names in many tables.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(bytes.count)
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

extension FileName: Comparable {
  /// Compares in byte order, which is the same on every machine and in every locale.
  package static func < (left: FileName, right: FileName) -> Bool {
    left.bytes.withUnsafeBytes { left in
      right.bytes.withUnsafeBytes { right in
        guard let start = left.baseAddress, let other = right.baseAddress else { return !right.isEmpty }
        let order = memcmp(start, other, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
      }
    }
  }
}

extension FileName: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

// MARK: - Lossless strings

// A byte that is not part of valid UTF-8 is spelled as the private-use scalar U+10FE00 + byte. Scalars of that range
// that occur in a name are spelled byte by byte in the same way. So the spelling is unique, and its reader gets the
// same bytes.
extension FileName {
  private static let escapeBase: UInt32 = 0x10FE00

  /// Reads the spelling that `string` gives; takes any other string as its UTF-8 bytes.
  package init(_ string: String) {
    guard string.unicodeScalars.contains(where: { Self.escapedByte($0) != nil }) else {
      self.init(bytes: Array(string.utf8))
      return
    }
    var bytes: [UInt8] = []
    for scalar in string.unicodeScalars {
      if let byte = Self.escapedByte(scalar) {
        bytes.append(byte)
      } else {
        bytes.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
      }
    }
    self.init(bytes: bytes)
  }

  /// A spelling from which `init(_: String)` gets the bytes again; the name itself if it is UTF-8.
  package var string: String {
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return spelled
  }

  /// A spelling with an escape for every byte beyond ASCII.
  ///
  /// Two names may differ on disk and be equal as Swift strings, with composed and decomposed letters. With this
  /// spelling both can be keys of one dictionary.
  package var escapedString: String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : Self.escape(byte))
    }
    return String(scalars)
  }

  /// The name for people, with `\xNN` for control characters and for bytes that are not UTF-8.
  package var display: String {
    var text = ""
    for scalar in spelled.unicodeScalars {
      if let byte = Self.escapedByte(scalar) {
        text += Self.hexadecimal(byte)
      } else if scalar.value < 0x20 || scalar.value == 0x7F || (0x80..<0xA0).contains(scalar.value)
        || scalar.properties.generalCategory == .format
      {
        text += UTF8.encode(scalar).map { $0.map(Self.hexadecimal).joined() } ?? ""
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private var spelled: String {
    var scalars = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      if let scalar = Self.leadingScalar(of: rest), Self.escapedByte(scalar) == nil {
        scalars.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        scalars.append(Self.escape(first))
        rest = rest.dropFirst()
      }
    }
    return String(scalars)
  }

  private static func leadingScalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    var decoder = UTF8()
    var iterator = bytes.prefix(4).makeIterator()
    if case .scalarValue(let scalar) = decoder.decode(&iterator) { return scalar }
    return nil
  }

  private static func escape(_ byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(escapeBase + UInt32(byte)) ?? "\u{FFFD}"
  }

  private static func escapedByte(_ scalar: Unicode.Scalar) -> UInt8? {
    scalar.value >= escapeBase && scalar.value <= escapeBase + 0xFF ? UInt8(scalar.value - escapeBase) : nil
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "\\x\(CollectionOfOne(byte).hexadecimal.uppercased())"
  }
}
