import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Archives on the command line", .tags(.process), .temporaryDirectory)
struct ArchiveCommandTests {
  private struct Exported: Decodable {
    var format: String
    var entries: Int
    var bytes: UInt64
    var archiveBytes: UInt64
    var reused: Int
    var leftOut: [String]
  }

  private struct Imported: Decodable {
    var format: String
    var entries: Int
    var bytes: UInt64
    var leftOut: [String]
  }

  private func made() throws {
    let run = try docpkg(
      "new", "Trip.imageNotes", "--text", "Three valleys", "--image", demo.appending(path: "Dawn.png").path)
    #expect(run.status == 0 && run.errors.isEmpty)
  }

  private func tree(_ name: String) throws -> TestTree {
    var tree = try TestTree.read(folder.appending(name), of: PosixDisk())
    tree[".docpkg"] = nil
    return tree
  }

  @Test(arguments: ["zip", "tar", "tar.gz", "tar.xz", "tar.zst"])
  func `a document goes into a file and comes back`(format: String) throws {
    try made()
    let exported: Exported = try decoded(docpkg("export", "Trip.imageNotes", "Trip.\(format)", "--json"))
    #expect(exported.format == format && exported.entries == 5 && exported.leftOut.isEmpty)
    let imported: Imported = try decoded(docpkg("import", "Trip.\(format)", "Back.imageNotes", "--json"))
    #expect(imported.format == format && imported.entries == 4 && imported.bytes == exported.bytes)
    #expect(try tree("Back.imageNotes") == tree("Trip.imageNotes"))
    try output("verify", "Back.imageNotes")
  }

  @Test func `goes through a pipe, and says nothing in it`() throws {
    try made()
    for format in ["zip", "tar.zst"] {
      let shell = try shell("$0 export Trip.imageNotes - --format \(format) | cat | $0 import - \(format)")
      #expect(shell.status == 0 && shell.errors.isEmpty, "\(shell.errors)")
      #expect(try tree(format) == tree("Trip.imageNotes"))
    }
  }

  @Test func `works in a locale that knows no more than ASCII`() throws {
    try made()
    try docpkg("edit", "Trip.imageNotes", "--set", "Übung/é.txt=-", input: "x")
    for format in ["zip", "tar.zst"] {
      try prepare("export LC_ALL=C; $0 export Trip.imageNotes a.\(format); $0 import a.\(format) \(format)")
      #expect(try tree(format) == tree("Trip.imageNotes"))
    }
  }

  @Test func `the same package gives the same bytes, with the date that it is told`() throws {
    try made()
    try prepare("mkdir elsewhere; cp -r Trip.imageNotes elsewhere")
    for format in ["zip", "tar.zst", "tar.gz", "7z"] {
      try prepare(
        """
        export SOURCE_DATE_EPOCH=1000000000; $0 export --reproducible Trip.imageNotes a.\(format)
        $0 export --reproducible elsewhere/Trip.imageNotes b.\(format); cmp a.\(format) b.\(format)
        """)
    }
    try docpkg("import", "a.tar.zst", "Back")
    let date = FileTime(seconds: 1_000_000_000, nanoseconds: 0)
    let status = try PosixDisk().status(
      of: "Text.txt", in: PosixDisk().openDirectory(at: folder.appending("Back")))
    #expect(status.modified == date)
  }

  @Test func `with --dry-run nothing is written`() throws {
    try made()
    let planned = try docpkg("export", "Trip.imageNotes", "a.zip", "--dry-run")
    #expect(planned.output.contains("add Trip.imageNotes/Text.txt\n"))
    #expect(!fileExists("a.zip"))
    try docpkg("export", "Trip.imageNotes", "a.zip")
    #expect(try output("import", "a.zip", "Back", "--dry-run").hasPrefix("Back: would import 4 entries"))
    try expectMessage(
      ["import", "a.zip", "Trip.imageNotes", "--dry-run"], "an item exists at 'Trip.imageNotes' already")
    #expect(try names() == ["Trip.imageNotes", "a.zip"])
  }

  @Test func `what cannot be done is said, and nothing is left`() throws {
    try made()
    try docpkg("export", "Trip.imageNotes", "a.zip")
    let before = try names()
    try expectMessage(["import", "a.zip", "Trip.imageNotes"], "an item exists at 'Trip.imageNotes' already")
    try expectMessage(["import", "b.zip", "Back"], "no such file")
    try expectMessage(["import", "a.zip", "Back", "--max-bytes", "1000"], "Dawn.png")
    try expectMessage(["export", "Trip.imageNotes", "Trip.imageNotes/Images/a.zip"], "in the package")
    #expect(try docpkg("export", "Trip.imageNotes", "a").status == 64)
    #expect(try docpkg("export", "Trip.imageNotes", "-").status == 64)
    #expect(try docpkg("export", "Trip.imageNotes", "a.iso").status == 64)
    #expect(try docpkg("export", "Trip.imageNotes", "a.zip", "--level", "10").status == 64)
    try expectMessage(
      ["export", "Trip.imageNotes", "Trip.imageNotes", "--format", "zip"], "a directory is in its place")
    #expect(try names() == before)
    #expect(try tree("Trip.imageNotes")["Images"]?.entries.keys.contains("a.zip") == false)
  }

