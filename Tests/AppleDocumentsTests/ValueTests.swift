import AppleDocuments
import TestSupport
import Testing

@Suite("Values by SwiftUI's and Foundation's names", .temporaryDirectory)
struct ValueTests {
  @Test(arguments: [
    ([0], 5, "bcdea"), ([4], 0, "eabcd"), ([1, 3], 0, "bdace"), ([1, 3], 5, "acebd"), ([0, 1], 3, "cabde"),
    ([2], 2, "abcde"), ([2], 3, "abcde"), ([], 1, "abcde"), ([0, 1, 2, 3, 4], 2, "abcde"),
    ([0, 4], 2, "baecd"),
  ])
  func `moves elements as a list's rows`(_ source: [Int], _ destination: Int, _ result: String) {
    var letters = Array("abcde")
    letters.move(fromOffsets: IndexSet(source), toOffset: destination)
    #expect(String(letters) == result)
  }

  @Test(arguments: [([0], "bcde"), ([1, 2, 4], "ad"), ([], "abcde"), ([0, 1, 2, 3, 4], "")])
  func `removes elements as a list's rows`(_ offsets: [Int], _ result: String) {
    var letters = Array("abcde")
    letters.remove(atOffsets: IndexSet(offsets))
    #expect(String(letters) == result)
  }

  @Test func `gives the type of a file and of a folder`() throws {
    let (text, package) = (url("a.txt"), url("b.rtfd"))
    try Data().write(to: text)
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
    #expect(try text.resourceValues(forKeys: [.contentTypeKey]).contentType == .plainText)
    #expect(try package.resourceValues(forKeys: [.contentTypeKey, .isDirectoryKey]).contentType == .rtfd)
    #expect(try text.resourceValues(forKeys: [.isDirectoryKey]).contentType == nil)
    #expect(url("").appendingPathComponent("c", conformingTo: .json).lastPathComponent == "c.json")
    #expect(url("").appendingPathComponent("c.json", conformingTo: .json).lastPathComponent == "c.json")
    #expect(text.appendingPathExtension(for: .png).lastPathComponent == "a.txt.png")
  }
}
