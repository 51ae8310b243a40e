/// The identity of a document in a container: 128 random bits, as 32 hexadecimal digits.
///
/// A new name does not change it.
public struct CloudDocumentID: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
  /// The digits, in lower case.
  public let string: String
  /// One line for a user.
  public var description: String { string }

  /// Reads an identity; nil if the text is not 32 hexadecimal digits in lower case.
  public init?(_ string: some StringProtocol) {
    let digits = string.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
    guard string.utf8.count == 32, digits else { return nil }
    self.string = String(string)
  }

  /// Makes a new identity.
  package static func random(using generator: inout some RandomNumberGenerator) -> CloudDocumentID {
    let digits = Array("0123456789abcdef".utf8)
    let bytes = (0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }
    guard let made = CloudDocumentID(String(decoding: bytes, as: UTF8.self)) else {
      preconditionFailure("random digits are digits")
    }
    return made
  }

  /// Compares the digits.
  public static func < (left: CloudDocumentID, right: CloudDocumentID) -> Bool { left.string < right.string }
}