  @Test func `an import that refuses names the option that helps, or another program`() throws {
    func export(_ children: TestTree) throws {
      let disk = PosixDisk()
      try run(Program(path: "/bin/rm"), ["-rf", "Trip.pack", "Back"])
      try children.write(to: "Trip.pack", in: disk.openDirectory(at: folder), of: disk)
      try output("export", "Trip.pack", "a.tar")
    }
    try export(["README": "x", "readme": "y"])
    try expectMessage(["import", "a.tar", "Back"], "--similar-names")
    try output("import", "a.tar", "Back", "--similar-names")
    #expect(try tree("Back") == tree("Trip.pack"))

    try export(["Icon\r": "x", "readme": "y"])
    try expectMessage(["import", "a.tar", "Back"], "such as bsdtar: the folder is a package.")
    let script = "mkdir Back && bsdtar -xf a.tar -C Back"
    #expect(try shell(script).status == 0)
    try output("diff", "Back/Trip.pack", "Trip.pack")
  }

  @Test func `names that are not UTF-8 keep their bytes, and a message says so`() throws {
    let raw = FileName(bytes: [0x83, 0x5C])
    try TestTree.directory([raw: "x"]).write(
      to: "Trip.pack", in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
    try docpkg("export", "Trip.pack", "a.zip")
    try expectMessage(["import", "a.zip", "Plain"], "One name is not UTF-8, and kept as bytes", status: 0)
    #expect(try tree("Plain") == tree("Trip.pack"))
  }

  @Test func `a passphrase comes from a file or the environment`() throws {
    try made()
    try write("open sesame\nsecond line", to: "key")
    try output("export", "Trip.imageNotes", "a.zip", "--passphrase-file", "key")
    try expectMessage(["import", "a.zip", "Back"], "passphrase")
    let shell = try shell("DOCPKG_PASSPHRASE='open sesame' \(tool.path) import a.zip Back")
    #expect(shell.status == 0, "\(shell.errors)")
    #expect(try tree("Back") == tree("Trip.imageNotes"))
    #expect(try docpkg("export", "Trip.imageNotes", "b.zip", "--encrypt").status == 2)
    // An archive that turns out to be of another program's document is read twice, standard input once.
    try docpkg("export", "Trip.imageNotes", "T.textbundle")
    try docpkg("export", "T.textbundle", "t.zip", "--passphrase-file", "key")
    let converted = try docpkg(
      "import", "t.zip", "Notes.imageNotes", "--passphrase-file", "-", input: "open sesame\n")
    #expect(converted.status == 0 && converted.output.contains("TextBundle"), "\(converted.errors)")
  }

  @Test(.enabled(if: Program.installed("script") != nil, "needs script"))
  func `Ctrl-C in place of a passphrase ends the program, and is none`() throws {
    try made()
    let script = """
      mkfifo keys
      script -qefc "$0 export Trip.imageNotes a.zip --encrypt" log <keys >out & PID=$!
      exec 3>keys
      for i in $(seq 500); do grep -q Passphrase log && break; sleep 0.01; done
      printf '\\003' >&3
      exec 3>&-
      wait $PID
      echo "status $?"
      """
    #expect(try shell(script).output == "status 130\n")
    #expect(try !names().contains("a.zip"))
  }

  @Test(arguments: ["INT", "TERM"])
  func `an interrupted export or import leaves nothing`(signal: String) throws {
    try made()
    try docpkg("export", "Trip.imageNotes", "whole.tar")
    // The import has begun to write, and waits for the rest of the archive.
    let script = """
      # A shell without job control starts what runs beside it with SIGINT ignored.
      set -m
      mkfifo pipe
      \(tool.path) import pipe Back & PID=$!
      exec 3>pipe
      head -c 100000 whole.tar >&3
      for i in $(seq 500); do ls -A | grep -q '^[.]docpkg-' && break; sleep 0.01; done
      ls -A | grep -q '^[.]docpkg-' || echo "nothing was begun"
      kill -\(signal) $PID
      wait $PID
      echo "status $?"
      exec 3>&-
      """
    let shell = try shell(script)
    #expect(shell.output == "status \(signal == "INT" ? 130 : 143)\n", "\(shell.output)\(shell.errors)")
    #expect(shell.errors.contains("cancelled; nothing was written"))
    #expect(try names() == ["Trip.imageNotes", "whole.tar", "pipe"])
  }
}
