import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Editing on the command line", .tags(.process))
struct EditCommandTests {
  private func script(_ text: String, in folder: FilePath) throws {
    let run = try run(Program(path: "/bin/sh"), ["-ec", text], in: folder)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func `a folder is not replaced by a file, unless that is asked for`() async throws {
    try await withTemporaryDirectory { folder in
      try script(
        "mkdir -p B/OPS/sub; echo a > B/OPS/a; echo b > B/OPS/sub/b; ln -s a B/OPS/l; echo x > one",
        in: folder)
      let before = try docpkg("tree", "B", in: folder).output
      for more in [[], ["--dry-run"]] {
        let refused = try run(tool, ["edit", "B", "--set", "OPS=one"] + more, in: folder)
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.errors.contains("'OPS' is a folder"), "\(refused.errors)")
        #expect(refused.errors.contains("--remove 'OPS'") && refused.errors.contains("--force"))
      }
      #expect(try docpkg("tree", "B", in: folder).output == before)

      let forced = try docpkg("edit", "B", "--set", "OPS=one", "--force", "-n", in: folder)
      #expect(forced.output == "write OPS (2 B) in place of a folder with 3 files\n")
      let removed = try docpkg("edit", "B", "--remove", "OPS", "-n", in: folder)
      #expect(removed.output == "remove OPS (a folder with 3 files)\n")
      #expect(try docpkg("tree", "B", in: folder).output == before)

      #expect(try docpkg("edit", "B", "--remove", "OPS", "--set", "OPS=one", in: folder).status == 0)
      #expect(try docpkg("cat", "B", "OPS", in: folder).output == "x\n")
    }
  }

  @Test func `the name of a child may have an equals sign`() async throws {
    try await withTemporaryDirectory { folder in
      try script("mkdir P; echo 1 > file; echo 2 > old; echo 3 > 'x=y'", in: folder)
      #expect(try docpkg("edit", "P", "--set", #"a\=b=file"#, "--set", #"c\\=old"#, in: folder).status == 0)
      #expect(
        try docpkg("edit", "P", "--set", "x=x=y", "--set", #"back\slash=old"#, in: folder).status == 0)
      #expect(try docpkg("tree", "P", in: folder).output == "a=b\nback\\slash\nc\\\nx\n")
      #expect(try docpkg("cat", "P", "a=b", in: folder).output == "1\n")
      #expect(try docpkg("cat", "P", "x", in: folder).output == "3\n")
      let missing = try docpkg("edit", "P", "--set", "d=e=file", in: folder)
      #expect(missing.status == 2 && missing.errors.contains("'e=file'"), "\(missing.errors)")
    }
  }

  @Test func `values may begin with a dash`() async throws {
    try await withTemporaryDirectory { folder in
      let picture = demo.appending(path: "Dawn.png").path
      let made = try docpkg(
        "new", "D.imageNotes", "--text", "- eggs", "--title", "-title", "--image", picture, in: folder)
      #expect(made.status == 0, "\(made.errors)")
      let edited = try docpkg(
        "edit", "D.imageNotes", "--append", "- milk", "--caption", "Dawn.png=-evening", "--title", "--list",
        in: folder)
      #expect(edited.status == 0, "\(edited.errors)")
      let shown = try docpkg("show", "D.imageNotes", in: folder).output
      #expect(shown.hasPrefix("--list\n") && shown.contains("- eggs\n- milk\n") && shown.contains("-evening"))
      #expect(try docpkg("edit", "D.imageNotes", "--text", "-", in: folder).status == 0)
      #expect(try docpkg("cat", "D.imageNotes", "Text.txt", in: folder).output == "-")
      #expect(try docpkg("edit", "D.imageNotes", "--set", "-c=\(picture)", in: folder).status == 0)
      #expect(try docpkg("edit", "D.imageNotes", "--remove", "-c", in: folder).status == 0)
      #expect(try docpkg("edit", "D.imageNotes", "--append", "--json", "-qf", in: folder).output.isEmpty)
      #expect(try docpkg("cat", "D.imageNotes", "Text.txt", in: folder).output == "-\n--json\n")
    }
  }

  @Test func `a new document tells where it is, and has no name of another type`() async throws {
    struct Step: Decodable { var kind: String }
    struct Made: Decodable {
      var path: String
      var generation: Int?
      var plan: [Step]?
    }
    try await withTemporaryDirectory { folder in
      func made(_ run: Run) throws -> Made {
        try JSONDecoder().decode(Made.self, from: Data(run.output.utf8))
      }
      let plan = try docpkg("new", "--in", ".", "--text", "x", "--dry-run", in: folder)
      #expect(plan.output.hasPrefix("make ./Notes 1.imageNotes\n"))
      let planned = try made(docpkg("new", "--in", ".", "--text", "x", "--dry-run", "--json", in: folder))
      #expect(planned.path == "./Notes 1.imageNotes" && planned.plan?.isEmpty == false)
      let report = try made(docpkg("new", "--in", ".", "--text", "x", "--json", in: folder))
      #expect(report.path == "./Notes 1.imageNotes" && report.generation == 1)

      for name in ["A.rtfd", "B.txt", "C.zip", "D.epub"] {
        let refused = try docpkg("new", name, "--text", "x", in: folder)
        #expect(
          refused.status == 2 && refused.errors.contains("'\(name)' has the extension of another type ("))
        #expect(!FileManager.default.fileExists(atPath: folder.appending(name).string))
      }
      for name in ["Trip", "Trip 1.5", "Trip.imagenotes"] {
        #expect(try docpkg("new", name, "--text", "x", in: folder).status == 0)
      }
      #expect(try docpkg("new", "A.rtfd", "--text", "x", "-f", "-q", in: folder).output.isEmpty)
      #expect(try docpkg("show", "A.rtfd", in: folder).status == 0)
    }
  }
}
