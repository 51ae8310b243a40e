import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Several packages, and their versions", .tags(.process), .temporaryDirectory)
struct OperandTests {
  private struct Whole: Decodable {
    var path: String
    var isWhole: Bool
  }

  @Test func `verify takes several, and its exit status is that of the worst`() throws {
    for name in ["A", "B", "C"] { try docpkg("new", "\(name).imageNotes", "--text", name) }
    let whole = try docpkg("verify", "A.imageNotes", "B.imageNotes")
    #expect(whole.status == 0 && whole.output.split(separator: "\n").count == 2)
    #expect(whole.output.hasPrefix("A.imageNotes: whole: 1 child, 1 B"))

    try PosixDisk().rot("Text.txt", in: folder.appending("B.imageNotes"))
    let damaged = try docpkg("verify", "A.imageNotes", "B.imageNotes", "C.imageNotes", "--json")
    #expect(damaged.status == 1)
    let reports = try damaged.output.split(separator: "\n").map {
      try JSONDecoder().decode(Whole.self, from: Data($0.utf8))
    }
    #expect(reports.map(\.isWhole) == [true, false, true])
    #expect(reports.map(\.path) == ["A.imageNotes", "B.imageNotes", "C.imageNotes"])

    let missing = try docpkg("verify", "B.imageNotes", "none", "C.imageNotes")
    #expect(missing.status == 2 && missing.output.contains("C.imageNotes: whole"))
    #expect(missing.errors.contains("'none' could not be opened"))
  }

  @Test func `verify tells an edit by any program from damage`() throws {
    struct Report: Decodable {
      var isWhole: Bool
      var changed, damaged, extra: [String]
    }
    try docpkg("new", "D.imageNotes", "--text", "a")
    try write("notes", to: "notes")
    try docpkg("edit", "D.imageNotes", "--set", "Notes.txt=notes")
    try write("notes and more", to: "D.imageNotes/Notes.txt")
    try write("new", to: "D.imageNotes/New.txt")
    #expect(
      try output("verify", "D.imageNotes").hasPrefix(
        "changed by another program: Notes.txt\nadded by another program: New.txt\nwhole: 3 children, "))
    #expect(try docpkg("verify", "D.imageNotes", "--strict").status == 1)
    let report: Report = try decoded(docpkg("verify", "D.imageNotes", "--json"))
    #expect(report.isWhole && report.changed == ["Notes.txt"] && report.damaged == [])
    #expect(report.extra == ["New.txt"])

