import Foundation
import Testing

@Suite("The table of what is expected of a document engine")
struct AcceptanceTableTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// The tests of this folder, by name.
  private static func testNames() throws -> Set<String> {
    var names = Set<String>()
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where file.hasSuffix(".swift") {
      let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for match in source.matches(of: /func `([^`]+)`/) { names.insert(String(match.1)) }
    }
    return names
  }

  @Test func `names tests that there are, and leaves nothing out`() throws {
    let docs = Self.folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")
    let text = try String(contentsOf: docs.appending(path: "Documents.md"), encoding: .utf8)
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
