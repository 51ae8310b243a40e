import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Versions on the command line", .tags(.process), .temporaryDirectory)
struct VersionCommandTests {
  private struct Version: Decodable {
    var id: String
    var generation: Int
    var current: Bool
    var changed: [String]
  }

  private struct Report: Decodable {
    var generation: Int?
    var written: [String]
    var removed: [String]
  }

  private func text() throws -> String {
    try docpkg("cat", "Trip.imageNotes", "Text.txt").output
  }

  private func made() throws {
    try docpkg("new", "Trip.imageNotes", "--text", "one\n", "--image", demo.appending(path: "Dawn.png").path)
    try output("edit", "Trip.imageNotes", "--append", "two")
    try output(
      "edit", "Trip.imageNotes", "--append", "three", "--replace-image",
      "Dawn.png=\(demo.appending(path: "Lake.jpeg").path)")
  }

  @Test func `are listed, compared and restored`() throws {
    try made()
    let versions: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json"))
    #expect(versions.map(\.generation) == [3, 2, 1])
    #expect(versions.map(\.current) == [true, false, false])
    #expect(versions[2].changed == ["Text.txt"])

    let diff = try docpkg("diff", "Trip.imageNotes", "--version", versions[2].id, "--version", versions[1].id)
    #expect(diff.status == 1)
    #expect(diff.output == "--- a/Text.txt\n+++ b/Text.txt\n@@ -1 +1,2 @@\n one\n+two\n")
    let disk = try docpkg("diff", "Trip.imageNotes", "--version", versions[2].id, "--stat")
    #expect(disk.status == 1 && disk.output.contains("Text.txt: +2 -0\n"))
    #expect(disk.output.contains("png, ") && disk.output.contains("jpeg, "))
    #expect(try docpkg("diff", "Trip.imageNotes", "--version", "none", "--quiet").status == 2)

    let id = String(versions[2].id.prefix(8)).lowercased()
    #expect(
      try output("restore", "Trip.imageNotes", "--version", id, "--dry-run").contains("write Text.txt (4 B)"))
    #expect(try text() == "one\ntwo\nthree\n")
    let child: Report = try decoded(
      docpkg("restore", "Trip.imageNotes", "--version", id, "Text.txt", "--json"))
    #expect(child.written == ["Metadata.plist", "Text.txt"] && child.generation == 4)
    #expect(try text() == "one\n")
    try expectMessage(
      ["restore", "Trip.imageNotes", "--version", id, "none"],
      "could not be restored: neither the version nor the document has it")
    let whole: Report = try decoded(docpkg("restore", "Trip.imageNotes", "--version", id, "--json"))
    #expect(whole.written.contains("Images/Dawn.png"))
    #expect(try output("diff", "Trip.imageNotes", "--version", id).isEmpty)
    try output("verify", "Trip.imageNotes")
  }

  @Test func `are gone back to and forth again`() throws {
    try made()
    let report: Report = try decoded(docpkg("undo", "Trip.imageNotes", "--json"))
    #expect(report.generation == 4)
    #expect(try text() == "one\ntwo\n")
    #expect(try docpkg("undo", "Trip.imageNotes", "--dry-run").output.contains("write Text.txt"))
    try output("undo", "Trip.imageNotes")
    #expect(try text() == "one\n")
    try expectMessage(["undo", "Trip.imageNotes"], "no save to undo")
    try output("redo", "Trip.imageNotes", "--quiet")
    #expect(try text() == "one\ntwo\n")
    try output("edit", "Trip.imageNotes", "--append", "other")
    #expect(try docpkg("redo", "Trip.imageNotes").status == 2)
  }

  @Test func `are not begun, and ended, when that is asked for`() throws {
    try docpkg("new", "Trip.imageNotes", "--text", "one")
    try docpkg("edit", "Trip.imageNotes", "--append", "two", "--no-history")
    let none: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json"))
    #expect(none.count == 1)
    #expect(try docpkg("diff", "Trip.imageNotes").status == 2)
    try docpkg("edit", "Trip.imageNotes", "--append", "three")
    let prune = try docpkg("versions", "prune", "Trip.imageNotes", "--dry-run")
    #expect(prune.status == 0 && prune.output.contains("0 versions would be removed"))
    try docpkg("edit", "Trip.imageNotes", "--append", "four")
    let budget = ["versions", "prune", "Trip.imageNotes", "--budget", "0K"]
    #expect(try output(budget + ["--dry-run"]).contains("1 version would be removed"))
    // The plan leaves the budget as it was.
    #expect(try docpkg("versions", "prune", "Trip.imageNotes").output.contains("0 versions removed"))
    #expect(try run(tool, budget).output.contains("1 version removed"))
    try output("versions", "stop", "Trip.imageNotes")
    let ended: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json"))
    #expect(ended.count == 1)
    // The end lasts, for every command, until a history begins again.
    try output("edit", "Trip.imageNotes", "--append", "four")
    try output("copy", "Trip.imageNotes", "Copy.imageNotes")
    try output("edit", "Copy.imageNotes", "--append", "six")
    for name in ["Trip.imageNotes", "Copy.imageNotes"] {
      let none: [Version] = try decoded(docpkg("versions", name, "--json"))
      #expect(none.count == 1, "\(name)")
    }
    try output("versions", "start", "Trip.imageNotes")
    try output("edit", "Trip.imageNotes", "--append", "seven")
    let begun: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json"))
    #expect(begun.count == 2)
  }

  @Test func `in conflict are none, and resolving that is done`() throws {
    try docpkg("new", "Trip.imageNotes", "--text", "one")
    for arguments in [[], ["--merge"], ["--keep", "present"], ["--merge", "--dry-run"]] {
      #expect(
        try output(["resolve", "Trip.imageNotes"] + arguments) == "Trip.imageNotes: nothing is in conflict\n")
    }
    let report: Report = try decoded(docpkg("resolve", "Trip.imageNotes", "--merge", "--json"))
    #expect(report.written.isEmpty)

    // A conflict needs a choice.
    let copy = folder.appending("Trip.imageNotes/Text (conflicted copy 2026-11-25).txt").string
    try Data("two".utf8).write(to: URL(filePath: copy))
    try expectMessage(["resolve", "Trip.imageNotes"], "Give either --keep", status: 64)

    // A link that leads nowhere has its name, too.
    let line = try #require(docpkg("conflicts", "Trip.imageNotes").output.split(separator: "\n").last)
    let id = String(line.prefix(10).suffix(8))
    try FileManager.default.createSymbolicLink(
      atPath: folder.appending("Trip (\(id)).imageNotes").string, withDestinationPath: "none")
    try output("resolve", "Trip.imageNotes", "--keep", "present", id, "--quiet")
    #expect(fileExists("Trip (\(id) 2).imageNotes/Text.txt"))
  }

  @Test func `go into an archive when that is asked for`() throws {
    try made()
    try output("export", "Trip.imageNotes", "Trip.tar.zst", "--with-history")
    try output("import", "Trip.tar.zst", "Other.imageNotes", "--with-history")
    let versions: [Version] = try decoded(docpkg("versions", "Other.imageNotes", "--json"))
    #expect(versions.map(\.generation) == [3, 2, 1])
    try output("undo", "Other.imageNotes")
    #expect(try docpkg("cat", "Other.imageNotes", "Text.txt").output == "one\ntwo\n")
  }
}
