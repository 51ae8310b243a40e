import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("A command line in its plainest form", .tags(.process), .temporaryDirectory)
struct PlainArgumentsTests {
  /// The options of an edit. With `--` before the path, ArgumentParser reads the same command line.
  static let edits: [[String]] = [
    ["--text", "new words"], ["--append", "one more"], ["--title", "A title"],
    ["--text", "new", "--append", "more", "--title", "T"], ["--set", "child=one"],
    ["--set", "a=one", "--set", "b/c=one"],
    ["--remove", "Text.txt"], ["--remove", "nosuch"], ["--remove-image", "nosuch"], ["--add-image", "one"],
    ["--add-image", "Dawn.png", "--dry-run"],
    ["--add-image", "Dawn.png", "--remove", "Other", "--set", "Other=one"],
    ["--text", "same", "--json"], ["--text", "quiet", "--quiet"], ["--text", "plain", "--no-history"],
    ["--set", "Folder=one"], ["--set", "Folder=one", "--force"], ["--text", "a", "--text", "b"],
    ["--set", "nosuch"], ["--set", "x=nosuch"], [], ["--quiet"], ["--text", ""], ["--unknown", "x"],
    ["--text", "words", "--text-file", "one"], ["--append", "two\nlines"], ["--title", "日本", "--text", "é"],
  ]

  /// A document, an image and a file, at names that are the same each time.
  private func make(in folder: String = ".") throws {
    try prepare(
      """
      mkdir -p \(folder)/D.imageNotes/Folder; cd \(folder); cp "\(demo.path)/Dawn.png" .
      echo x > D.imageNotes/Folder/x; echo 1 > one; $0 edit D.imageNotes --text old
      """)
  }

  @Test(arguments: edits)
  func `edits as ArgumentParser's command does`(_ options: [String]) throws {
    for name in ["plain", "parsed"] { try make(in: name) }
    let one = try run(tool, ["edit", "D.imageNotes"] + options, in: folder.appending("plain"))
    let other = try run(tool, ["edit"] + options + ["--", "D.imageNotes"], in: folder.appending("parsed"))
    #expect(one.status == other.status && one.errors == other.errors)
    #expect(Self.withoutRevisions(one.output) == Self.withoutRevisions(other.output))
    let difference = try shell("diff -r -x Metadata.plist -x .docpkg plain parsed")
    #expect(difference.status == 0, "\(difference.output)")
  }

  /// The report of a save without its new identifiers and times.
  private static func withoutRevisions(_ report: String) -> String {
    report.replacing(/[0-9A-F]{8}-[0-9A-F-]{27}/, with: "ID").replacing(
      /"[a-zA-Z]*[sS]econds" ?: ?[0-9.e-]+/, with: "")
  }

  @Test(arguments: [["Text.txt"], ["nosuch"], ["Folder"], [], ["Text.txt", "more"]])
  func `prints as ArgumentParser's command does`(_ children: [String]) throws {
    try make()
    let plain = try run(tool, ["cat", "D.imageNotes"] + children)
    let parsed = try run(tool, ["cat", "--", "D.imageNotes"] + children)
    #expect(plain == parsed)
  }

  @Test func `the version is the parser's`() throws {
    let version = try docpkg("--version")
    let parsed = try docpkg("list", "--version")
    #expect(version.status == 0 && version == parsed)
  }
}
