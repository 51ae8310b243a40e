import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The command line", .tags(.process), .temporaryDirectory)
struct CommandTests {
  private struct Report: Decodable {
    var generation: Int?
    var strategy: String
    var written: [String]
    var removed: [String]
    var reused: Int
    var bytesWritten: UInt64
    var bytesReused: UInt64
    var synchronizations: Int
  }

  private func made() throws {
    let run = try docpkg(
      "new", "Trip.imageNotes", "--text-file", demo.appending(path: "Trip.txt").path, "--image",
      demo.appending(path: "Dawn.png").path, "--image", demo.appending(path: "Lake.jpeg").path)
    #expect(run.status == 0 && run.errors.isEmpty)
  }

  @Test func `creates, edits and shows a document, and says what it wrote`() throws {
    try made()
    let report: Report = try decoded(docpkg("edit", "Trip.imageNotes", "--append", "At last.", "--json"))
    #expect(report.generation == 2)
    #expect(report.written == ["Metadata.plist", "Text.txt"])
    #expect(report.reused == 2 && report.removed.isEmpty && report.strategy == "log")
    #expect(report.bytesReused > 180_000 && report.bytesWritten < 5_000)

    let second: Report = try decoded(
      docpkg(
        "edit", "Trip.imageNotes", "--add-image", demo.appending(path: "Hut.jpeg").path, "--caption",
        "Hut.jpeg=Light", "--move-image", "Hut.jpeg=1", "--remove-image", "Lake.jpeg", "--json")
    )
    #expect(second.generation == 3)
    #expect(second.written == ["Images.txt", "Images/Hut.jpeg", "Metadata.plist"])
    #expect(second.removed == ["Images/Lake.jpeg"])

    let shown = try docpkg("show", "Trip.imageNotes")
    #expect(shown.output.contains("At last."))
    #expect(shown.output.contains("Hut.jpeg  jpeg, 960 × 640"))
    let bitmap = projectFolder.appending(path: "Fixtures/Images/ridge.bmp").path
    try output("edit", "Trip.imageNotes", "--add-image", bitmap, "-q")
    #expect(try docpkg("show", "Trip.imageNotes").output.contains("ridge.bmp  bmp  "))
    #expect(try docpkg("diff", "Trip.imageNotes").output.contains("ridge.bmp: added, bmp, "))
    let again = try docpkg("edit", "Trip.imageNotes", "--title", "")
    #expect(again.output == "Trip.imageNotes: nothing to save\n" && again.status == 0)
  }

  @Test func `with --dry-run says what it would do and does nothing`() throws {
    try made()
    let before = try docpkg("tree", "Trip.imageNotes", "--json").output
    let run = try docpkg("edit", "Trip.imageNotes", "--text", "x", "--remove", "Images/Dawn.png", "--dry-run")
    #expect(run.output.contains("write Text.txt (1 B)\n"))
    #expect(run.output.contains("remove Images/Dawn.png\n"))
    #expect(try docpkg("tree", "Trip.imageNotes", "--json").output == before)
    let new = try docpkg("new", "B.imageNotes", "--text", "b", "--dry-run")
    #expect(new.output.contains("write Text.txt (1 B)\n") && new.status == 0)
    try output("copy", "Trip.imageNotes", "B.imageNotes", "--dry-run")
    #expect(!fileExists("B.imageNotes"))
  }

  @Test func `edits any package, from a file and from standard input`() throws {
    let book = folder.appending("Book.epub").string
    try FileManager.default.copyItem(atPath: demo.appending(path: "Valleys.epub").path, toPath: book)
    let before = try docpkg("tree", "Book.epub").output
    #expect(try docpkg("edit", "Book.epub", "--set", "EPUB/new/a.txt=-", input: "hello").status == 0)
    #expect(try docpkg("cat", "Book.epub", "EPUB/new/a.txt").output == "hello")
    try output("edit", "Book.epub", "--remove", "EPUB/new")
    #expect(try docpkg("tree", "Book.epub").output == before)
    #expect(try docpkg("info", "Book.epub", "--json").output == "{}\n")
  }

  @Test func `lists a tree as text and as JSON`() throws {
    struct Entry: Decodable {
      var path: String
      var kind: String
      var size: Int?
      var target: String?
    }
    try made()
    let package = folder.appending("Trip.imageNotes")
    try FileManager.default.createSymbolicLink(
      atPath: package.appending("link").string, withDestinationPath: "Text.txt")
    let run = try docpkg("tree", "Trip.imageNotes")
    #expect(
      run.output == """
        Images/
        Images/Dawn.png
        Images/Lake.jpeg
        Metadata.plist
        Text.txt
        link -> Text.txt

        """)
    let entries: [Entry] = try decoded(docpkg("tree", "Trip.imageNotes", "--json"))
    #expect(entries.map(\.kind) == ["directory", "file", "file", "file", "file", "link"])
    #expect(entries[1].size == 130_365)
    #expect(entries.last?.target == "Text.txt")
  }

  @Test func `names new documents by convention`() throws {
    for number in 1...2 {
      let run = try docpkg("new", "--in", ".", "--text", "n")
      #expect(run.output.hasPrefix("./Notes \(number).imageNotes: wrote"))
    }
    try output("new", "--in", ".", "--naming", "uuid", "--text", "n")
    try output("new", "--in", ".", "--naming", "timestamp", "--text", "n")
  }

  @Test func `takes names that are not UTF-8`() throws {
    let script = """
      set -e
      name=$(printf 'b\\377')
      "$0" new D.imageNotes --text x --quiet
      "$0" edit D.imageNotes --set "$name=D.imageNotes/Text.txt" --quiet
      "$0" cat D.imageNotes "$name"
      test -e "D.imageNotes/$name"
      "$0" edit D.imageNotes --remove "$name" --quiet
      test ! -e "D.imageNotes/$name"
      """
    let run = try shell(script)
    #expect(run.status == 0 && run.output == "x", "\(run.errors)")
  }

  @Test func `has a page with a line for each command`() throws {
    let page = try String(contentsOf: projectFolder.appending(path: "Docs/CommandLine.md"), encoding: .utf8)
    let help = try run(Program("docpkg-full"), ["--help"], in: "/").output
    let names = help.drop(after: "SUBCOMMANDS:\n").matches(of: #/(?m)^  ([a-z]+)  /#).map(\.1)
    #expect(names.count > 20)
    for name in names { #expect(page.contains("| `\(name)` |")) }
  }
}

extension String {
  /// The text after a line.
  fileprivate func drop(after line: String) -> Substring {
    range(of: line).map { self[$0.upperBound...] } ?? ""
  }
}
