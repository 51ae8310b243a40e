import Foundation
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("A document with a database that cannot be written", .tags(.process), .temporaryDirectory)
struct ManagedReadOnlyTests {
  @Test(.enabled(if: canBind, "this needs the right to mount"))
  func `on a read-only file system is read, and refuses edits and saves`() async throws {
    let book = try await fixture.open()
    try await book.add(Recipe(id: 1, title: "Rösti", servings: 1), picture: "golden")
    try await book.close()
    let lines = try await Self.talk(
      fixture, mounted: true,
      ["rows", "read Pictures/1.jpeg", "state", "unsaved", "add 2 Soup", "undo", "save"])
    #expect(
      lines == [
        "done rows: 1=Rösti/1", "done read Pictures/1.jpeg: golden", "done state: editingDisabled",
        "done unsaved: false", "failed add 2 Soup: \(Self.sentence)", "failed undo: \(Self.sentence)",
        "failed save: \(Self.sentence)", "closed",
      ])
    #expect(try fixture.names(in: "StoreContent") == ["persistentStore"])
  }

  /// The log of a killed program has the last edits. Without shared memory, SQLite reads it as one without other
  /// programs.
  @Test(.enabled(if: canBind, "this needs the right to mount"), arguments: [true, false])
  func `on a read-only file system is read with its log`(_ hasIndex: Bool) async throws {
    let writer = try await BookkeeperProcess(fixture.url)
    try await writer.perform("add 1 Rösti")
    try await writer.perform("write note golden")
    try await writer.program.kill()
    if !hasIndex {
      try FileManager.default.removeItem(at: fixture.url.appending(path: "StoreContent/persistentStore-shm"))
    }
    let names = try fixture.names(in: "StoreContent")
    let lines = try await Self.talk(fixture, mounted: true, ["rows", "read note", "add 2 Soup"])
    #expect(
      lines == [
        "done rows: 1=Rösti/1", "done read note: golden", "failed add 2 Soup: \(Self.sentence)", "closed",
      ])
    #expect(try fixture.names(in: "StoreContent") == names)
  }

  @Test(.enabled(if: canBind, "this needs the right to mount"))
  func `is not opened if a migration is missing`() async throws {
    // A document without a schema: the program's own migration is missing.
    try await ManagedDocument.open(at: fixture.url).close()
    let lines = try await Self.talk(fixture, mounted: true, [])
    #expect(
      lines == [
        "failed: The document 'Recipes.recipebook' could not be opened: its schema is older than this program's, "
          + "and it cannot be changed in this place (opening 'StoreContent/persistentStore'). Save it to another place."
      ])
  }

  @Test(.enabled(if: Program.installed("setpriv") != nil, "this needs setpriv(1)"))
  func `without permission is read, and refuses edits`() async throws {
    let book = try await fixture.open()
    try await book.add(Recipe(id: 1, title: "Rösti", servings: 1), picture: "golden")
    try await book.close()
    let lines = try await Self.talk(fixture, mounted: false, ["rows", "state", "add 2 Soup"])
    #expect(
      lines == [
        "done rows: 1=Rösti/1", "done state: editingDisabled", "failed add 2 Soup: \(Self.permission)",
        "closed",
      ])
  }

  @Test(.enabled(if: Program.installed("setpriv") != nil, "this needs setpriv(1)"))
  func `without permission is checked once while another program has it open`() async throws {
    let book = try await fixture.openRösti(picture: "golden")
    try await book.saveAndPublish()
    try Data("extra".utf8).write(to: fixture.url.appending(path: "AdditionalContent/extra"))
    let script =
      "chmod -R a+rX \"$0\"; exec timeout 60 setpriv --reuid 65534 --clear-groups \"$1\" verify \"$2\""
    let (folder, url) = (fixture.folder.string, fixture.url.path)
    let run = try await waiting {
      try Program(path: "/bin/sh").run(["-ec", script, folder, Program("docpkg").path, url])
    }
    #expect(run.output.contains("AdditionalContent/extra"), "\(run)")
    try await book.close()
  }

  private static let sentence =
    "The document 'Recipes.recipebook' could not be saved: the file system is read-only. The document on disk is unchanged since it was opened. Save it to another place."

  private static let permission =
    "The document 'Recipes.recipebook' could not be saved: permission denied. The document on disk is unchanged since it was opened. Allow writing, or save it to another place."

  private static let canBind = Program.succeeds(
    "d=$(mktemp -d) && unshare -m sh -ec \"mount --bind $d $d && mount -o remount,bind,ro $d\"; s=$?; rmdir $d; exit $s"
  )

  /// Has a program talk about a document that it cannot write; returns its answers.
  private static func talk(
    _ fixture: BookFixture, mounted: Bool, _ commands: [String]
  ) async throws -> [String] {
    let folder = fixture.folder.string
    let input = (commands + ["close"]).joined(separator: "\n") + "\n"
    let program = Program("bookkeeper").path
    let run = try await waiting {
      if mounted {
        return try Program(path: "/usr/bin/unshare").run(
          [
            "-m", "sh", "-ec",
            "mount --bind \"$0\" \"$0\"; mount -o remount,bind,ro \"$0\"; exec \"$1\" \"$2\" talk",
            folder, program, fixture.url.path,
          ], input: input)
      }
      let script = "chmod -R a+rX,a-w \"$0\"; exec setpriv --reuid 65534 --clear-groups \"$1\" \"$2\" talk"
      let run = try Program(path: "/bin/sh").run(
        ["-ec", script, folder, program, fixture.url.path], input: input)
      _ = try Program(path: "/bin/chmod").run(["-R", "u+w", folder])
      return run
    }
    return run.output.split(separator: "\n").map(String.init).filter { line in
      ["done", "failed", "closed"].contains { line.hasPrefix($0) }
    }
  }
}
