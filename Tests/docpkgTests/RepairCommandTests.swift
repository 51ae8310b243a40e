import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Repairing on the command line", .tags(.process), .temporaryDirectory)
struct RepairCommandTests {
  private func versions() throws -> Int {
    try docpkg("versions", "T.imageNotes").output.split(separator: "\n").count
  }

  private func made() throws {
    try output("new", "T.imageNotes", "--text", "a")
    for text in ["b", "c", "d"] {
      try output("edit", "T.imageNotes", "--append", text)
    }
  }

  @Test func `restores a child that another program renamed with the mode of its file`() throws {
    try write("h", to: "h")
    let child = folder.appending("A.imageNotes/H.txt").string
    try output("new", "A.imageNotes", "--text", "1")
    try output("edit", "A.imageNotes", "--set", "H.txt=h")
    chmod(child, 0o600)
    #expect(rename(child, folder.appending("A.imageNotes/G.txt").string) == 0)
    let repair = try docpkg("repair", "A.imageNotes")
    #expect(repair.output.contains("restored H.txt from G.txt"), "\(repair)")
    var status = stat()
    #expect(stat(child, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `finds no damage in a child that another program brought back, whatever its date`() throws {
    try output("new", "R.imageNotes", "--text", "one")
    let copy = Program(path: "/bin/cp")
    #expect(try run(copy, ["-p", "R.imageNotes/Text.txt", "b"]).status == 0)
    try output("edit", "R.imageNotes", "--append", "two")
    #expect(try run(copy, ["-p", "b", "R.imageNotes/Text.txt"]).status == 0)
    #expect(try output("verify", "R.imageNotes").contains("an earlier version of it: Text.txt\n"))
    #expect(try output("repair", "R.imageNotes", "--accept").contains("accepted Text.txt as it is"))
    #expect(try docpkg("cat", "R.imageNotes", "Text.txt").output == "one")
  }

  @Test func `finds no damage in a child that came back after another program removed it`() throws {
    try write("h", to: "h")
    try output("new", "R.imageNotes", "--text", "1")
    try output("edit", "R.imageNotes", "--set", "D/H.txt=h", "--set", "I.txt=h")
    #expect(try run(Program(path: "/bin/rm"), ["-r", "R.imageNotes/D", "R.imageNotes/I.txt"]).status == 0)
    try output("edit", "R.imageNotes", "--set", "D/H.txt=h", "--set", "I.txt=h")
    try output("verify", "R.imageNotes")
  }

  @Test func `says of lost versions what verification says`() throws {
    try made()
    try prepare(
      """
      cp -a T.imageNotes/.docpkg older; $0 edit T.imageNotes --append e --quiet
      rm -r T.imageNotes/.docpkg; mv older T.imageNotes/.docpkg
      """)
    let verified = try docpkg("verify", "T.imageNotes")
    #expect(verified.status == 1 && verified.output.contains("the versions before that are lost"))
    let repair = try docpkg("repair", "T.imageNotes")
    #expect(repair.status == 1 && repair.output == verified.output, "\(repair)")
  }

  @Test func `finds nothing in two copies that share their files by hard links`() throws {
    try made()
    #expect(try run(Program(path: "/bin/cp"), ["-al", "T.imageNotes", "S.imageNotes"]).status == 0)
    try output("edit", "S.imageNotes", "--append", "draft")
    try output("undo", "S.imageNotes")
    try output("versions", "prune", "S.imageNotes")
    #expect(try versions() == 4)
    for command in ["verify", "repair"] {
      #expect(try output(command, "T.imageNotes") == "whole: 1 child, 8 B, 3 versions\n")
    }
    try output("undo", "T.imageNotes")
    #expect(try docpkg("cat", "T.imageNotes", "Text.txt").output == "a\nb\nc\n")
    #expect(try output("verify", "S.imageNotes").contains("whole: "))
  }

  @Test func `says what it accepts, and leaves the versions`() throws {
    try made()
    try write("theirs", to: "T.imageNotes/Text.txt")
    let dry = try docpkg("repair", "T.imageNotes", "--accept", "--dry-run")
    #expect(dry.status == 0 && dry.output.contains("would accept Text.txt as it is\n"), "\(dry)")
    #expect(dry.output.contains("3 versions of the history would stay\n"))
    #expect(try versions() == 4)
    let repair = try docpkg("repair", "T.imageNotes", "--accept")
    #expect(repair.status == 0 && repair.output.contains("accepted Text.txt as it is\n"), "\(repair)")
    #expect(repair.output.contains("4 versions of the history stayed\n"))
    #expect(try versions() == 5)
    try output("verify", "T.imageNotes")
    let lines = try docpkg("versions", "T.imageNotes").output.split(separator: "\n")
    let oldest = String(try #require(lines.last).dropFirst(2).prefix(8))
    try output("restore", "T.imageNotes", "--version", oldest)
    #expect(try docpkg("cat", "T.imageNotes", "Text.txt").output == "a")
  }

  @Test(.asNobody) func `changes nothing where a child cannot be read for want of permission`() throws {
    _ = try copyTool(into: folder)
    let run = try shell(
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
      """)
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
