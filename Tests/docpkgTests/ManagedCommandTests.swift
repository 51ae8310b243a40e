import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg and documents with a database", .tags(.process))
struct ManagedCommandTests {
  /// Makes a document with three recipes, three pictures and a file, and two more saves.
  private func make(in folder: FilePath, rounds: Int = 2) throws {
    let run = try Program("bookkeeper").run(
      [folder.appending("Book.recipebook").string, "0", "\(rounds)"], in: folder, input: "")
    try #require(run.status == 0, "\(run.output)")
  }

  private func output(_ arguments: String..., in folder: FilePath) throws -> String {
    let run = try run(tool, arguments, in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
    return run.output
  }

  @Test func `verify finds it whole, and names the edits of other programs`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      #expect(try output("verify", "Book.recipebook", in: folder) == "whole: 7 children, 300 KB\n")
      try Data("x".utf8).write(to: URL(filePath: folder.string + "/Book.recipebook/AdditionalContent/even"))
      let run = try docpkg("verify", "Book.recipebook", in: folder)
      #expect(run.status == 0)
      #expect(run.output.hasPrefix("changed by another program: AdditionalContent/even\nwhole: "))
      #expect(try docpkg("verify", "--strict", "Book.recipebook", in: folder).status == 1)
    }
  }

  @Test func `info shows tables, files and undo`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      let text = try output("info", "Book.recipebook", in: folder)
      #expect(text.contains("Database: StoreContent/persistentStore\n"))
      #expect(
        text.contains("\ntables: recipe (3 rows)\nadditional content: 4 files, 300 KB\nundo: 0 steps\n"))
      #expect(text.hasSuffix("unsaved changes: no\nopen: no\n"))
      let json = try JSONSerialization.jsonObject(
        with: Data(try output("info", "--json", "Book.recipebook", in: folder).utf8))
      let contents = try #require((json as? [String: Any])?["DatabaseContents"] as? [String: Any])
      #expect(contents["Tables"] as? [String: Int] == ["recipe": 3])
      #expect(contents["FileCount"] as? Int == 4 && contents["IsOpen"] as? Bool == false)
    }
  }

  @Test func `copy makes a document by itself`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      let plan = try output("copy", "--dry-run", "Book.recipebook", "Copy.recipebook", in: folder)
      #expect(plan.contains("StoreContent/persistentStore") && plan.contains("AdditionalContent/even"))
      #expect(!FileManager.default.fileExists(atPath: folder.string + "/Copy.recipebook"))
      _ = try output("copy", "Book.recipebook", "Copy.recipebook", in: folder)
      #expect(try output("verify", "Copy.recipebook", in: folder) == "whole: 7 children, 300 KB\n")
      let (old, new) = (
        try output("info", "Book.recipebook", in: folder), try output("info", "Copy.recipebook", in: folder)
      )
      let identifier = { (text: String) in text.split(separator: "\n").first { $0.hasPrefix("Identifier: ") }
      }
      #expect(identifier(old) != nil && identifier(old) != identifier(new))
    }
  }

  @Test(arguments: ["zip", "tar"]) func `export and import give the same document`(format: String)
    async throws
  {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      _ = try output("export", "Book.recipebook", "Book.\(format)", in: folder)
      _ = try output("import", "Book.\(format)", "Back.recipebook", in: folder)
      #expect(try output("verify", "Back.recipebook", in: folder) == "whole: 7 children, 300 KB\n")
      #expect(
        try output("cat", "Back.recipebook", "AdditionalContent/Pictures/3", in: folder)
          == output("cat", "Book.recipebook", "AdditionalContent/Pictures/3", in: folder))
      let keep = { (text: String) in
        text.split(separator: "\n").filter { !$0.hasPrefix("database: ") && !$0.hasPrefix("undo: ") }
      }
      #expect(
        try keep(output("info", "Back.recipebook", in: folder))
          == keep(output("info", "Book.recipebook", in: folder)),
        "identifier and revision are those of before")
      // The imported document goes on.
      let run = try Program("bookkeeper").run(
        [folder.appending("Back.recipebook").string, "3", "4"], in: folder, input: "")
      #expect(run.status == 0, "\(run.output)")
      #expect(try output("verify", "Back.recipebook", in: folder) == "whole: 7 children, 300 KB\n")
    }
  }

  @Test func `a folder of documents is copied and exported with its database at one moment`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      try FileManager.default.createDirectory(
        atPath: folder.string + "/Books", withIntermediateDirectories: false)
      try FileManager.default.moveItem(
        atPath: folder.string + "/Book.recipebook", toPath: folder.string + "/Books/Book.recipebook")
      _ = try output("copy", "Books", "Copy", in: folder)
      _ = try output("export", "Books", "Books.zip", in: folder)
      _ = try output("import", "Books.zip", "Back", in: folder)
      for library in ["Books", "Copy", "Back"] {
        let verified = try output("verify", "\(library)/Book.recipebook", in: folder)
        #expect(verified == "whole: 7 children, 300 KB\n", "\(library)")
      }
      #expect(
        try output("verify", "Books", in: folder) == "Books/Book.recipebook: whole: 7 children, 300 KB\n")
      let names = try FileManager.default.contentsOfDirectory(
        atPath: folder.string + "/Copy/Book.recipebook/StoreContent")
      #expect(names == ["persistentStore"])
    }
  }

  @Test(.enabled(if: Program.installed("sqlite3") != nil, "the sqlite3 shell is not installed"))
  func `the exported database opens in the shell`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      _ = try output("export", "Book.recipebook", "Book.zip", in: folder)
      _ = try output("import", "Book.zip", "Back.recipebook", in: folder)
      let store = "Back.recipebook/StoreContent/persistentStore"
      let shell = try #require(Program.installed("sqlite3")).run(
        [store, "SELECT title FROM recipe; PRAGMA journal_mode; SELECT count(*) FROM grdb_changes;"],
        in: folder, input: "")
      #expect(shell.output == "2\n2\n2\nwal\n0\n")
    }
  }

  @Test func `edit changes files through the database, and refuses the database itself`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      try Data("new".utf8).write(to: URL(filePath: folder.string + "/file"))
      let before = try output("info", "Book.recipebook", in: folder)
      #expect(
        try output(
          "edit", "Book.recipebook", "--set", "AdditionalContent/a/b=file", "--remove",
          "AdditionalContent/even",
          "--dry-run", in: folder) == "remove even\nwrite a/b\n")
      #expect(try output("info", "Book.recipebook", in: folder) == before)
      _ = try output(
        "edit", "Book.recipebook", "--set", "AdditionalContent/a/b=file", "--remove",
        "AdditionalContent/even",
        in: folder)
      #expect(try output("cat", "Book.recipebook", "AdditionalContent/a/b", in: folder) == "new")
      #expect(try output("verify", "Book.recipebook", in: folder) == "whole: 8 children, 300 KB\n")
      for (child, words) in [
        ("StoreContent/persistentStore", "is the document's database"),
        ("Text.txt", "is not below 'AdditionalContent'"),
      ] {
        let run = try docpkg("edit", "Book.recipebook", "--set", "\(child)=file", in: folder)
        #expect(run.status == 2 && run.errors.contains(words), "\(run.errors)")
      }
      let missing = try docpkg("edit", "Book.recipebook", "--remove", "AdditionalContent/none", in: folder)
      #expect(missing.status == 2)
      #expect(try output("verify", "Book.recipebook", in: folder) == "whole: 8 children, 300 KB\n")
    }
  }

  @Test func `diff compares rows and files of two documents`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      _ = try output("copy", "Book.recipebook", "Copy.recipebook", in: folder)
      #expect(try output("diff", "Book.recipebook", "Copy.recipebook", in: folder) == "")
      let digits = try Program("bookkeeper").run(
        [folder.appending("Book.recipebook").string, "7", "7"], in: folder, input: "")
      #expect(digits.status == 0)
      #expect(try output("cat", "Book.recipebook", "AdditionalContent/Pictures/1", in: folder) == "7 ")
      let changes =
        "recipe: 3 updated\nAdditionalContent/Pictures/1: changed\nAdditionalContent/Pictures/2: changed\n"
        + "AdditionalContent/Pictures/3: changed\nAdditionalContent/even: removed\n"
      let run = try run(tool, ["diff", "Copy.recipebook", "Book.recipebook"], in: folder)
      #expect(run.status == 1 && run.output == changes, "\(run)")
      let between = try docpkg("diff", "Book.recipebook", "Copy.recipebook", "--json", in: folder)
      #expect(between.status == 1)
      let found = try JSONSerialization.jsonObject(with: Data(between.output.utf8)) as? [String: Any]
      #expect((found?["tables"] as? [[String: Any]])?.first?["updated"] as? Int == 3)
      let plain = try docpkg("diff", "Book.recipebook", ".", in: folder)
      #expect(plain.status == 2 && plain.errors.contains("has no database"))
      let missing = try docpkg("diff", "Book.recipebook", "Missing.recipebook", in: folder)
      #expect(missing.status == 2 && !missing.errors.contains("has no database"), "\(missing.errors)")
    }
  }

  @Test func `commands for versions say that it keeps none`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      #expect(try output("versions", "Book.recipebook", in: folder).hasPrefix("* "))
      for arguments in [
        ["versions", "start"], ["versions", "prune"], ["versions", "stop"], ["restore", "--version", "1"],
        ["diff"], ["diff", "--version", "1"], ["tree", "--version", "1"],
      ] {
        let run = try run(tool, arguments + ["Book.recipebook"], in: folder)
        #expect(run.status == 2 && run.errors.contains("keeps no versions"), "\(arguments): \(run)")
      }
      let child = ["cat", "Book.recipebook", "AdditionalContent/Pictures/1", "--version", "1"]
      #expect(try run(tool, child, in: folder).errors.contains("keeps no versions"))
      #expect(try output("verify", "Book.recipebook", in: folder).hasPrefix("whole: "))
    }
  }

  @Test func `commands for trees leave it as it is`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      for arguments in [
        ["undo", "Book.recipebook"], ["redo", "Book.recipebook"],
        ["edit", "Book.recipebook", "--text", "x"],
      ] {
        let run = try run(tool, arguments, in: folder)
        #expect(run.status == 2, "\(arguments): \(run.output)")
        if arguments[0] != "edit" { #expect(run.errors.contains("its own program undoes edits")) }
      }
      _ = try output("repair", "Book.recipebook", in: folder)
      _ = try output("recover", "Book.recipebook", in: folder)
      #expect(try output("verify", "Book.recipebook", in: folder) == "whole: 7 children, 300 KB\n")
    }
  }

  @Test func `an open document is read with its last edits`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      let writer = try Program("bookkeeper").start(
        [folder.appending("Book.recipebook").string, "count", "1"], in: folder, input: .lines)
      defer { writer.kill() }
      while !String(decoding: writer.output, as: UTF8.self).contains("\n") {
        try #require(writer.isRunning)
        try await Task.sleep(for: .milliseconds(20))
      }
      for number in 1...5 {
        #expect(try output("info", "Book.recipebook", in: folder).contains("open: yes, in another program"))
        let verified = try docpkg("verify", "Book.recipebook", in: folder)
        #expect(verified.status == 0, "\(verified.output)")
        _ = try output("export", "Book.recipebook", "\(number).zip", in: folder)
        _ = try output("import", "\(number).zip", "\(number).recipebook", in: folder)
        #expect(try docpkg("verify", "\(number).recipebook", in: folder).status == 0)
      }
    }
  }
}
