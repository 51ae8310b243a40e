import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Going back on the command line", .tags(.process), .temporaryDirectory)
struct UndoCommandTests {
  private func count() throws -> Int {
    try docpkg("versions", "T.imageNotes").output.split(separator: "\n").count
  }

  private func made() throws {
    try output("new", "T.imageNotes", "--text", "a")
    try output("edit", "T.imageNotes", "--append", "b")
  }

  @Test func `asks before it replaces a child that is read-only`() throws {
    try made()
    chmod(folder.appending("T.imageNotes/Text.txt").string, 0o444)
    let undo = try docpkg("undo", "T.imageNotes")
    #expect(undo.status == 2 && undo.errors.contains("read-only"), "\(undo)")
    try output("undo", "T.imageNotes", "-f")
    chmod(folder.appending("T.imageNotes/Text.txt").string, 0o444)
    #expect(try docpkg("redo", "T.imageNotes").status == 2)
    try output("redo", "T.imageNotes", "-f")
    #expect(try docpkg("cat", "T.imageNotes", "Text.txt").output == "a\nb\n")
  }

  @Test func `to the state that is there does nothing and says so`() throws {
    try made()
    let lines = try docpkg("versions", "T.imageNotes").output.split(separator: "\n")
    let (present, first) = (String(lines[0].dropFirst(2).prefix(8)), String(lines[1].dropFirst(2).prefix(8)))
    let restore = try docpkg("restore", "T.imageNotes", "--version", present)
    #expect(restore.status == 0 && restore.output == "T.imageNotes: nothing to save\n", "\(restore)")
    #expect(restore.errors.contains("is in that state already"))
    #expect(try output("restore", "T.imageNotes", "--version", present, "--dry-run") == "nothing to save\n")
    try output("restore", "T.imageNotes", "--version", first)
    #expect(try output("restore", "T.imageNotes", "--version", first) == "T.imageNotes: nothing to save\n")
    #expect(try count() == 3)
  }

  @Test func `is planned also where another program already went back`() throws {
    try output("new", "T.imageNotes", "--text", "a")
    let first = try text("T.imageNotes/Text.txt")
    try output("edit", "T.imageNotes", "--append", "b")
    try write(first, to: "T.imageNotes/Text.txt")
    #expect(try docpkg("undo", "T.imageNotes", "--dry-run").output == "write Metadata.plist\n")
    #expect(try docpkg("undo", "T.imageNotes").output.contains("wrote Metadata.plist"))
    #expect(try count() == 3)
  }

  @Test func `finds the bytes of a child that another program changed among the kept files`() throws {
    try made()
    for text in ["x", "y", "x"] {
      try write(text, to: "new")
      try output("edit", "T.imageNotes", "--set", "A.txt=new")
    }
    try output("edit", "T.imageNotes", "--append", "c")
    try write("another program's", to: "T.imageNotes/A.txt")
    let undo = try docpkg("undo", "T.imageNotes")
    #expect(undo.status == 0 && undo.errors.isEmpty, "\(undo)")
    #expect(try text("T.imageNotes/A.txt") == "x")
  }

  @Test func `brings back a folder that is gone, although its children's twins are beside it`() throws {
    try write("same", to: "one")
    try write("other", to: "two")
    try output("new", "T.imageNotes", "--text", "a")
    try output(
      "edit", "T.imageNotes", "--set", "a.txt=one", "--set", "Sub/a.txt=one", "--set", "Sub/b.txt=one")
    let version = try docpkg("versions", "T.imageNotes").output.dropFirst(2).prefix(8)
    try output("edit", "T.imageNotes", "--set", "Sub/b.txt=two")
    try remove("T.imageNotes/Sub")
    try output("restore", "T.imageNotes", "Sub", "--version", String(version))
    #expect(try names(in: "T.imageNotes/Sub") == ["a.txt", "b.txt"])
    #expect(try text("T.imageNotes/Sub/a.txt") == "same" && text("T.imageNotes/Sub/b.txt") == "same")
  }

  @Test func `is no step where a child is set to what it is`() throws {
    let image = demo.appending(path: "Dawn.png").path
    try output("new", "T.imageNotes", "--text", "a", "--image", image)
    for change in [["--set", "Text.txt=T.imageNotes/Text.txt"], ["--replace-image", "Dawn.png=\(image)"]] {
      let run = try run(tool, ["edit", "T.imageNotes"] + change)
      #expect(run.status == 0 && run.output == "T.imageNotes: nothing to save\n", "\(run)")
      let dry = try docpkgTests.run(tool, ["edit", "T.imageNotes", "--dry-run"] + change)
      #expect(dry.status == 0 && dry.output == "nothing to save\n", "\(dry)")
    }
    #expect(try count() == 1)
  }

