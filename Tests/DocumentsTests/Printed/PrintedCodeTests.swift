import Documents
import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The code that the documentation prints", .temporaryDirectory)
struct PrintedCodeTests {
  private static let printed = projectFolder.appending(path: "Tests/DocumentsTests/Printed")

  /// Returns the block of Swift in a document that has these words.
  private func block(with words: String, in document: String) throws -> String {
    let text = try String(contentsOf: projectFolder.appending(path: document), encoding: .utf8)
    let blocks = text.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    return try #require(blocks.first { $0.contains(words) }, "no block of \(document) has '\(words)'")
  }

  private func source(_ name: String) throws -> String {
    try String(contentsOf: Self.printed.appending(path: name), encoding: .utf8)
  }

  /// Returns the lines without imports, blank lines and indentation.
  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter {
      !$0.isEmpty && !$0.hasPrefix("import ")
    }
  }

  @Test func `is the FileDocument of its page, which is compiled as it is printed`() throws {
    #expect(try block(with: "struct Sketch", in: "Docs/DocumentType.md") == source("Sketch.swift"))
  }

  @Test func `is the whole document type of its page, which is compiled as it is printed`() throws {
    #expect(try block(with: "struct TravelLog", in: "Docs/DocumentType.md") == source("TravelLog.swift"))
  }

  @Test func `has a Package.swift that SwiftPM reads, with products that exist`() throws {
    struct Manifest: Decodable {
      struct Product: Decodable { var name: String }
      var products: [Product]
    }
    /// Has SwiftPM read a manifest; not beside the build of these tests, which has a lock of its own.
    func dumped(_ package: String) throws -> String {
      let scratch = folder.appending("scratch").string
      let arguments = [
        "swift", "package", "--package-path", package, "--scratch-path", scratch, "dump-package",
      ]
      let run = try Program(path: "/usr/bin/env").run(arguments)
      #expect(run.status == 0, "\(run.errors)")
      return run.output
    }
    let text = try block(with: "import PackageDescription", in: "Docs/DocumentType.md")
    try Data(text.utf8).write(to: url("Package.swift"))
    #expect(try dumped(folder.string).contains("/FilePackages"))
    let own = try JSONDecoder().decode(Manifest.self, from: Data(dumped(projectFolder.path).utf8))
    let used = text.matches(of: /\.product\(name: "(\w+)", package: "FilePackages"\)/).map { String($0.1) }
    #expect(used == ["Documents", "PackageArchive"])
    #expect(Set(used).isSubset(of: own.products.map(\.name)))
  }

  @Test(arguments: [
    ("README.md", "Never waits"), ("Docs/Documents.md", "TerminationHandler"),
    ("Docs/DocumentType.md", "DocumentOptions<TravelLog>"), ("Docs/DocumentType.md", "FilenameConvention"),
    ("Docs/DocumentType.md", "Over the pass to the hut"), ("Docs/Questions.md", "== .noSpace"),
  ])
  func `is compiled within functions`(document: String, words: String) throws {
    let printed = lines(try block(with: words, in: document))
    let compiled = lines(try source("PrintedCode.swift"))
    #expect(printed.count > 1 && compiled.indices.contains { compiled[$0...].starts(with: printed) })
  }

  @Test func `opens again what it saved`() async throws {
    let url = url("Tree.sketch")
    var sketch = try Sketch(
      configuration: .init(contentType: .package, file: .init(directoryWithFileWrappers: [:])))
    sketch.strokes = Data("one".utf8)
    let document = try await Document.create(sketch, at: url, options: .quiet(nil))
    try await document.edit { $0.strokes = Data("two".utf8) }
    try await document.close()
    let again = try await Document<Sketch>.open(at: url, options: .quiet(nil))
    #expect(try await again.content.strokes == Data("two".utf8))
    try await again.close()
  }

  @Test func `merges text and photos with those of another program`() async throws {
    let url = url("Hut.travellog")
    var log = TravelLog()
    log.text = "one\ntwo\nthree\n"
    log.photos = [
      "a": FileWrapper(regularFileWithContents: Data("a".utf8)),
      "b": FileWrapper(regularFileWithContents: Data("b".utf8)),
    ]
    let document = try await Document.create(log, at: url, options: .quiet(nil))
    try await document.edit { log in
      log.text = log.text.replacing("one", with: "1")
      log.photos["c"] = FileWrapper(regularFileWithContents: Data("c".utf8))
    }
    let other = try await PackageStore.open(at: url)
    let tree = await other.tree
    try tree.put(Data("one\ntwo\n3\n".utf8), named: "Text.md")
    try tree.removeDescendant(at: "Photos/b")
    try tree.put(Data("A".utf8), named: "a", in: "Photos")
    try await other.save()
    try await other.close()
    try await document.close()
    let again = try await Document<TravelLog>.open(at: url, options: .quiet(nil))
    let merged = try await again.content
    #expect(merged.text == "1\ntwo\n3\n")
    #expect(
      try merged.photos.mapValues { String(decoding: try $0.contents(), as: UTF8.self) } == [
        "a": "A", "c": "c",
      ])
    #expect(await again.documentState == .normal)
    try await again.close()
  }
}
