import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg and documents with a database", .tags(.process), .temporaryDirectory)
struct ManagedCommandTests {
  @Test func `verify finds it whole, and names the edits of other programs`() throws {
    try makeBook()
    #expect(try output("verify", "Book.recipebook") == "whole: 7 children, 300 KB\n")
    try write("x", to: "Book.recipebook/AdditionalContent/even")
    #expect(
      try output("verify", "Book.recipebook").hasPrefix(
        "changed by another program: AdditionalContent/even\nwhole: "))
    #expect(try docpkg("verify", "--strict", "Book.recipebook").status == 1)
  }

  @Test func `info shows tables, files and undo`() throws {
    try makeBook()
    let text = try output("info", "Book.recipebook")
    #expect(text.contains("Database: StoreContent/persistentStore\n"))
    #expect(text.contains("\ntables: recipe (3 rows)\nadditional content: 4 files, 300 KB\nundo: 0 steps\n"))
    #expect(text.hasSuffix("unsaved changes: no\nopen: no\n"))
    let json = try JSONSerialization.jsonObject(
      with: Data(try output("info", "--json", "Book.recipebook").utf8))
    let contents = try #require((json as? [String: Any])?["DatabaseContents"] as? [String: Any])
    #expect(contents["Tables"] as? [String: Int] == ["recipe": 3])
    #expect(contents["FileCount"] as? Int == 4 && contents["IsOpen"] as? Bool == false)
  }

  @Test func `copy makes a document by itself`() throws {
    try makeBook()
    let plan = try output("copy", "--dry-run", "Book.recipebook", "Copy.recipebook")
    #expect(plan.contains("StoreContent/persistentStore") && plan.contains("AdditionalContent/even"))
    #expect(!fileExists("Copy.recipebook"))
    try output("copy", "Book.recipebook", "Copy.recipebook")
    #expect(try output("verify", "Copy.recipebook") == "whole: 7 children, 300 KB\n")
    let (old, new) = (try output("info", "Book.recipebook"), try output("info", "Copy.recipebook"))
    let identifier = { (text: String) in text.firstMatch(of: /Identifier: .*/)?.output }
    #expect(identifier(old) != nil && identifier(old) != identifier(new))
  }

  @Test(arguments: ["zip", "tar"]) func `export and import give the same document`(format: String) throws {
    try makeBook()
    try output("export", "Book.recipebook", "Book.\(format)")
    try output("import", "Book.\(format)", "Back.recipebook")
    #expect(try output("verify", "Back.recipebook") == "whole: 7 children, 300 KB\n")
    #expect(
      try output("cat", "Back.recipebook", "AdditionalContent/Pictures/3")
        == output("cat", "Book.recipebook", "AdditionalContent/Pictures/3"))
    let keep = { (text: String) in
      text.split(separator: "\n").filter { !$0.hasPrefix("database: ") && !$0.hasPrefix("undo: ") }
    }
    #expect(
      try keep(output("info", "Back.recipebook")) == keep(output("info", "Book.recipebook")),
      "identifier and revision are those of before")
    // The imported document goes on.
    let run = try Program("bookkeeper").run(
      [folder.appending("Back.recipebook").string, "3", "4"], in: folder, input: "")
    #expect(run.status == 0, "\(run.output)")
    #expect(try output("verify", "Back.recipebook") == "whole: 7 children, 300 KB\n")
  }

  @Test func `a folder of documents is copied and exported with its database at one moment`() throws {
    try makeBook()
    try FileManager.default.createDirectory(
      atPath: folder.string + "/Books", withIntermediateDirectories: false)
    try FileManager.default.moveItem(
      atPath: folder.string + "/Book.recipebook", toPath: folder.string + "/Books/Book.recipebook")
    try output("copy", "Books", "Copy")
    try output("export", "Books", "Books.zip")
    try output("import", "Books.zip", "Back")
    for library in ["Books", "Copy", "Back"] {
      let verified = try output("verify", "\(library)/Book.recipebook")
      #expect(verified == "whole: 7 children, 300 KB\n", "\(library)")
    }
    #expect(try output("verify", "Books") == "Books/Book.recipebook: whole: 7 children, 300 KB\n")
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.string + "/Copy/Book.recipebook/StoreContent")
    #expect(names == ["persistentStore"])
  }

  @Test(.enabled(if: Program.installed("sqlite3") != nil, "the sqlite3 shell is not installed"))
  func `the exported database opens in the shell`() throws {
    try makeBook()
    try output("export", "Book.recipebook", "Book.zip")
    try output("import", "Book.zip", "Back.recipebook")
    let store = "Back.recipebook/StoreContent/persistentStore"
    let shell = try #require(Program.installed("sqlite3")).run(
      [store, "SELECT title FROM recipe; PRAGMA journal_mode; SELECT count(*) FROM grdb_changes;"],
      in: folder, input: "")
    #expect(shell.output == "2\n2\n2\nwal\n0\n")
  }

  @Test func `edit changes files through the database, and refuses the database itself`() throws {
    try makeBook()
    try write("new", to: "file")
    let before = try output("info", "Book.recipebook")
    #expect(
      try output(
        "edit", "Book.recipebook", "--set", "AdditionalContent/a/b=file", "--remove",
        "AdditionalContent/even",
        "--dry-run") == "remove even\nwrite a/b\n")
    #expect(try output("info", "Book.recipebook") == before)
    try output(
      "edit", "Book.recipebook", "--set", "AdditionalContent/a/b=file", "--remove",
      "AdditionalContent/even")
    #expect(try output("cat", "Book.recipebook", "AdditionalContent/a/b") == "new")
    #expect(try output("verify", "Book.recipebook") == "whole: 8 children, 300 KB\n")
    for (child, words) in [
      ("StoreContent/persistentStore", "is the document's database"),
      ("Text.txt", "is not below 'AdditionalContent'"),
    ] {
      try expectMessage(["edit", "Book.recipebook", "--set", "\(child)=file"], words)
    }
    #expect(try docpkg("edit", "Book.recipebook", "--remove", "AdditionalContent/none").status == 2)
    #expect(try output("verify", "Book.recipebook") == "whole: 8 children, 300 KB\n")
  }

  @Test func `diff compares rows and files of two documents`() throws {
    try makeBook()
    try output("copy", "Book.recipebook", "Copy.recipebook")
    #expect(try output("diff", "Book.recipebook", "Copy.recipebook") == "")
    let digits = try Program("bookkeeper").run(
      [folder.appending("Book.recipebook").string, "7", "7"], in: folder, input: "")
    #expect(digits.status == 0)
    #expect(try output("cat", "Book.recipebook", "AdditionalContent/Pictures/1") == "7 ")
    let changes =
      "recipe: 3 updated\nAdditionalContent/Pictures/1: changed\nAdditionalContent/Pictures/2: changed\n"
      + "AdditionalContent/Pictures/3: changed\nAdditionalContent/even: removed\n"
    let run = try run(tool, ["diff", "Copy.recipebook", "Book.recipebook"])
    #expect(run.status == 1 && run.output == changes, "\(run)")
    let between = try docpkg("diff", "Book.recipebook", "Copy.recipebook", "--json")
    #expect(between.status == 1)
    let found = try JSONSerialization.jsonObject(with: Data(between.output.utf8)) as? [String: Any]
    #expect((found?["tables"] as? [[String: Any]])?.first?["updated"] as? Int == 3)
    try expectMessage(["diff", "Book.recipebook", "."], "has no database")
    let missing = try docpkg("diff", "Book.recipebook", "Missing.recipebook")
    #expect(missing.status == 2 && !missing.errors.contains("has no database"), "\(missing.errors)")
  }

  @Test func `commands for versions say that it keeps none`() throws {
    try makeBook()
    #expect(try output("versions", "Book.recipebook").hasPrefix("* "))
    for arguments in [
      ["versions", "start"], ["versions", "prune"], ["versions", "stop"], ["restore", "--version", "1"],
      ["diff"], ["diff", "--version", "1"], ["tree", "--version", "1"],
    ] {
      try expectMessage(arguments + ["Book.recipebook"], "keeps no versions")
    }
    let child = ["cat", "Book.recipebook", "AdditionalContent/Pictures/1", "--version", "1"]
    #expect(try run(tool, child).errors.contains("keeps no versions"))
    #expect(try output("verify", "Book.recipebook").hasPrefix("whole: "))
  }

  @Test func `commands for trees leave it as it is`() throws {
    try makeBook()
    for arguments in [
      ["undo", "Book.recipebook"], ["redo", "Book.recipebook"],
      ["edit", "Book.recipebook", "--text", "x"],
    ] {
      let run = try run(tool, arguments)
      #expect(run.status == 2, "\(arguments): \(run.output)")
      if arguments[0] != "edit" { #expect(run.errors.contains("its own program undoes edits")) }
    }
    try output("repair", "Book.recipebook")
    try output("recover", "Book.recipebook")
    #expect(try output("verify", "Book.recipebook") == "whole: 7 children, 300 KB\n")
  }

  @Test func `an open document is read with its last edits`() async throws {
    try makeBook()
    let writer = try Program("bookkeeper").start(
      [folder.appending("Book.recipebook").string, "count", "1"], in: folder, input: .lines)
    defer { writer.kill() }
    try await writer.waits { String(decoding: writer.output, as: UTF8.self).contains("\n") }
    for number in 1...5 {
      #expect(try output("info", "Book.recipebook").contains("open: yes, in another program"))
      try output("verify", "Book.recipebook")
      try output("export", "Book.recipebook", "\(number).zip")
      try output("import", "\(number).zip", "\(number).recipebook")
      try output("verify", "\(number).recipebook")
    }
  }
}
