import Foundation
import TestSupport
import Testing

@Suite("The table of what is expected of a document engine")
struct AcceptanceTableTests {
  /// The tests of documents, by name.
  private static func testNames() throws -> Set<String> {
    var names = Set<String>()
    let folder = projectFolder.appending(path: "Tests/DocumentsTests")
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where file.hasSuffix(".swift") {
      let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for match in source.matches(of: /func `([^`]+)`/) { names.insert(String(match.1)) }
    }
    return names
  }

  @Test func `names tests that there are, and leaves nothing out`() throws {
    let page = projectFolder.appending(path: "Docs/Documents.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let names = try Self.testNames()
    var rows: [String] = []
    for row in text.matches(of: /(?m)^\| (UD\d+|B\d+) \| .* \| (.*) \|$/) {
      rows.append(String(row.1))
      let tests = row.2.matches(of: /`([^`]+)`/).map { String($0.1) }
      #expect(!tests.isEmpty, "\(row.1)")
      for test in tests { #expect(names.contains(test), "\(row.1): there is no test '\(test)'") }
    }
    #expect(rows == (1...12).map { "UD\($0)" } + (1...30).map { "B\($0)" })
  }
}