    try PosixDisk().rot("Text.txt", in: folder.appending("D.imageNotes"))
    let damaged = try docpkg("verify", "D.imageNotes")
    #expect(
      damaged.status == 1 && damaged.output.hasPrefix("damaged: Text.txt\nchanged by another program: "))
    try PosixDisk().rot("Text.txt", in: folder.appending("D.imageNotes"))

    // An edit reads the text that another program changed, and takes it over.
    try write("other", to: "D.imageNotes/Text.txt")
    try docpkg("edit", "D.imageNotes", "--append", "b")
    #expect(try docpkg("verify", "D.imageNotes").output.hasPrefix("changed by another program: Notes.txt\n"))
    try output("repair", "D.imageNotes", "--accept")
    try output("verify", "D.imageNotes", "--strict")
  }

  @Test func `info and recover take several`() throws {
    for name in ["A", "B"] { try docpkg("new", "\(name).imageNotes", "--text", name) }
    let info = try docpkg("info", "A.imageNotes", "none", "B.imageNotes")
    #expect(info.status == 2 && info.output.contains("B.imageNotes: Generation: 1\n"))
    let json = try docpkg("info", "A.imageNotes", "B.imageNotes", "--json")
    #expect(json.output.split(separator: "\n").count == 2 && json.output.contains(#""path":"B.imageNotes""#))
    let recover = try docpkg("recover", "A.imageNotes", "B.imageNotes")
    #expect(recover.output == "A.imageNotes: nothing to recover\nB.imageNotes: nothing to recover\n")
  }

  @Test func `cat and tree read a version, and leave the document as it is`() throws {
    struct Version: Decodable { var id: String }
    struct Node: Decodable, Equatable {
      var path: String
      var kind: String
      var size: Int?
    }
    try docpkg("new", "D.imageNotes", "--text", "one")
    let first: [Node] = try decoded(docpkg("tree", "D.imageNotes", "--json"))
    try docpkg("edit", "D.imageNotes", "--text", "second", "--set", "new/child=-", input: "more")
    try docpkg("edit", "D.imageNotes", "--remove", "new")
    let versions: [Version] = try decoded(docpkg("versions", "D.imageNotes", "--json"))
    let ids = versions.map(\.id)
    let before = try docpkg("verify", "D.imageNotes", "--json").output

    #expect(try docpkg("cat", "D.imageNotes", "Text.txt", "--version", ids[2]).output == "one")
    #expect(try docpkg("cat", "D.imageNotes", "new/child", "--version", ids[1]).output == "more")
    #expect(try docpkg("cat", "D.imageNotes", "new/child").status == 2)
    #expect(
      try docpkg("tree", "D.imageNotes", "--version", ids[1]).output
        == "Metadata.plist\nText.txt\nnew/\nnew/child\n")
    let old: [Node] = try decoded(docpkg("tree", "D.imageNotes", "--version", ids[2], "--json"))
    #expect(old.map(\.path) == first.map(\.path) && old.map(\.size) == first.map(\.size))
    #expect(try docpkg("cat", "D.imageNotes", "Text.txt", "--version", ids[0]).output == "second")
    try expectMessage(["cat", "D.imageNotes", "Text.txt", "--version", "zz"], "There is no version 'zz'")
    #expect(try docpkg("verify", "D.imageNotes", "--json").output == before)
  }

  @Test func `two packages are compared`() throws {
    let script = """
      mkdir -p A/only B/both A/both; echo x > A/only/x; echo one > A/t; printf 'one\\ntwo\\n' > B/t
      echo same > A/both/s; echo same > B/both/s; ln -s t A/l; ln -s u B/l
      """
    try prepare(script)
    let diff = try docpkg("diff", "A", "B")
    #expect(diff.status == 1)
    #expect(
      diff.output == """
        l: link to t → link to u
        only: removed, folder
        --- a/only/x
        +++ /dev/null
        @@ -1 +0,0 @@
        -x
        --- a/t
        +++ b/t
        @@ -1 +1,2 @@
         one
        +two

        """, "\(diff.output)")
    try output("diff", "A", "A")
    try docpkg("new", "D.imageNotes", "--text", "x")
    try docpkg("copy", "D.imageNotes", "E.imageNotes")
    try output("diff", "D.imageNotes", "E.imageNotes")
    try docpkg("edit", "E.imageNotes", "--append", "y")
    #expect(try docpkg("diff", "D.imageNotes", "E.imageNotes", "--stat").output == "Text.txt: +2 -1\n")
  }

  @Test func `names go through a pipe as they are`() throws {
    let script = """
      mkdir -p P/d; a=$(printf 'a\\001\\377'); n=$(printf 'n\\nn'); echo 1 > "P/$a"; echo 2 > "P/d/$n"
      "$0" tree P > listed; printf 'a\\001\\377\\nd/\\nd/n\\nn\\n' | cmp - listed
      "$0" tree P -0 > listed; printf 'a\\001\\377\\0d\\0d/n\\nn\\0' | cmp - listed
      "$0" tree P --null | head -c 4 | xargs -0 "$0" cat P
      mkdir L; "$0" new "L/$a.imageNotes" --text x -q
      "$0" list L | LC_ALL=C sed 's/.*  L/L/' > listed; printf 'L/a\\001\\377.imageNotes\\n' | cmp - listed
      """
    let run = try shell("set -e; \(script)")
    #expect(run.status == 0 && run.output == "1\n", "\(run.output)\(run.errors)")
  }

  @Test(.onTerminal) func `on a terminal names act on nothing`() throws {
    let text = """
      mkdir P; echo 1 > "P/$(printf 'a\\033[31m')"
      TERM=xterm script -qc "'\(tool.path)' tree P" /dev/null < /dev/null
      TERM=dumb script -qc "'\(tool.path)' export P x.tar" /dev/null < /dev/null
      """
    let run = try shell("set -e; \(text)")
    #expect(run.output.contains("a\\x1B[31m"), "\(run.output)")
    #expect(!run.output.contains("\u{1B}"), "\(run.output)")
    #expect(run.output.contains("x.tar: 2 entries, 2 B in "), "\(run.output)")
  }
}
