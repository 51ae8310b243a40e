import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Repairing on the command line", .tags(.process))
struct RepairCommandTests {
  private func versions(in folder: FilePath) throws -> Int {
    try docpkg("versions", "T.imageNotes", in: folder).output.split(separator: "\n").count
  }

  private func made(in folder: FilePath) throws {
    #expect(try docpkg("new", "T.imageNotes", "--text", "a", in: folder).status == 0)
    for text in ["b", "c", "d"] {
      #expect(try docpkg("edit", "T.imageNotes", "--append", text, in: folder).status == 0)
    }
  }

  @Test func `restores a child that another program renamed with the mode of its file`() async throws {
    try await withTemporaryDirectory { folder in
      try Data("h".utf8).write(to: URL(filePath: folder.appending("h").string))
      let child = folder.appending("A.imageNotes/H.txt").string
      #expect(try docpkg("new", "A.imageNotes", "--text", "1", in: folder).status == 0)
      #expect(try docpkg("edit", "A.imageNotes", "--set", "H.txt=h", in: folder).status == 0)
      chmod(child, 0o600)
      #expect(rename(child, folder.appending("A.imageNotes/G.txt").string) == 0)
      let repair = try docpkg("repair", "A.imageNotes", in: folder)
      #expect(repair.output.contains("restored H.txt from G.txt"), "\(repair)")
      var status = stat()
      #expect(stat(child, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `leaves the versions of a whole document`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let before = try docpkg("versions", "T.imageNotes", in: folder).output
      let repair = try docpkg("repair", "T.imageNotes", "--accept", in: folder)
      #expect(repair.status == 0 && repair.output.contains("whole: "), "\(repair)")
      #expect(try docpkg("versions", "T.imageNotes", in: folder).output == before)
    }
  }

  @Test func `finds no damage in a child that another program brought back, whatever its date`() async throws
  {
    try await withTemporaryDirectory { folder in
      #expect(try docpkg("new", "R.imageNotes", "--text", "one", in: folder).status == 0)
      let copy = Program(path: "/bin/cp")
      #expect(try run(copy, ["-p", "R.imageNotes/Text.txt", "b"], in: folder).status == 0)
      #expect(try docpkg("edit", "R.imageNotes", "--append", "two", in: folder).status == 0)
      #expect(try run(copy, ["-p", "b", "R.imageNotes/Text.txt"], in: folder).status == 0)
      let verified = try docpkg("verify", "R.imageNotes", in: folder)
      #expect(verified.status == 0, "\(verified)")
      #expect(verified.output.contains("an earlier version of it: Text.txt\n"))
      let repaired = try docpkg("repair", "R.imageNotes", "--accept", in: folder)
      #expect(repaired.status == 0 && repaired.output.contains("accepted Text.txt as it is"), "\(repaired)")
      #expect(try docpkg("cat", "R.imageNotes", "Text.txt", in: folder).output == "one")
    }
  }

