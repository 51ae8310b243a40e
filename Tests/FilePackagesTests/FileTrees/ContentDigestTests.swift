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

  @Test func `is what it was once what was added is taken away`() {
    var digest = ContentDigest()
    digest.add(SIMD4(5, 6, 7, 8))
    let before = digest
    digest.add(SIMD4(UInt64.max, 1, 2, 3))
    digest.subtract(SIMD4(UInt64.max, 1, 2, 3))
    #expect(digest == before)
  }
}
