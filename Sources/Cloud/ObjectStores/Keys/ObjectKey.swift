/// The name of an object: a path such as `blobs/4f/4f53…`.
///
/// Each segment has letters, digits, `-`, `_` and `.` of ASCII, and does not begin with a dot. So a key is the same in
/// every store: no server encodes it in another way, and every folder can have it as a path. Keys sort by bytes.
public struct ObjectKey: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The greatest length of a key, in bytes.
  public static let maximumLength = 512

  /// The path.
  public let string: String
  /// One line for a user.
  public var description: String { string }

  /// Makes a key; nil if the text is empty, too long, or has another form.
  public init?(_ string: String) {
    guard (1...Self.maximumLength).contains(string.utf8.count) else { return nil }
    var isAtStart = true
    for byte in string.utf8 {
      if byte == UInt8(ascii: "/") {
        if isAtStart { return nil }
        isAtStart = true
      } else {
        guard Self.isAllowed(byte), !(isAtStart && byte == UInt8(ascii: ".")) else { return nil }
        isAtStart = false
      }
    }
    if isAtStart { return nil }
    self.string = string
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// The parts of the path.
  public var segments: [Substring] { string.split(separator: "/") }

  /// Compares the bytes of the keys.
  public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
  }
}

extension ObjectKey: ExpressibleByStringLiteral {
  /// Makes a key of a literal. A literal of another form is a programming error.
  public init(stringLiteral string: StaticString) {
    guard let key = ObjectKey("\(string)") else { preconditionFailure("'\(string)' is no key") }
    self = key
  }
}
