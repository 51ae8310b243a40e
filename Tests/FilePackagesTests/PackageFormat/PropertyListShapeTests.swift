import FilePackages
import FoundationEssentials
import Testing

@Suite("A property list that may be anybody's")
struct PropertyListShapeTests {
  private static func list(_ prologue: String, _ body: String = "<dict></dict>") -> Data {
    Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(prologue)<plist version=\"1.0\">\(body)</plist>".utf8)
  }

  @Test(arguments: [
    "", "<!DOCTYPE plist>",
    "<!-- a comment --><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"p.dtd\">",
  ])
  func `is read with one document type or none`(prologue: String) {
    #expect(PropertyListShape.isBounded(Self.list(prologue)))
  }

  @Test(arguments: [
    String(repeating: "<!", count: 1000), "<!DOCTYPE plist><!DOCTYPE plist>", "<!ENTITY a \"b\">",
    "<!DOCTYPE plist [<!ENTITY a \"b\">]>", "<!DOCTYPE \(String(repeating: "p", count: 600))>",
    "<!doctype plist>",
  ])
  func `is refused with more declarations`(prologue: String) {
    #expect(!PropertyListShape.isBounded(Self.list(prologue)))
  }

  @Test(arguments: [
    "<string><!DOCTYPE plist></string>", "<dict><!DOCTYPE plist></dict>",
    String(repeating: "<!", count: 1000),
  ])
  func `is refused with a declaration among its values`(body: String) {
    #expect(!PropertyListShape.isBounded(Self.list("<!DOCTYPE plist>", body)))
  }

  @Test func `may have any number of flat values behind a comment`() {
    let values = String(repeating: "<dict></dict>", count: 100)
    #expect(PropertyListShape.isBounded(Self.list("<!-- a comment -->", "<array>\(values)</array>")))
  }

  @Test func `is refused where the name of its encoding comes late`() {
    let space = String(repeating: " ", count: 600)
    let text = "<?xml version=\"1.0\"\(space)encoding=\"UTF-16\"?><plist><dict/></plist>"
    #expect(!PropertyListShape.isBounded(Data(text.utf8)))
  }

  @Test func `is as deep as its longest tags say`() {
    let tag = "<array \(String(repeating: "a", count: 503))/\(String(repeating: "a", count: 20))>"
    #expect(!PropertyListShape.isBounded(Self.list("", String(repeating: tag, count: 100))))
  }

  @Test func `is no metadata where it is refused`() {
    let data = Self.list(String(repeating: "<!", count: 1000))
    #expect(throws: PackageMetadata.Problem.notAPropertyList) { _ = try PackageMetadata(decoding: data) }
  }
}
