import DurableIO
import FilePackages
import Testing

@Suite("The digest of a package")
struct ContentDigestTests {
  @Test func `is written as sixty-four digits and read back`() throws {
    var digest = ContentDigest()
    digest.add(SIMD4(1, 0xFFFF_FFFF_FFFF_FFFF, 0, 42))
    #expect(digest.hexadecimal.count == 64)
    #expect(ContentDigest(hexadecimal: digest.hexadecimal) == digest)
    #expect(ContentDigest(hexadecimal: String(digest.hexadecimal.dropLast())) == nil)
    #expect(ContentDigest(hexadecimal: "x" + digest.hexadecimal.dropFirst()) == nil)
  }
}
