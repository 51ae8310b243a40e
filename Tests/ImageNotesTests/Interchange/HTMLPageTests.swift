import FilePackages
import FoundationEssentials
import ImageNotes
import Testing

@Suite("A page of HTML")
struct HTMLPageTests {
  private typealias Fixture = InterchangeFixture

  @Test func `escapes all that the document says`() throws {
    let evil = "<script>alert(1)</script>&lt;\"'><img src=x onerror=alert(2)> </title></div>"
    var notes = ImageNotes(
      text: "![\"><script>](Images/a.png) " + evil.replacing("<img src=x onerror", with: "<i onerror"))
    notes.customName = evil
    try notes.add(imageData: Fixture.picture(), originalFilename: "a.png", caption: evil)
    try notes.add(imageData: Fixture.picture(), originalFilename: "\"><script>.png", caption: evil)
    let file = try InterchangeFormat.html.write(InterchangeDocument(notes), named: "A").file
    let text = String(decoding: try file.contents(), as: UTF8.self)
    #expect(
      !text.contains("<script") && !text.contains("onerror=alert(2)>") && !text.contains("</title></div>"))
    #expect(text.split(separator: "<title").count == 2 && text.split(separator: "</div>").count == 2)
    #expect(text.split(separator: try Fixture.picture().base64EncodedString()).count == 3)
  }
}
