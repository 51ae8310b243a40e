import FilePackages
import Testing

/// A test case of RFC 4231.
struct HMACCase: Sendable, CustomTestStringConvertible {
  var number: Int
  var key: [UInt8]
  var message: [UInt8]
  /// The code; test case 5 has its first 16 bytes.
  var code: String

  var testDescription: String { "test case \(number)" }

  static let all = [
    HMACCase(
      number: 1, key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACCase(
      number: 2, key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACCase(
      number: 3, key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACCase(
      number: 4, key: Array(1...25), message: [UInt8](repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACCase(
      number: 5, key: [UInt8](repeating: 0x0c, count: 20), message: Array("Test With Truncation".utf8),
      code: "a3b6167473100ee06e0c796c2955552b"),
    HMACCase(
      number: 6, key: [UInt8](repeating: 0xaa, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    HMACCase(
      number: 7, key: [UInt8](repeating: 0xaa, count: 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]
}

@Suite("HMAC with SHA-256")
struct HMACSHA256Tests {
  @Test(arguments: HMACCase.all) func `is that of RFC 4231, in one piece and in many`(test: HMACCase) {
    var whole = HMACSHA256(key: test.key)
    whole.update(test.message)
    var pieces = HMACSHA256(key: test.key)
    for byte in test.message { pieces.update([byte]) }
    let code = whole.finalize()
    let digits = code.bytes.map { (($0 < 16) ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(digits.hasPrefix(test.code))
    #expect(pieces.finalize() == code)
  }

  @Test func `goes on in a copy`() {
    let test = HMACCase.all[1]
    var code = HMACSHA256(key: test.key)
    code.update(Array(test.message.prefix(4)))
    var copy = code
    _ = code.finalize()
    copy.update(Array(test.message.dropFirst(4)))
    var whole = HMACSHA256(key: test.key)
    whole.update(test.message)
    #expect(copy.finalize() == whole.finalize())
  }
}