  @Test func `is announced as impossible where a package keeps no versions, and can be begun`() throws {
    try makeDirectory("B.epub/OPS")
    try write("text", to: "B.epub/OPS/t")
    try write("more", to: "more")
    for option in ["--dry-run", "--json"] {
      try expectMessage(
        ["edit", "B.epub", "--set", "x=more", option], "'docpkg versions start B.epub' begins a history",
        status: 0)
    }
    #expect(try docpkg("edit", "B.epub", "--remove", "x", "--no-history").errors.isEmpty)
    for command in ["undo", "redo"] {
      let run = try docpkg(command, "B.epub")
      #expect(run.status == 2, "\(run)")
      #expect(
        run.errors.contains("keeps no history") && run.errors.contains("'docpkg versions start B.epub'"),
        "\(run)")
    }
    let dry = try docpkg("versions", "start", "B.epub", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("'Metadata.plist' would be added"))
    #expect(try docpkg("info", "B.epub").status != 0 || !dry.output.isEmpty)
    #expect(try output("versions", "start", "B.epub").contains("'Metadata.plist' was added"))
    let edit = try docpkg("edit", "B.epub", "--remove", "OPS")
    #expect(edit.status == 0 && edit.errors.isEmpty)
    try output("undo", "B.epub")
    #expect(try docpkg("cat", "B.epub", "OPS/t").output == "text")
    try output("verify", "B.epub")
  }
  @Test(arguments: [["edit", "B.epub", "--set", "x=more"], ["edit", "B.imageNotes", "--append", "b"]])
  func `advises no history where another program's child has the name of the metadata`(
    command: [String]
  ) throws {
    let package = folder.appending(command[1]).string
    try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
    try Data("another program's".utf8).write(to: URL(filePath: package + "/Metadata.plist"))
    try Data("a".utf8).write(to: URL(filePath: package + "/Text.txt"))
    try write("more", to: "more")
    let edit = try run(tool, command)
    #expect(edit.status == 0 && edit.errors.contains("its 'Metadata.plist' is another program's"), "\(edit)")
    let undo = try docpkg("undo", command[1])
    #expect(undo.status == 2 && undo.errors.contains("its 'Metadata.plist' is another program's"), "\(undo)")
    for run in [edit, undo] { #expect(!run.errors.contains("versions start"), "\(run)") }
    #expect(try docpkg("versions", "start", command[1]).status == 2)
  }

  @Test func `says nothing of a file that another program added, which stays`() throws {
    try output("new", "A.imageNotes", "--text", "1")
    try output("edit", "A.imageNotes", "--append", "2")
    try write("hi", to: "A.imageNotes/todo.txt")
    for command in ["undo", "redo", "undo"] {
      let step = try docpkg(command, "A.imageNotes")
      #expect(step.status == 0 && step.errors.isEmpty, "\(step)")
      #expect(try docpkg("cat", "A.imageNotes", "todo.txt").output == "hi")
    }
    #expect(try docpkg("cat", "A.imageNotes", "Text.txt").output == "1")
    let versions = try docpkg("versions", "A.imageNotes").output.split(separator: "\n")
    let oldest = String(try #require(versions.last).dropFirst(2).prefix(8))
    let restored = try docpkg("restore", "A.imageNotes", "--version", oldest)
    #expect(restored.status == 0 && !restored.errors.contains("lost"), "\(restored)")
    for arguments in [["--stat"], ["--version", oldest, "--stat"]] {
      let diff = try run(tool, ["diff", "A.imageNotes"] + arguments)
      #expect(!diff.output.contains("todo.txt") && diff.errors.isEmpty, "\(diff)")
    }
  }

  @Test func `finds the bytes of a child that another program renamed`() throws {
    try write("h", to: "h")
    try output("new", "A.imageNotes", "--text", "1")
    try output("edit", "A.imageNotes", "--set", "H.txt=h")
    try output("edit", "A.imageNotes", "--append", "2")
    try FileManager.default.moveItem(
      atPath: folder.appending("A.imageNotes/H.txt").string,
      toPath: folder.appending("A.imageNotes/G.txt").string)
    let undo = try docpkg("undo", "A.imageNotes")
    #expect(undo.status == 0 && undo.errors.isEmpty, "\(undo)")
    for name in ["H.txt", "G.txt"] {
      #expect(try docpkg("cat", "A.imageNotes", name).output == "h")
    }
    try output("verify", "A.imageNotes")
  }

  @Test(arguments: ["undo", "restore"])
  func `accounts for a child that another program brought back`(command: String) throws {
    try output("new", "T.imageNotes", "--text", "a")
    let text = folder.appending("T.imageNotes/Text.txt").string
    #expect(try run(Program(path: "/bin/cp"), ["-p", text, "before"]).status == 0)
    try output("edit", "T.imageNotes", "--append", "b")
    #expect(try run(Program(path: "/bin/cp"), ["-p", "before", text]).status == 0)
    let versions = try docpkg("versions", "T.imageNotes").output.split(separator: "\n")
    let first = String(try #require(versions.last).dropFirst(2).prefix(8))
    let options = command == "restore" ? ["--version", first] : []
    let back = try run(tool, [command, "T.imageNotes"] + options)
    #expect(back.status == 0 && back.errors.isEmpty, "\(back)")
    #expect(try output("verify", "T.imageNotes", "--strict").hasPrefix("whole"))
  }

  @Test func `finds the bytes of a child that was renamed and replaced, with its mode, in every version`()
    throws
  {
    try write("h", to: "h")
    let package = folder.appending("A.imageNotes")
    let child = package.appending("H.txt").string
    try output("new", "A.imageNotes", "--text", "1")
    try output("edit", "A.imageNotes", "--set", "H.txt=h")
    chmod(child, 0o600)
    try output("edit", "A.imageNotes", "--append", "2")
    let versions = try docpkg("versions", "A.imageNotes").output.split(separator: "\n")
    let version = String(versions[1].dropFirst(2).prefix(8))
    try FileManager.default.moveItem(atPath: child, toPath: package.appending("G.txt").string)
    try Data("another program's".utf8).write(to: URL(filePath: child))
    let undo = try docpkg("undo", "A.imageNotes")
    #expect(undo.status == 0 && undo.errors.isEmpty, "\(undo)")
    func bytes() throws -> String { try docpkg("cat", "A.imageNotes", "H.txt").output }
    #expect(try bytes() == "h")
    #expect(try run(Program(path: "/usr/bin/stat"), ["-c", "%a", child]).output == "600\n")
    // The undo kept the other program's file, and earlier versions have the saved one.
    let redo = try docpkg("redo", "A.imageNotes")
    #expect(redo.status == 0 && redo.errors.isEmpty, "\(redo)")
    #expect(try bytes() == "another program's")
    let restore = try docpkg("restore", "A.imageNotes", "--version", version)
    #expect(restore.status == 0 && restore.errors.isEmpty, "\(restore)")
    #expect(try bytes() == "h")
    let verified = try docpkg("verify", "A.imageNotes")
    #expect(verified.status == 0 && !verified.output.contains("H.txt"), "\(verified)")
  }

  @Test func `restores the present state from the files that have its bytes`() throws {
    for name in ["x", "y"] { try write(name, to: name) }
    let package = folder.appending("A.imageNotes")
    try output("new", "A.imageNotes", "--text", "1")
    try output("edit", "A.imageNotes", "--set", "P/X=x", "--set", "Y=y")
    let present = try docpkg("versions", "A.imageNotes").output.dropFirst(2).prefix(8)
    // Another program exchanges two children, and removes the folder of one.
    #expect(try run(Program(path: "/bin/mv"), ["P/X", "X"], in: package).status == 0)
    #expect(try run(Program(path: "/bin/rmdir"), ["P"], in: package).status == 0)
    #expect(try run(Program(path: "/bin/mv"), ["Y", "Z"], in: package).status == 0)
    #expect(try run(Program(path: "/bin/mv"), ["X", "Y"], in: package).status == 0)
    try output("restore", "A.imageNotes", "--version", String(present))
    #expect(try docpkg("cat", "A.imageNotes", "P/X").output == "x")
    #expect(try docpkg("cat", "A.imageNotes", "Y").output == "y")
    #expect(try docpkg("verify", "A.imageNotes").output.hasPrefix("added by another program: Z\nwhole"))
  }
}
