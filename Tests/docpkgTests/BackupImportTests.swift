import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg import of a backup of Bear", .tags(.process))
struct BackupImportTests {
  private static let info: TestTree = #"{"version": 2, "type": "net.daringfireball.markdown"}"#

  /// Makes `B.bear2bk` of a tree, a zip as Bear makes it.
  private func backup(_ tree: TestTree, in folder: FilePath) throws {
    try tree.write(to: "B", in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
    #expect(try docpkg("export", "B", "B.zip", "--flat", in: folder).status == 0)
    try FileManager.default.moveItem(
      atPath: folder.appending("B.zip").string, toPath: folder.appending("B.bear2bk").string)
    try FileManager.default.removeItem(atPath: folder.appending("B").string)
  }

  private func names(in folder: FilePath) throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.string))
  }

  private func picture() throws -> TestTree {
    .file([UInt8](try Data(contentsOf: projectFolder.appending(path: "Fixtures/Images/ridge.png"))))
  }

  @Test func `makes a document of each note in a new folder`() async throws {
    try await withTemporaryDirectory { folder in
      try backup(
        [
          "Walk.textbundle": [
            "info.json": Self.info, "text.md": "# Walk\n\n![](assets/ridge.png)\n",
            "assets": ["ridge.png": try picture()],
          ],
          "Archive": ["walk.textbundle": ["info.json": Self.info, "text.md": "Another walk\n"]],
          ".hidden.textbundle": ["info.json": Self.info, "text.md": "Dots\n"], "stray.txt": "x",
        ], in: folder)
      let planned = try docpkg("import", "B.bear2bk", "Notes", "--dry-run", in: folder)
      #expect(planned.status == 0 && planned.output.contains("make folder walk.imageNotes\n"), "\(planned)")
      #expect(try names(in: folder) == ["B.bear2bk"])
      let imported = try docpkg("import", "B.bear2bk", "Notes", in: folder)
      #expect(imported.status == 0, "\(imported)")
      #expect(imported.errors == "docpkg: note: 'stray.txt' is left out: it belongs to no note\n")
      #expect(imported.output.hasSuffix("\nNotes: 3 documents\n"))
      #expect(
        try names(in: folder.appending("Notes")) == [
          "walk.imageNotes", "Walk 2.imageNotes", "hidden.imageNotes",
        ])
      #expect(try docpkg("verify", "Notes", in: folder).status == 0)
      let shown = try docpkg("show", "Notes/Walk 2.imageNotes", in: folder).output
      #expect(shown.contains("ridge.png  png"), "\(shown)")
      let again = try docpkg("import", "B.bear2bk", "Notes", in: folder)
      #expect(again.status == 2 && again.errors.contains("Notes"), "\(again)")
      #expect(try names(in: folder) == ["B.bear2bk", "Notes"])
    }
  }

  @Test func `leaves out a note that it cannot read, and says so by its status`() async throws {
    try await withTemporaryDirectory { folder in
      try backup(
        [
          "A.textbundle": ["info.json": Self.info, "text.md": "a\n"],
          "Broken.textbundle": ["info.json": Self.info, "text.md": "![](../gone.png)\n"],
        ], in: folder)
      let imported = try docpkg("import", "B.bear2bk", "Notes", "--json", in: folder)
      #expect(
        imported.status == 1 && imported.output.contains(#""failed":["Broken.textbundle"]"#), "\(imported)")
      #expect(imported.errors.contains("Broken.textbundle") && imported.errors.contains("gone.png"))
      #expect(try names(in: folder.appending("Notes")) == ["A.imageNotes"])
    }
  }

  @Test func `refuses the name of one document, and a backup without notes`() async throws {
    try await withTemporaryDirectory { folder in
      try backup(["a.txt": "a"], in: folder)
      let document = try docpkg("import", "B.bear2bk", "Notes.imageNotes", in: folder)
      #expect(document.status == 2 && document.errors.contains("a backup with many notes"), "\(document)")
      let none = try docpkg("import", "B.bear2bk", "Notes", in: folder)
      #expect(none.status == 2 && none.errors.contains("has no notes"), "\(none)")
      #expect(try names(in: folder) == ["B.bear2bk"])
    }
  }

  @Test func `of a text names the option that reads it`() async throws {
    try await withTemporaryDirectory { folder in
      try Data("Three valleys, one hut.\n".utf8).write(to: URL(filePath: folder.appending("Trip.txt").string))
      let refused = try docpkg("import", "Trip.txt", "N.imageNotes", in: folder)
      #expect(refused.status == 2 && refused.errors.contains("--from markdown"), "\(refused)")
      #expect(!refused.errors.contains("--format"))
      #expect(try docpkg("import", "Trip.txt", "N.imageNotes", "--from", "markdown", in: folder).status == 0)
    }
  }
}
