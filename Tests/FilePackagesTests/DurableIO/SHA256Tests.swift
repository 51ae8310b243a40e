import FilePackages
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  /// The example of FIPS 180-2, appendix B.2.
  static let message = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
  static let digest = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"

  @Test func `is that of the standard, in one piece and in many`() {
    #expect(Self.hexadecimal(ContentHash(of: Self.message)) == Self.digest)
    var hash = SHA256()
    for byte in Self.message { hash.update([byte]) }
    hash.update([])
    #expect(hash.finalize() == ContentHash(of: Self.message))
  }

  @Test func `of no bytes is that of the standard`() {
    let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(Self.hexadecimal(.empty) == digest)
  }

  @Test func `goes on in a copy`() {
    var hash = SHA256()
    hash.update(Array(Self.message.prefix(20)))
    var copy = hash
    #expect(hash.finalize() == ContentHash(of: Array(Self.message.prefix(20))))
    copy.update(Array(Self.message.dropFirst(20)))
    #expect(copy.finalize() == ContentHash(of: Self.message))
  }

  private static func hexadecimal(_ hash: ContentHash) -> String {
    hash.bytes.map { (($0 < 16) ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
