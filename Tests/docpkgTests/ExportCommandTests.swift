import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg export", .tags(.process))
struct ExportCommandTests {
  private func made(_ tree: TestTree = ["a.txt": "a"], named name: FileName = "T.pack", in folder: FilePath)
    throws
  {
    try tree.write(to: name, in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
  }

  private func shell(_ script: String, in folder: FilePath) throws -> Run {
    try run(Program(path: "/bin/bash"), ["-c", script], in: folder)
  }

  private func names(in folder: FilePath) throws -> Set<String> {
    try Set(FileManager.default.contentsOfDirectory(atPath: folder.string))
  }

  @Test func `with a passphrase in the environment alone encrypts, or says that it cannot`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let docpkg = "DOCPKG_PASSPHRASE=sesame \(tool.path)"
      #expect(try shell("\(docpkg) export T.pack a.zip", in: folder).status == 0)
      let without = try shell("\(tool.path) import a.zip Back", in: folder)
      #expect(without.status == 2 && without.errors.contains("encrypted"))
      #expect(try shell("\(docpkg) import a.zip Back", in: folder).status == 0)
      for arguments in ["export T.pack a.tar", "export T.pack a.zip --update", "export T.pack - --format 7z"]
      {
        let refused = try shell("\(docpkg) \(arguments) | cat; exit ${PIPESTATUS[0]}", in: folder)
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(refused.errors.contains("DOCPKG_PASSPHRASE is set: unset it.\n"))
      }
      #expect(try names(in: folder) == ["T.pack", "a.zip", "Back"])
    }
  }

  @Test(arguments: [["--format", "zip"], ["--as", "textpack"], ["--as", "html"]])
  func `replaces nothing at a name that the command makes in a folder`(format: [String]) async throws {
    try await withTemporaryDirectory { folder in
      for name in ["a", "b"] {
        let notes = ["new", "Trip.imageNotes", "--text", name]
        try FileManager.default.createDirectory(
          atPath: folder.appending(name).string, withIntermediateDirectories: false)
        #expect(try run(tool, notes, in: folder.appending(name)).status == 0)
      }
      try FileManager.default.createDirectory(
        atPath: folder.appending("out").string, withIntermediateDirectories: false)
      func export(_ name: String, _ options: [String] = []) throws -> Run {
        try run(tool, ["export", "\(name)/Trip.imageNotes", "out"] + format + options, in: folder)
      }
      #expect(try export("a").status == 0)
      let made = try shell("cksum out/*", in: folder).output
      for options in [[], ["--dry-run"]] {
        let refused = try export("b", options)
        #expect(refused.status == 2 && refused.errors.contains("'out/Trip."), "\(refused)")
        #expect(refused.errors.contains("exists already. To replace it, give this path and not its folder."))
      }
      #expect(try shell("cksum out/*", in: folder).output == made)
      if format == ["--format", "zip"] { #expect(try export("a", ["--update"]).status == 0) }
    }
  }

  @Test func `replaces a read-only archive only when it is told to`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      try Data("precious".utf8).write(to: URL(filePath: folder.appending("a.zip").string))
      #expect(chmod(folder.appending("a.zip").string, 0o444) == 0)
      let refused = try docpkg("export", "T.pack", "a.zip", in: folder)
      #expect(refused.status == 2 && refused.errors.contains("read-only"))
      #expect(try shell("cat a.zip", in: folder).output == "precious")
      #expect(try docpkg("export", "T.pack", "a.zip", "--force", in: folder).status == 0)
      #expect(try docpkg("import", "a.zip", "Back", in: folder).status == 0)
      #expect(try names(in: folder) == ["T.pack", "a.zip", "Back"])
    }
  }

  @Test(arguments: ["zip", "tar", "tar.zst", "7z"])
  func `leaves nothing where a file may not become so large`(format: String) async throws {
    try await withTemporaryDirectory { folder in
      var generator = SeededGenerator(seed: 7)
      let words = (0..<400_000).map { _ in generator.next() }
      let noise = words.withUnsafeBytes { Array($0) }
      try made(["a": .file(noise), "b": .file(noise), "c": "c", "d": .file(noise)], in: folder)
      let limited = try shell("ulimit -f 1000; \(tool.path) export T.pack a.\(format)", in: folder)
      #expect(limited.status == 2 && limited.errors.contains("could not be made"), "\(limited)")
      #expect(try names(in: folder) == ["T.pack"])
    }
  }

  @Test func `makes an EPUB of a name that ends so, flat`() async throws {
    try await withTemporaryDirectory { folder in
      let book: TestTree = ["mimetype": "application/epub+zip", "OPS": ["a.xhtml": "a"]]
      try made(book, named: "Book", in: folder)
      #expect(try docpkg("export", "Book", "Book.epub", in: folder).status == 0)
      #expect(try run(bsdtar, ["-tf", "Book.epub"], in: folder).output == "mimetype\nOPS/a.xhtml\n")
      #expect(try docpkg("import", "Book.epub", "Back", in: folder).status == 0)
      #expect(try TestTree.read(folder.appending("Back"), of: PosixDisk()) == book)
      let edited = try docpkg("edit", "Book.epub", "--remove", "OPS", in: folder)
      #expect(edited.status == 2)
      #expect(edited.errors.hasSuffix("It is an archive (zip): 'docpkg import' makes a package of it.\n"))
      #expect(try !docpkg("tree", "Back/mimetype", in: folder).errors.contains("archive"))
    }
  }

  @Test func `puts the archive into a folder, as cp does, never into a package`() async throws {
    try await withTemporaryDirectory { folder in
      try made(named: "T.textbundle", in: folder)
      try made([:], named: "Out", in: folder)
      try made([:], named: "Out 1.2", in: folder)
      #expect(try docpkg("export", "T.textbundle", "Out", "--format", "tar.zst", in: folder).status == 0)
      #expect(try docpkg("export", "T.textbundle/", "Out 1.2/", "--format", "zip", in: folder).status == 0)
      #expect(try docpkg("export", "T.textbundle", ".", "--format", "zip", in: folder).status == 0)
      let unsaid = try docpkg("export", "T.textbundle", "Out", in: folder)
      #expect(unsaid.status == 64 && unsaid.errors.contains("give --format"))
      let package = try docpkg("export", "T.textbundle", "T.textbundle", "--format", "zip", in: folder)
      #expect(package.status == 2 && package.errors.contains("a directory is in its place"))
      #expect(try names(in: folder) == ["T.textbundle", "Out", "Out 1.2", "T.zip"])
      #expect(try names(in: folder.appending("Out")) == ["T.tar.zst"])
      #expect(try names(in: folder.appending("Out 1.2")) == ["T.zip"])
    }
  }

  @Test func `takes the archive from -o, and says why it takes no two packages`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      try made(named: "U.pack", in: folder)
      for arguments in [
        ["-o", "a.zip", "T.pack"], ["T.pack", "--output", "b.zip"], ["T.pack", "-o", "c.tar"],
      ] {
        let exported = try run(tool, ["export"] + arguments, in: folder)
        #expect(exported.status == 0, "\(exported)")
      }
      for arguments in [["T.pack", "U.pack", "all.zip"], ["T.pack", "U.pack", "-o", "all.zip"]] {
        let refused = try run(tool, ["export"] + arguments, in: folder)
        #expect(refused.status == 64 && refused.errors.contains("An archive has one package"), "\(refused)")
      }
      let none = try docpkg("export", "T.pack", in: folder)
      #expect(none.status == 64 && none.errors.contains("Give the archive, such as T.pack.zip."), "\(none)")
      #expect(try names(in: folder) == ["T.pack", "U.pack", "a.zip", "b.zip", "c.tar"])
    }
  }
}
