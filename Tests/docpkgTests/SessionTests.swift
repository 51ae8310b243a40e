import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg open", .tags(.process))
struct SessionTests {
  private func withTrip(_ body: (FilePath) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      #expect(try docpkg("new", "Trip.imageNotes", "--text", "One", in: folder).status == 0)
      try await body(folder)
    }
  }

  private func text(_ folder: FilePath) throws -> String {
    try String(
      contentsOf: URL(filePath: folder.appending("Trip.imageNotes/Text.txt").string), encoding: .utf8)
  }

  @Test func `carries out commands, and saves at the end`() async throws {
    try await withTrip { folder in
      let run = try docpkg(
        "open", "Trip.imageNotes", "--exec", "append Two", "--exec", #"append Three\n\\n"#, "--exec", "undo",
        "--exec", "undo", "--exec", "redo", "--exec", "title A trip", "--exec", "show", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output == "A trip\n\nOne\nTwo\n")
      #expect(run.errors.contains("saved: wrote Metadata.plist, Text.txt"))
      #expect(try text(folder) == "One\nTwo\n")
    }
  }

  @Test(arguments: [
    (#"append \377"#, "'append' needs a text in UTF-8: '\\xFF' is not UTF-8."),
    (#"text a\377b"#, "'text' needs a text in UTF-8: 'a\\xFFb' is not UTF-8."),
    ("append", "'append' needs a text after it."),
    ("add-image nope.png", "The file 'nope.png' could not be read: no such file or directory."),
    (#"save """#, "'save' needs a name after it."), (#"add-image """#, "'add-image' needs a name after it."),
  ])
  func `refuses what it cannot use, in one sentence`(line: String, message: String) async throws {
    try await withTrip { folder in
      let run = try docpkgTests.run(
        Program(path: "/bin/sh"),
        ["-c", "printf '%b\\n' \"$1\" | \"$2\" open Trip.imageNotes", "sh", line, tool.path],
        in: folder)
      #expect(run.status == 2)
      #expect(run.errors.split(separator: "\n") == [message[...]], "\(run.errors)")
      #expect(try text(folder) == "One")
    }
  }

  @Test func `ends with 1 if the document is in conflict, and with 2 if a command was refused, too`()
    async throws
  {
    try await withTrip { folder in
      #expect(try docpkg("edit", "Trip.imageNotes", "--title", "A trip", in: folder).status == 0)
      let theirs = folder.appending("Trip.imageNotes/.docpkg/conflicts/\(UUID())").string
      try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: true)
      try Data("theirs".utf8).write(to: URL(filePath: theirs + "/Text.txt"))
      let run = try docpkg("open", "Trip.imageNotes", "--exec", "append Two", in: folder)
      #expect(run.status == 1, "\(run.errors)")
      #expect(try text(folder) == "One\nTwo\n")
      let refused = try docpkg("open", "Trip.imageNotes", "--exec", "append", in: folder)
      #expect(refused.status == 2)
    }
  }

  @Test func `reads commands to the end of input`() async throws {
    try await withTrip { folder in
      let picture = demo.appending(path: "Dawn.png").path
      let script = """
        # a comment

        add-image '\(picture)'
        caption Dawn.png=At five
        text Two\\nThree
        save
        remove-image Dawn.png
        undo
        status
        """
      let run = try docpkg("open", "Trip.imageNotes", "--json", in: folder, input: script)
      #expect(run.status == 0, "\(run.errors)")
      let lines = try run.output.split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
      #expect(run.errors.isEmpty)
      #expect(lines.count { $0.event == "edited" } == 5)
      // Undone edits need no second save.
      #expect(lines.count { $0.event == "saved" } == 1)
      let status = try #require(lines.last { $0.event == "status" })
      #expect(status.hasUnsavedChanges == false)
      #expect(status.undo == "Undo Change Text")
      #expect(lines.last?.state == ["closed"])
      #expect(try text(folder) == "Two\nThree")
      let shown = try docpkg("show", "Trip.imageNotes", in: folder).output
      #expect(shown.contains("Dawn.png  ") && shown.contains("“At five”"))
    }
  }

  @Test func `goes on after a command that is refused, and says so`() async throws {
    try await withTrip { folder in
      let run = try docpkg(
        "open", "Trip.imageNotes", in: folder,
        input:
          "remove-image None.png\nfly\nundo\nmove-image a=0\ncaption x\nadd-image\nundo now\nappend Two\n")
      #expect(run.status == 2)
      #expect(run.errors.contains("None.png") && run.errors.contains("There is no command 'fly'"))
      #expect(
        run.errors.contains("There is nothing to undo.") && run.errors.contains("is not a place in the order")
      )
      #expect(run.errors.contains("needs NAME=VALUE") && run.errors.contains("takes nothing after it"))
      #expect(try text(folder) == "One\nTwo\n")
      // Commands on the command line form one unit.
      let second = try docpkg(
        "open", "Trip.imageNotes", "--exec", "fly", "--exec", "append Three", in: folder)
      #expect(second.status == 2)
      #expect(try text(folder) == "One\nTwo\n")
    }
  }

  @Test func `refuses documents of another type`() async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        atPath: folder.appending("Other").string, withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        atPath: folder.appending("Other.rtfd").string, withIntermediateDirectories: true)
      for (name, reason) in [
        ("Other", "is no ImageNotes document"), ("Other.rtfd", "a package of another type"),
      ] {
        let run = try docpkg("open", name, in: folder, input: "")
        #expect(run.status == 2 && run.errors.contains(reason), "\(run)")
      }
      let none = try docpkg("open", "None.imageNotes", in: folder, input: "")
      #expect(none.status == 2 && none.errors.hasPrefix("docpkg: "))
    }
  }

  @Test(.timeLimit(.minutes(20)), arguments: [SIGTERM, SIGINT, SIGHUP])
  func `saves when it is told to end`(signal: Int32) async throws {
    try await withTrip { folder in
      let session = try start("open", "Trip.imageNotes", "--json", in: folder)
      session.say("append Two")
      try await session.waits { (line: Line) in line.event == "edited" }
      session.signal(signal)
      #expect(try session.wait().status == 0)
      #expect(try text(folder) == "One\nTwo\n")
      #expect(try session.lines(Line.self).last?.state == ["closed"])
    }
  }

  @Test(.timeLimit(.minutes(20)))
  func `takes in what another program does, and saves by itself`() async throws {
    try await withTrip { folder in
      let session = try start("open", "Trip.imageNotes", "--json", in: folder)
      // A change before the session has read the document would be no event.
      try await session.waits { (line: Line) in line.state == [] }
      #expect(try docpkg("edit", "Trip.imageNotes", "--append", "Theirs", in: folder).status == 0)
      // A change during publishing may come in several events.
      let changed = try await session.waits { (line: Line) in line.paths?.contains("Text.txt") == true }
      #expect(changed.event == "changed" && changed.outcome == "reloaded")
      session.say("title Both")
      // No command asks for this save.
      try await session.waits { (line: Line) in line.event == "saved" }
      #expect(try docpkg("show", "Trip.imageNotes", in: folder).output == "Both\n\nOne\nTheirs\n")
      session.say("quit")
      #expect(try session.wait().status == 0)
    }
  }
}

/// A line of `docpkg open --json`.
private struct Line: Decodable {
  var event: String
  var outcome: String?
  var paths: [String]?
  var state: [String]?
  var hasUnsavedChanges: Bool?
  var undo: String?
}
