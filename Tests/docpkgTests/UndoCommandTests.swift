import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Going back on the command line", .tags(.process))
struct UndoCommandTests {
  private func count(in folder: FilePath) throws -> Int {
    try docpkg("versions", "T.imageNotes", in: folder).output.split(separator: "\n").count
  }

  private func made(in folder: FilePath) throws {
    #expect(try docpkg("new", "T.imageNotes", "--text", "a", in: folder).status == 0)
    #expect(try docpkg("edit", "T.imageNotes", "--append", "b", in: folder).status == 0)
  }

  @Test func `asks before it replaces a child that is read-only`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      chmod(folder.appending("T.imageNotes/Text.txt").string, 0o444)
      let undo = try docpkg("undo", "T.imageNotes", in: folder)
      #expect(undo.status == 2 && undo.errors.contains("read-only"), "\(undo)")
      #expect(try docpkg("undo", "T.imageNotes", "-f", in: folder).status == 0)
      chmod(folder.appending("T.imageNotes/Text.txt").string, 0o444)
      #expect(try docpkg("redo", "T.imageNotes", in: folder).status == 2)
      #expect(try docpkg("redo", "T.imageNotes", "-f", in: folder).status == 0)
      #expect(try docpkg("cat", "T.imageNotes", "Text.txt", in: folder).output == "a\nb\n")
    }
  }

  @Test func `to the state that is there does nothing and says so`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let lines = try docpkg("versions", "T.imageNotes", in: folder).output.split(separator: "\n")
      let (present, first) = (
        String(lines[0].dropFirst(2).prefix(8)), String(lines[1].dropFirst(2).prefix(8))
      )
      let restore = try docpkg("restore", "T.imageNotes", "--version", present, in: folder)
      #expect(restore.status == 0 && restore.output == "T.imageNotes: nothing to save\n", "\(restore)")
      #expect(restore.errors.contains("is in that state already"))
      let dry = try docpkg("restore", "T.imageNotes", "--version", present, "--dry-run", in: folder)
      #expect(dry.status == 0 && dry.output == "nothing to save\n")
      #expect(try docpkg("restore", "T.imageNotes", "--version", first, in: folder).status == 0)
      let again = try docpkg("restore", "T.imageNotes", "--version", first, in: folder)
      #expect(again.status == 0 && again.output == "T.imageNotes: nothing to save\n")
      #expect(try count(in: folder) == 3)
    }
  }

  @Test func `is no step where a child is set to what it is`() async throws {
    try await withTemporaryDirectory { folder in
      let image = demo.appending(path: "Dawn.png").path
      #expect(try docpkg("new", "T.imageNotes", "--text", "a", "--image", image, in: folder).status == 0)
      for change in [["--set", "Text.txt=T.imageNotes/Text.txt"], ["--replace-image", "Dawn.png=\(image)"]] {
        let run = try run(tool, ["edit", "T.imageNotes"] + change, in: folder)
        #expect(run.status == 0 && run.output == "T.imageNotes: nothing to save\n", "\(run)")
        let dry = try docpkgTests.run(tool, ["edit", "T.imageNotes", "--dry-run"] + change, in: folder)
        #expect(dry.status == 0 && dry.output == "nothing to save\n", "\(dry)")
      }
      #expect(try count(in: folder) == 1)
    }
  }

  @Test func `is announced as impossible where a package keeps no versions, and can be begun`() async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        atPath: folder.appending("B.epub/OPS").string, withIntermediateDirectories: true)
      try Data("text".utf8).write(to: URL(filePath: folder.appending("B.epub/OPS/t").string))
      try Data("more".utf8).write(to: URL(filePath: folder.appending("more").string))
      for option in ["--dry-run", "--json"] {
        let edit = try docpkg("edit", "B.epub", "--set", "x=more", option, in: folder)
        #expect(
          edit.status == 0 && edit.errors.contains("'docpkg versions start B.epub' begins a history"),
          "\(edit)")
      }
      #expect(try docpkg("edit", "B.epub", "--remove", "x", "--no-history", in: folder).errors.isEmpty)
      for command in ["undo", "redo"] {
        let run = try docpkg(command, "B.epub", in: folder)
        #expect(run.status == 2, "\(run)")
        #expect(
          run.errors.contains("keeps no history") && run.errors.contains("'docpkg versions start B.epub'"),
          "\(run)")
      }
      let dry = try docpkg("versions", "start", "B.epub", "--dry-run", in: folder)
      #expect(dry.status == 0 && dry.output.contains("'Metadata.plist' would be added"))
      #expect(try docpkg("info", "B.epub", in: folder).status != 0 || !dry.output.isEmpty)
      let start = try docpkg("versions", "start", "B.epub", in: folder)
      #expect(start.status == 0 && start.output.contains("'Metadata.plist' was added"), "\(start)")
      let edit = try docpkg("edit", "B.epub", "--remove", "OPS", in: folder)
      #expect(edit.status == 0 && edit.errors.isEmpty)
      #expect(try docpkg("undo", "B.epub", in: folder).status == 0)
      #expect(try docpkg("cat", "B.epub", "OPS/t", in: folder).output == "text")
      #expect(try docpkg("verify", "B.epub", in: folder).status == 0)
    }
  }
  @Test(arguments: [["edit", "B.epub", "--set", "x=more"], ["edit", "B.imageNotes", "--append", "b"]])
  func `advises no history where another program's child has the name of the metadata`(
    command: [String]
  ) async throws {
    try await withTemporaryDirectory { folder in
      let package = folder.appending(command[1]).string
      try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
      try Data("another program's".utf8).write(to: URL(filePath: package + "/Metadata.plist"))
      try Data("a".utf8).write(to: URL(filePath: package + "/Text.txt"))
      try Data("more".utf8).write(to: URL(filePath: folder.appending("more").string))
      let edit = try run(tool, command, in: folder)
      #expect(
        edit.status == 0 && edit.errors.contains("its 'Metadata.plist' is another program's"), "\(edit)")
      let undo = try docpkg("undo", command[1], in: folder)
      #expect(
        undo.status == 2 && undo.errors.contains("its 'Metadata.plist' is another program's"), "\(undo)")
      for run in [edit, undo] { #expect(!run.errors.contains("versions start"), "\(run)") }
      #expect(try docpkg("versions", "start", command[1], in: folder).status == 2)
    }
  }

  @Test func `says nothing of a file that another program added, which stays`() async throws {
    try await withTemporaryDirectory { folder in
      #expect(try docpkg("new", "A.imageNotes", "--text", "1", in: folder).status == 0)
      #expect(try docpkg("edit", "A.imageNotes", "--append", "2", in: folder).status == 0)
      try Data("hi".utf8).write(to: URL(filePath: folder.appending("A.imageNotes/todo.txt").string))
      for command in ["undo", "redo", "undo"] {
        let step = try docpkg(command, "A.imageNotes", in: folder)
        #expect(step.status == 0 && step.errors.isEmpty, "\(step)")
        #expect(try docpkg("cat", "A.imageNotes", "todo.txt", in: folder).output == "hi")
      }
      #expect(try docpkg("cat", "A.imageNotes", "Text.txt", in: folder).output == "1")
      let versions = try docpkg("versions", "A.imageNotes", in: folder).output.split(separator: "\n")
      let oldest = String(try #require(versions.last).dropFirst(2).prefix(8))
      let restored = try docpkg("restore", "A.imageNotes", "--version", oldest, in: folder)
      #expect(restored.status == 0 && !restored.errors.contains("lost"), "\(restored)")
      for arguments in [["--stat"], ["--version", oldest, "--stat"]] {
        let diff = try run(tool, ["diff", "A.imageNotes"] + arguments, in: folder)
        #expect(!diff.output.contains("todo.txt") && diff.errors.isEmpty, "\(diff)")
      }
    }
  }

  @Test func `finds the bytes of a child that another program renamed`() async throws {
    try await withTemporaryDirectory { folder in
      try Data("h".utf8).write(to: URL(filePath: folder.appending("h").string))
      #expect(try docpkg("new", "A.imageNotes", "--text", "1", in: folder).status == 0)
      #expect(try docpkg("edit", "A.imageNotes", "--set", "H.txt=h", in: folder).status == 0)
      #expect(try docpkg("edit", "A.imageNotes", "--append", "2", in: folder).status == 0)
      try FileManager.default.moveItem(
        atPath: folder.appending("A.imageNotes/H.txt").string,
        toPath: folder.appending("A.imageNotes/G.txt").string)
      let undo = try docpkg("undo", "A.imageNotes", in: folder)
      #expect(undo.status == 0 && undo.errors.isEmpty, "\(undo)")
      for name in ["H.txt", "G.txt"] {
        #expect(try docpkg("cat", "A.imageNotes", name, in: folder).output == "h")
      }
      #expect(try docpkg("verify", "A.imageNotes", in: folder).status == 0)
    }
  }

  @Test(arguments: ["undo", "restore"])
  func `accounts for a child that another program brought back`(command: String) async throws {
    try await withTemporaryDirectory { folder in
      #expect(try docpkg("new", "T.imageNotes", "--text", "a", in: folder).status == 0)
      let text = folder.appending("T.imageNotes/Text.txt").string
      #expect(try run(Program(path: "/bin/cp"), ["-p", text, "before"], in: folder).status == 0)
      #expect(try docpkg("edit", "T.imageNotes", "--append", "b", in: folder).status == 0)
      #expect(try run(Program(path: "/bin/cp"), ["-p", "before", text], in: folder).status == 0)
      let versions = try docpkg("versions", "T.imageNotes", in: folder).output.split(separator: "\n")
      let first = String(try #require(versions.last).dropFirst(2).prefix(8))
      let options = command == "restore" ? ["--version", first] : []
      let back = try run(tool, [command, "T.imageNotes"] + options, in: folder)
      #expect(back.status == 0 && back.errors.isEmpty, "\(back)")
      let verified = try docpkg("verify", "T.imageNotes", "--strict", in: folder)
      #expect(verified.status == 0 && verified.output.hasPrefix("whole"), "\(verified)")
    }
  }

  @Test func `finds the bytes of a child that was renamed and replaced, with its mode, in every version`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try Data("h".utf8).write(to: URL(filePath: folder.appending("h").string))
      let package = folder.appending("A.imageNotes")
      let child = package.appending("H.txt").string
      #expect(try docpkg("new", "A.imageNotes", "--text", "1", in: folder).status == 0)
      #expect(try docpkg("edit", "A.imageNotes", "--set", "H.txt=h", in: folder).status == 0)
      chmod(child, 0o600)
      #expect(try docpkg("edit", "A.imageNotes", "--append", "2", in: folder).status == 0)
      let versions = try docpkg("versions", "A.imageNotes", in: folder).output.split(separator: "\n")
      let version = String(versions[1].dropFirst(2).prefix(8))
      try FileManager.default.moveItem(atPath: child, toPath: package.appending("G.txt").string)
      try Data("another program's".utf8).write(to: URL(filePath: child))
      let undo = try docpkg("undo", "A.imageNotes", in: folder)
      #expect(undo.status == 0 && undo.errors.isEmpty, "\(undo)")
      func bytes() throws -> String { try docpkg("cat", "A.imageNotes", "H.txt", in: folder).output }
      #expect(try bytes() == "h")
      #expect(try run(Program(path: "/usr/bin/stat"), ["-c", "%a", child], in: folder).output == "600\n")
      // The undo kept the other program's file, and earlier versions have the saved one.
      let redo = try docpkg("redo", "A.imageNotes", in: folder)
      #expect(redo.status == 0 && redo.errors.isEmpty, "\(redo)")
      #expect(try bytes() == "another program's")
      let restore = try docpkg("restore", "A.imageNotes", "--version", version, in: folder)
      #expect(restore.status == 0 && restore.errors.isEmpty, "\(restore)")
      #expect(try bytes() == "h")
      let verified = try docpkg("verify", "A.imageNotes", in: folder)
      #expect(verified.status == 0 && !verified.output.contains("H.txt"), "\(verified)")
    }
  }

  @Test func `restores the present state from the files that have its bytes`() async throws {
    try await withTemporaryDirectory { folder in
      for name in ["x", "y"] { try Data(name.utf8).write(to: URL(filePath: folder.appending(name).string)) }
      let package = folder.appending("A.imageNotes")
      #expect(try docpkg("new", "A.imageNotes", "--text", "1", in: folder).status == 0)
      #expect(
        try docpkg("edit", "A.imageNotes", "--set", "P/X=x", "--set", "Y=y", in: folder).status == 0)
      let present = try docpkg("versions", "A.imageNotes", in: folder).output.dropFirst(2).prefix(8)
      // Another program exchanges two children, and removes the folder of one.
      #expect(try run(Program(path: "/bin/mv"), ["P/X", "X"], in: package).status == 0)
      #expect(try run(Program(path: "/bin/rmdir"), ["P"], in: package).status == 0)
      #expect(try run(Program(path: "/bin/mv"), ["Y", "Z"], in: package).status == 0)
      #expect(try run(Program(path: "/bin/mv"), ["X", "Y"], in: package).status == 0)
      let restore = try docpkg("restore", "A.imageNotes", "--version", String(present), in: folder)
      #expect(restore.status == 0, "\(restore)")
      #expect(try docpkg("cat", "A.imageNotes", "P/X", in: folder).output == "x")
      #expect(try docpkg("cat", "A.imageNotes", "Y", in: folder).output == "y")
      #expect(
        try docpkg("verify", "A.imageNotes", in: folder).output.hasPrefix(
          "added by another program: Z\nwhole"))
    }
  }
}
