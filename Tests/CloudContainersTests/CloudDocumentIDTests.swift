import CloudContainers
import Testing

@Suite("The identity of a document in a container")
struct CloudDocumentIDTests {
  @Test func `is 32 hexadecimal digits in lower case`() {
    #expect(
      CloudDocumentID(String(repeating: "0a", count: 16))?.description == String(repeating: "0a", count: 16))
    #expect(CloudDocumentID(String(repeating: "0A", count: 16)) == nil)
    #expect(CloudDocumentID(String(repeating: "0", count: 31)) == nil)
    #expect(CloudDocumentID("../" + String(repeating: "0", count: 29)) == nil)
  }

  @Test func `is another one each time`() {
    var generator = SystemRandomNumberGenerator()
    #expect(CloudDocumentID.random(using: &generator) != .random(using: &generator))
  }
}
