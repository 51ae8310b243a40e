import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Archives on the command line", .tags(.process))
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

  private func made(in folder: FilePath) throws {
    let run = try docpkg(
      "new", "Trip.imageNotes", "--text", "Three valleys", "--image", demo.appending(path: "Dawn.png").path,
      in: folder)
    #expect(run.status == 0 && run.errors.isEmpty)
  }

  private func tree(_ name: String, in folder: FilePath) throws -> TestTree {
    var tree = try TestTree.read(folder.appending(name), of: PosixDisk())
    tree[".docpkg"] = nil
    return tree
  }

  private func decoded<Value: Decodable>(_ run: Run) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(run.output.utf8))
  }

  @Test(arguments: ["zip", "tar", "tar.gz", "tar.xz", "tar.zst"])
  func `a document goes into a file and comes back`(format: String) async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let exported: Exported = try decoded(
        docpkg("export", "Trip.imageNotes", "Trip.\(format)", "--json", in: folder))
      #expect(exported.format == format && exported.entries == 5 && exported.leftOut.isEmpty)
      let imported: Imported = try decoded(
        docpkg("import", "Trip.\(format)", "Back.imageNotes", "--json", in: folder))
      #expect(imported.format == format && imported.entries == 4 && imported.bytes == exported.bytes)
      #expect(try tree("Back.imageNotes", in: folder) == tree("Trip.imageNotes", in: folder))
      #expect(try docpkg("verify", "Back.imageNotes", in: folder).status == 0)
    }
  }

  @Test func `goes through a pipe, and says nothing in it`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      for format in ["zip", "tar.zst"] {
        let shell = try run(
          Program(path: "/bin/sh"),
          [
            "-c",
            "\(tool.path) export Trip.imageNotes - --format \(format) | cat | \(tool.path) import - \(format)",
          ],
          in: folder)
        #expect(shell.status == 0 && shell.errors.isEmpty, "\(shell.errors)")
        #expect(try tree(format, in: folder) == tree("Trip.imageNotes", in: folder))
      }
    }
  }

  @Test func `works in a locale that knows no more than ASCII`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      _ = try docpkg("edit", "Trip.imageNotes", "--set", "Übung/é.txt=-", in: folder, input: "x")
      for format in ["zip", "tar.zst"] {
        let shell = try run(
          Program(path: "/bin/sh"),
          [
            "-c",
            """
            export LC_ALL=C; \(tool.path) export Trip.imageNotes a.\(format) && \
            \(tool.path) import a.\(format) \(format)
            """,
          ], in: folder)
        #expect(shell.status == 0, "\(shell.errors)")
        #expect(try tree(format, in: folder) == tree("Trip.imageNotes", in: folder))
      }
    }
  }

  @Test func `the same package gives the same bytes, with the date that it is told`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let copied = try run(Program(path: "/bin/cp"), ["-r", "Trip.imageNotes", "Copy"], in: folder)
      #expect(copied.status == 0)
      _ = try run(Program(path: "/bin/mkdir"), ["elsewhere"], in: folder)
      _ = try run(Program(path: "/bin/mv"), ["Copy", "elsewhere/Trip.imageNotes"], in: folder)
      for format in ["zip", "tar.zst", "tar.gz", "7z"] {
        let command = "SOURCE_DATE_EPOCH=1000000000 \(tool.path) export --reproducible"
        let shell = try run(
          Program(path: "/bin/sh"),
          [
            "-c",
            """
            \(command) Trip.imageNotes a.\(format) && \(command) elsewhere/Trip.imageNotes b.\(format) && \
            cmp a.\(format) b.\(format)
            """,
          ], in: folder)
        #expect(shell.status == 0, "\(shell.output)\(shell.errors)")
      }
      _ = try docpkg("import", "a.tar.zst", "Back", in: folder)
      let date = FileTime(seconds: 1_000_000_000, nanoseconds: 0)
      let status = try PosixDisk().status(
        of: "Text.txt", in: PosixDisk().openDirectory(at: folder.appending("Back")))
      #expect(status.modified == date)
    }
  }

  @Test func `with --dry-run nothing is written`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let planned = try docpkg("export", "Trip.imageNotes", "a.zip", "--dry-run", in: folder)
      #expect(planned.output.contains("add Trip.imageNotes/Text.txt\n"))
      #expect(!FileManager.default.fileExists(atPath: folder.appending("a.zip").string))
      _ = try docpkg("export", "Trip.imageNotes", "a.zip", in: folder)
      let checked = try docpkg("import", "a.zip", "Back", "--dry-run", in: folder)
      #expect(checked.status == 0 && checked.output.hasPrefix("Back: would import 4 entries"))
      let taken = try docpkg("import", "a.zip", "Trip.imageNotes", "--dry-run", in: folder)
      #expect(taken.status == 2 && taken.errors.contains("an item exists at 'Trip.imageNotes' already"))
      let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder.string))
      #expect(names == ["Trip.imageNotes", "a.zip"])
    }
  }

  @Test func `what cannot be done is said, and nothing is left`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      _ = try docpkg("export", "Trip.imageNotes", "a.zip", in: folder)
      let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder.string))
      let taken = try docpkg("import", "a.zip", "Trip.imageNotes", in: folder)
      #expect(taken.status == 2 && taken.errors.contains("an item exists at 'Trip.imageNotes' already"))
      let missing = try docpkg("import", "b.zip", "Back", in: folder)
      #expect(missing.status == 2 && missing.errors.contains("no such file"))
      let limited = try docpkg("import", "a.zip", "Back", "--max-bytes", "1000", in: folder)
      #expect(limited.status == 2 && limited.errors.contains("Dawn.png"))
      let within = try docpkg("export", "Trip.imageNotes", "Trip.imageNotes/Images/a.zip", in: folder)
      #expect(within.status == 2 && within.errors.contains("in the package"))
      #expect(try docpkg("export", "Trip.imageNotes", "a", in: folder).status == 64)
      #expect(try docpkg("export", "Trip.imageNotes", "-", in: folder).status == 64)
      #expect(try docpkg("export", "Trip.imageNotes", "a.iso", in: folder).status == 64)
      #expect(try docpkg("export", "Trip.imageNotes", "a.zip", "--level", "10", in: folder).status == 64)
      let folderInPlace = try docpkg(
        "export", "Trip.imageNotes", "Trip.imageNotes", "--format", "zip", in: folder)
      #expect(folderInPlace.status == 2 && folderInPlace.errors.contains("a directory is in its place"))
      #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.string)) == names)
      #expect(try tree("Trip.imageNotes", in: folder)["Images"]?.entries.keys.contains("a.zip") == false)
    }
  }

  @Test func `an import that refuses names the option that helps, or another program`() async throws {
    try await withTemporaryDirectory { folder in
      func export(_ children: TestTree) throws {
        let disk = PosixDisk()
        _ = try run(Program(path: "/bin/rm"), ["-rf", "Trip.pack", "Back"], in: folder)
        try children.write(to: "Trip.pack", in: disk.openDirectory(at: folder), of: disk)
        #expect(try docpkg("export", "Trip.pack", "a.tar", in: folder).status == 0)
      }
      try export(["README": "x", "readme": "y"])
      let refused = try docpkg("import", "a.tar", "Back", in: folder)
      #expect(refused.status == 2 && refused.errors.contains("--similar-names"), "\(refused.errors)")
      let taken = try docpkg("import", "a.tar", "Back", "--similar-names", in: folder)
      #expect(taken.status == 0, "\(taken.errors)")
      #expect(try tree("Back", in: folder) == tree("Trip.pack", in: folder))

      try export(["Icon\r": "x", "readme": "y"])
      let other = try docpkg("import", "a.tar", "Back", in: folder)
      #expect(other.status == 2 && other.errors.contains("such as bsdtar: the folder is a package."))
      let script = "mkdir Back && bsdtar -xf a.tar -C Back"
      #expect(try run(Program(path: "/bin/sh"), ["-c", script], in: folder).status == 0)
      #expect(try docpkg("diff", "Back/Trip.pack", "Trip.pack", in: folder).status == 0)
    }
  }

  @Test func `names that are not UTF-8 keep their bytes, and a message says so`() async throws {
    try await withTemporaryDirectory { folder in
      let raw = FileName(bytes: [0x83, 0x5C])
      try TestTree.directory([raw: "x"]).write(
        to: "Trip.pack", in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
      _ = try docpkg("export", "Trip.pack", "a.zip", in: folder)
      let plain = try docpkg("import", "a.zip", "Plain", in: folder)
      #expect(plain.status == 0 && plain.errors.contains("One name is not UTF-8, and kept as bytes"))
      #expect(try tree("Plain", in: folder) == tree("Trip.pack", in: folder))
    }
  }

  @Test func `a passphrase comes from a file or the environment`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      try Data("open sesame\nsecond line".utf8).write(to: URL(filePath: folder.appending("key").string))
      let exported = try docpkg("export", "Trip.imageNotes", "a.zip", "--passphrase-file", "key", in: folder)
      #expect(exported.status == 0, "\(exported.errors)")
      let without = try docpkg("import", "a.zip", "Back", in: folder)
      #expect(without.status == 2 && without.errors.contains("passphrase"))
      let shell = try run(
        Program(path: "/bin/sh"),
        ["-c", "DOCPKG_PASSPHRASE='open sesame' \(tool.path) import a.zip Back"], in: folder)
      #expect(shell.status == 0, "\(shell.errors)")
      #expect(try tree("Back", in: folder) == tree("Trip.imageNotes", in: folder))
      #expect(try docpkg("export", "Trip.imageNotes", "b.zip", "--encrypt", in: folder).status == 2)
    }
  }

  @Test(arguments: ["INT", "TERM"])
  func `an interrupted export or import leaves nothing`(signal: String) async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      _ = try docpkg("export", "Trip.imageNotes", "whole.tar", in: folder)
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
      let shell = try run(Program(path: "/bin/bash"), ["-c", script], in: folder)
      #expect(shell.output == "status \(signal == "INT" ? 130 : 143)\n", "\(shell.output)\(shell.errors)")
      #expect(shell.errors.contains("cancelled; nothing was written"))
      let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder.string))
      #expect(names == ["Trip.imageNotes", "whole.tar", "pipe"])
    }
  }
}
