import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Editing on the command line", .tags(.process), .temporaryDirectory)
struct EditCommandTests {
  @Test func `a folder is not replaced by a file, unless that is asked for`() throws {
    try prepare("mkdir -p B/OPS/sub; echo a > B/OPS/a; echo b > B/OPS/sub/b; ln -s a B/OPS/l; echo x > one")
    let before = try docpkg("tree", "B").output
    for more in [[], ["--dry-run"]] {
      let refused = try run(tool, ["edit", "B", "--set", "OPS=one"] + more)
      #expect(refused.status == 2 && refused.output.isEmpty)
      #expect(refused.errors.contains("'OPS' is a folder"), "\(refused.errors)")
      #expect(refused.errors.contains("--remove 'OPS'") && refused.errors.contains("--force"))
    }
    #expect(try docpkg("tree", "B").output == before)

    let forced = try docpkg("edit", "B", "--set", "OPS=one", "--force", "-n")
    #expect(forced.output == "write OPS (2 B) in place of a folder with 3 files\n")
    #expect(try docpkg("edit", "B", "--remove", "OPS", "-n").output == "remove OPS (a folder with 3 files)\n")
    #expect(try docpkg("tree", "B").output == before)

    try output("edit", "B", "--remove", "OPS", "--set", "OPS=one")
    #expect(try docpkg("cat", "B", "OPS").output == "x\n")
  }

  @Test func `standard input is read for one file only`() throws {
    try prepare("mkdir B; echo old > B/b")
    let arguments = [
      ["edit", "B", "--set", "a=-", "--set", "b=-"],
      ["edit", "B", "--set", "a=-", "--set", "b=-", "--no-history"],
      ["edit", "B", "--text-file", "-", "--set", "b=-"], ["import", "-", "C", "--passphrase-file", "-"],
    ]
    for arguments in arguments {
      let refused = try run(tool, arguments, input: "new")
      #expect(refused.status == 64 && refused.errors.contains("read only once"), "\(refused.errors)")
    }
    #expect(try names() == ["B"] && names(in: "B") == ["b"] && text("B/b") == "old\n")
  }

  @Test func `a paragraph begins a line of its own behind a text with line ends of Windows`() throws {
    try output("new", "D.imageNotes", "--text", "one\r\n")
    try output("edit", "D.imageNotes", "--append", "two")
    #expect(try docpkg("cat", "D.imageNotes", "Text.txt").output == "one\r\ntwo\n")
  }

  @Test func `the name of a child may have an equals sign`() throws {
    try prepare("mkdir P; echo 1 > file; echo 2 > old; echo 3 > 'x=y'")
    try output("edit", "P", "--set", #"a\=b=file"#, "--set", #"c\\=old"#)
    try output("edit", "P", "--set", "x=x=y", "--set", #"back\slash=old"#)
    #expect(try docpkg("tree", "P").output == "a=b\nback\\slash\nc\\\nx\n")
    #expect(try docpkg("cat", "P", "a=b").output == "1\n")
    #expect(try docpkg("cat", "P", "x").output == "3\n")
    try expectMessage(["edit", "P", "--set", "d=e=file"], "'e=file'")
  }

  @Test func `values may begin with a dash`() throws {
    let picture = demo.appending(path: "Dawn.png").path
    try output("new", "D.imageNotes", "--text", "- eggs", "--title", "-title", "--image", picture)
    try output(
      "edit", "D.imageNotes", "--append", "- milk", "--caption", "Dawn.png=-evening", "--title", "--list")
    let shown = try docpkg("show", "D.imageNotes").output
    #expect(shown.hasPrefix("--list\n") && shown.contains("- eggs\n- milk\n") && shown.contains("-evening"))
    try output("edit", "D.imageNotes", "--text", "-")
    #expect(try docpkg("cat", "D.imageNotes", "Text.txt").output == "-")
    try output("edit", "D.imageNotes", "--set", "-c=\(picture)")
    try output("edit", "D.imageNotes", "--remove", "-c")
    #expect(try docpkg("edit", "D.imageNotes", "--append", "--json", "-qf").output.isEmpty)
    #expect(try docpkg("cat", "D.imageNotes", "Text.txt").output == "-\n--json\n")
  }

  @Test func `a new document tells where it is, and has no name of another type`() throws {
    struct Step: Decodable { var kind: String }
    struct Made: Decodable {
      var path: String
      var generation: Int?
      var plan: [Step]?
    }
    func made(_ run: Run) throws -> Made {
      try JSONDecoder().decode(Made.self, from: Data(run.output.utf8))
    }
    let plan = try docpkg("new", "--in", ".", "--text", "x", "--dry-run")
    #expect(plan.output.hasPrefix("make ./Notes 1.imageNotes\n"))
    let planned = try made(docpkg("new", "--in", ".", "--text", "x", "--dry-run", "--json"))
    #expect(planned.path == "./Notes 1.imageNotes" && planned.plan?.isEmpty == false)
    let report = try made(docpkg("new", "--in", ".", "--text", "x", "--json"))
    #expect(report.path == "./Notes 1.imageNotes" && report.generation == 1)

    for name in ["A.rtfd", "B.txt", "C.zip", "D.epub"] {
      try expectMessage(["new", name, "--text", "x"], "'\(name)' has the extension of another type (")
      #expect(!fileExists(name))
    }
    for name in ["Trip", "Trip 1.5", "Trip.imagenotes"] {
      try output("new", name, "--text", "x")
    }
    #expect(try docpkg("new", "A.rtfd", "--text", "x", "-f", "-q").output.isEmpty)
    try output("show", "A.rtfd")
  }
}
