import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Versions on the command line", .tags(.process))
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

  private func decoded<Value: Decodable>(_ run: Run) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(run.output.utf8))
  }

  private func text(in folder: FilePath) throws -> String {
    try docpkg("cat", "Trip.imageNotes", "Text.txt", in: folder).output
  }

  private func made(in folder: FilePath) throws {
    _ = try docpkg(
      "new", "Trip.imageNotes", "--text", "one\n", "--image", demo.appending(path: "Dawn.png").path,
      in: folder)
    #expect(try docpkg("edit", "Trip.imageNotes", "--append", "two", in: folder).status == 0)
    let run = try docpkg(
      "edit", "Trip.imageNotes", "--append", "three", "--replace-image",
      "Dawn.png=\(demo.appending(path: "Lake.jpeg").path)", in: folder)
    #expect(run.status == 0)
  }

  @Test func `are listed, compared and restored`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let versions: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json", in: folder))
      #expect(versions.map(\.generation) == [3, 2, 1])
      #expect(versions.map(\.current) == [true, false, false])
      #expect(versions[2].changed == ["Text.txt"])

      let diff = try docpkg(
        "diff", "Trip.imageNotes", "--version", versions[2].id, "--version", versions[1].id, in: folder)
      #expect(diff.status == 1)
      #expect(diff.output == "--- a/Text.txt\n+++ b/Text.txt\n@@ -1 +1,2 @@\n one\n+two\n")
      let disk = try docpkg("diff", "Trip.imageNotes", "--version", versions[2].id, "--stat", in: folder)
      #expect(disk.status == 1 && disk.output.contains("Text.txt: +2 -0\n"))
      #expect(disk.output.contains("png, ") && disk.output.contains("jpeg, "))
      #expect(try docpkg("diff", "Trip.imageNotes", "--version", "none", "--quiet", in: folder).status == 2)

      let id = String(versions[2].id.prefix(8)).lowercased()
      let plan = try docpkg("restore", "Trip.imageNotes", "--version", id, "--dry-run", in: folder)
      #expect(plan.status == 0 && plan.output.contains("write Text.txt (4 B)"))
      #expect(try text(in: folder) == "one\ntwo\nthree\n")
      let child: Report = try decoded(
        docpkg("restore", "Trip.imageNotes", "--version", id, "Text.txt", "--json", in: folder))
      #expect(child.written == ["Metadata.plist", "Text.txt"] && child.generation == 4)
      #expect(try text(in: folder) == "one\n")
      let none = try docpkg("restore", "Trip.imageNotes", "--version", id, "none", in: folder)
      #expect(none.status == 2)
      #expect(none.errors.contains("could not be restored: neither the version nor the document has it"))
      let whole: Report = try decoded(
        docpkg("restore", "Trip.imageNotes", "--version", id, "--json", in: folder))
      #expect(whole.written.contains("Images/Dawn.png"))
      let same = try docpkg("diff", "Trip.imageNotes", "--version", id, in: folder)
      #expect(same.status == 0 && same.output.isEmpty)
      #expect(try docpkg("verify", "Trip.imageNotes", in: folder).status == 0)
    }
  }

  @Test func `are gone back to and forth again`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let report: Report = try decoded(docpkg("undo", "Trip.imageNotes", "--json", in: folder))
      #expect(report.generation == 4)
      #expect(try text(in: folder) == "one\ntwo\n")
      #expect(
        try docpkg("undo", "Trip.imageNotes", "--dry-run", in: folder).output.contains("write Text.txt"))
      #expect(try docpkg("undo", "Trip.imageNotes", in: folder).status == 0)
      #expect(try text(in: folder) == "one\n")
      let end = try docpkg("undo", "Trip.imageNotes", in: folder)
      #expect(end.status == 2 && end.errors.contains("no save to undo"))
      #expect(try docpkg("redo", "Trip.imageNotes", "--quiet", in: folder).status == 0)
      #expect(try text(in: folder) == "one\ntwo\n")
      #expect(try docpkg("edit", "Trip.imageNotes", "--append", "other", in: folder).status == 0)
      #expect(try docpkg("redo", "Trip.imageNotes", in: folder).status == 2)
    }
  }

  @Test func `are not begun, and ended, when that is asked for`() async throws {
    try await withTemporaryDirectory { folder in
      _ = try docpkg("new", "Trip.imageNotes", "--text", "one", in: folder)
      _ = try docpkg("edit", "Trip.imageNotes", "--append", "two", "--no-history", in: folder)
      let none: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json", in: folder))
      #expect(none.count == 1)
      #expect(try docpkg("diff", "Trip.imageNotes", in: folder).status == 2)
      _ = try docpkg("edit", "Trip.imageNotes", "--append", "three", in: folder)
      let prune = try docpkg("versions", "prune", "Trip.imageNotes", "--dry-run", in: folder)
      #expect(prune.status == 0 && prune.output.contains("0 versions would be removed"))
      _ = try docpkg("edit", "Trip.imageNotes", "--append", "four", in: folder)
      let budget = ["versions", "prune", "Trip.imageNotes", "--budget", "0K"]
      let planned = try run(tool, budget + ["--dry-run"], in: folder)
      #expect(planned.status == 0 && planned.output.contains("1 version would be removed"), "\(planned)")
      // The plan leaves the budget as it was.
      #expect(
        try docpkg("versions", "prune", "Trip.imageNotes", in: folder).output.contains("0 versions removed"))
      #expect(try run(tool, budget, in: folder).output.contains("1 version removed"))
      #expect(try docpkg("versions", "stop", "Trip.imageNotes", in: folder).status == 0)
      let ended: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json", in: folder))
      #expect(ended.count == 1)
      // The end lasts, for every command, until a history begins again.
      #expect(try docpkg("edit", "Trip.imageNotes", "--append", "four", in: folder).status == 0)
      #expect(try docpkg("copy", "Trip.imageNotes", "Copy.imageNotes", in: folder).status == 0)
      #expect(try docpkg("edit", "Copy.imageNotes", "--append", "six", in: folder).status == 0)
      for name in ["Trip.imageNotes", "Copy.imageNotes"] {
        let none: [Version] = try decoded(docpkg("versions", name, "--json", in: folder))
        #expect(none.count == 1, "\(name)")
      }
      #expect(try docpkg("versions", "start", "Trip.imageNotes", in: folder).status == 0)
      #expect(try docpkg("edit", "Trip.imageNotes", "--append", "seven", in: folder).status == 0)
      let begun: [Version] = try decoded(docpkg("versions", "Trip.imageNotes", "--json", in: folder))
      #expect(begun.count == 2)
    }
  }

  @Test func `in conflict are none, and resolving that is done`() async throws {
    try await withTemporaryDirectory { folder in
      _ = try docpkg("new", "Trip.imageNotes", "--text", "one", in: folder)
      for arguments in [[], ["--merge"], ["--keep", "present"], ["--merge", "--dry-run"]] {
        let run = try run(tool, ["resolve", "Trip.imageNotes"] + arguments, in: folder)
        #expect(run.status == 0 && run.output == "Trip.imageNotes: nothing is in conflict\n", "\(run)")
      }
      let report: Report = try decoded(docpkg("resolve", "Trip.imageNotes", "--merge", "--json", in: folder))
      #expect(report.written.isEmpty)

      // A conflict needs a choice.
      let copy = folder.appending("Trip.imageNotes/Text (conflicted copy 2026-11-25).txt").string
      try Data("two".utf8).write(to: URL(filePath: copy))
      let run = try docpkg("resolve", "Trip.imageNotes", in: folder)
      #expect(run.status == 64 && run.errors.contains("Give either --keep"), "\(run)")
    }
  }

  @Test func `go into an archive when that is asked for`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      #expect(
        try docpkg("export", "Trip.imageNotes", "Trip.tar.zst", "--with-history", in: folder).status == 0)
      #expect(
        try docpkg("import", "Trip.tar.zst", "Other.imageNotes", "--with-history", in: folder).status == 0)
      let versions: [Version] = try decoded(docpkg("versions", "Other.imageNotes", "--json", in: folder))
      #expect(versions.map(\.generation) == [3, 2, 1])
      #expect(try docpkg("undo", "Other.imageNotes", in: folder).status == 0)
      #expect(try docpkg("cat", "Other.imageNotes", "Text.txt", in: folder).output == "one\ntwo\n")
    }
  }
}