  @Test func `finds no damage in a child that came back after another program removed it`() async throws {
    try await withTemporaryDirectory { folder in
      try Data("h".utf8).write(to: URL(filePath: folder.appending("h").string))
      #expect(try docpkg("new", "R.imageNotes", "--text", "1", in: folder).status == 0)
      #expect(
        try docpkg("edit", "R.imageNotes", "--set", "D/H.txt=h", "--set", "I.txt=h", in: folder).status == 0)
      #expect(
        try run(Program(path: "/bin/rm"), ["-r", "R.imageNotes/D", "R.imageNotes/I.txt"], in: folder).status
          == 0)
      #expect(
        try docpkg("edit", "R.imageNotes", "--set", "D/H.txt=h", "--set", "I.txt=h", in: folder).status == 0)
      let verified = try docpkg("verify", "R.imageNotes", in: folder)
      #expect(verified.status == 0, "\(verified)")
    }
  }

  @Test func `says of lost versions what verification says`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let script = """
        set -e
        cp -a T.imageNotes/.docpkg older
        ../docpkg edit T.imageNotes --append e --quiet
        rm -r T.imageNotes/.docpkg
        mv older T.imageNotes/.docpkg
        """
      let tools = try copyTool(into: folder)
      #expect(
        try run(
          Program(path: "/bin/sh"), ["-c", script.replacingOccurrences(of: "../docpkg", with: tools.string)],
          in: folder
        ).status == 0)
      let verified = try docpkg("verify", "T.imageNotes", in: folder)
      #expect(verified.status == 1 && verified.output.contains("the versions before that are lost"))
      let repair = try docpkg("repair", "T.imageNotes", in: folder)
      #expect(repair.status == 1 && repair.output == verified.output, "\(repair)")
    }
  }

  @Test func `finds nothing in two copies that share their files by hard links`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      #expect(
        try run(Program(path: "/bin/cp"), ["-al", "T.imageNotes", "S.imageNotes"], in: folder).status == 0)
      #expect(try docpkg("edit", "S.imageNotes", "--append", "draft", in: folder).status == 0)
      #expect(try docpkg("undo", "S.imageNotes", in: folder).status == 0)
      #expect(try docpkg("versions", "prune", "S.imageNotes", in: folder).status == 0)
      #expect(try versions(in: folder) == 4)
      for command in ["verify", "repair"] {
        let run = try docpkg(command, "T.imageNotes", in: folder)
        #expect(run.status == 0 && run.output == "whole: 1 child, 8 B, 3 versions\n", "\(run)")
      }
      #expect(try docpkg("undo", "T.imageNotes", in: folder).status == 0)
      #expect(try docpkg("cat", "T.imageNotes", "Text.txt", in: folder).output == "a\nb\nc\n")
      let other = try docpkg("verify", "S.imageNotes", in: folder)
      #expect(other.status == 0 && other.output.contains("whole: "), "\(other)")
    }
  }

  @Test func `says what it accepts, and leaves the versions`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      try Data("theirs".utf8).write(to: URL(filePath: folder.appending("T.imageNotes/Text.txt").string))
      let dry = try docpkg("repair", "T.imageNotes", "--accept", "--dry-run", in: folder)
      #expect(dry.status == 0 && dry.output.contains("would accept Text.txt as it is\n"), "\(dry)")
      #expect(dry.output.contains("3 versions of the history would stay\n"))
      #expect(try versions(in: folder) == 4)
      let repair = try docpkg("repair", "T.imageNotes", "--accept", in: folder)
      #expect(repair.status == 0 && repair.output.contains("accepted Text.txt as it is\n"), "\(repair)")
      #expect(repair.output.contains("4 versions of the history stayed\n"))
      #expect(try versions(in: folder) == 5)
      #expect(try docpkg("verify", "T.imageNotes", in: folder).status == 0)
      let lines = try docpkg("versions", "T.imageNotes", in: folder).output.split(separator: "\n")
      let oldest = String(try #require(lines.last).dropFirst(2).prefix(8))
      #expect(try docpkg("restore", "T.imageNotes", "--version", oldest, in: folder).status == 0)
      #expect(try docpkg("cat", "T.imageNotes", "Text.txt", in: folder).output == "a")
    }
  }

  @Test(
    .enabled(
      if: Program.succeeds("setpriv --reuid 65534 --clear-groups true"), "this needs the right to be nobody"))
  func `changes nothing where a child cannot be read for want of permission`() async throws {
    try await withTemporaryDirectory { folder in
      _ = try copyTool(into: folder)
      let run = try run(
        Program(path: "/bin/sh"),
        [
          "-c",
          """
          set -e
          chmod 755 .
          mkdir home; chown 65534 home; cd home
          as() { setpriv --reuid 65534 --clear-groups ../docpkg "$@"; }
          as new T.imageNotes --text a --quiet
          as edit T.imageNotes --append b --quiet
          as edit T.imageNotes --append c --quiet
          find T.imageNotes -printf "%p %y %T@ %i\\n" | sort > ../before
          chmod 000 T.imageNotes/Text.txt
          as verify T.imageNotes && exit 9 || echo "verify $?"
          as repair T.imageNotes --accept --dry-run && exit 9 || echo "dry $?"
          as repair T.imageNotes --accept && exit 9 || echo "accept $?"
          as repair T.imageNotes && exit 9 || echo "repair $?"
          chmod 644 T.imageNotes/Text.txt
          find T.imageNotes -printf "%p %y %T@ %i\\n" | sort | cmp ../before -
          as verify T.imageNotes
          as undo T.imageNotes --quiet
          as cat T.imageNotes Text.txt
          """,
        ], in: folder)
      #expect(run.status == 0, "\(run)")
      #expect(run.output.contains("could not be read: Text.txt (permission denied)\n"), "\(run)")
      #expect(!run.output.contains("damaged: Text.txt") && !run.output.contains("missing: "))
      for line in ["verify 1", "dry 2", "accept 2", "repair 1"] {
        #expect(run.output.contains("\(line)\n"), "\(run)")
      }
      #expect(
        run.errors.contains("permission denied, and a child that cannot be read cannot be accepted"), "\(run)"
      )
      #expect(run.errors.contains("Text.txt"))
      #expect(run.output.hasSuffix("whole: 1 child, 6 B, 2 versions\na\nb\n"), "\(run)")
    }
  }
}
