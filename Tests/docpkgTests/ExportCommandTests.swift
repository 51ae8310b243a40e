import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg export", .tags(.process), .temporaryDirectory)
struct ExportCommandTests {
  private func made(_ tree: TestTree = ["a.txt": "a"], named name: FileName = "T.pack") throws {
    try write(tree, to: name)
  }

  @Test func `with a passphrase in the environment alone encrypts, or says that it cannot`() throws {
    try made()
    let docpkg = "DOCPKG_PASSPHRASE=sesame \(tool.path)"
    #expect(try shell("\(docpkg) export T.pack a.zip").status == 0)
    let without = try shell("\(tool.path) import a.zip Back")
    #expect(without.status == 2 && without.errors.contains("encrypted"))
    #expect(try shell("\(docpkg) import a.zip Back").status == 0)
    for arguments in ["export T.pack a.tar", "export T.pack a.zip --update", "export T.pack - --format 7z"] {
      let refused = try shell("\(docpkg) \(arguments) | cat; exit ${PIPESTATUS[0]}")
      #expect(refused.status == 64 && refused.output.isEmpty)
      #expect(refused.errors.contains("DOCPKG_PASSPHRASE is set: unset it.\n"))
    }
    #expect(try names() == ["T.pack", "a.zip", "Back"])
  }

  @Test(arguments: [["--format", "zip"], ["--as", "textpack"], ["--as", "html"]])
  func `replaces nothing at a name that the command makes in a folder`(format: [String]) throws {
    for name in ["a", "b"] {
      let notes = ["new", "Trip.imageNotes", "--text", name]
      try makeDirectory(name)
      #expect(try run(tool, notes, in: folder.appending(name)).status == 0)
    }
    try makeDirectory("out")
    func export(_ name: String, _ options: [String] = []) throws -> Run {
      try run(tool, ["export", "\(name)/Trip.imageNotes", "out"] + format + options)
    }
    #expect(try export("a").status == 0)
    let made = try shell("cksum out/*").output
    for options in [[], ["--dry-run"]] {
      let refused = try export("b", options)
      #expect(refused.status == 2 && refused.errors.contains("'out/Trip."), "\(refused)")
      #expect(refused.errors.contains("exists already. To replace it, give this path and not its folder."))
    }
    #expect(try shell("cksum out/*").output == made)
    if format == ["--format", "zip"] { #expect(try export("a", ["--update"]).status == 0) }
  }

  @Test func `replaces a read-only archive only when it is told to`() throws {
    try made()
    try write("precious", to: "a.zip")
    #expect(chmod(folder.appending("a.zip").string, 0o444) == 0)
    try expectMessage(["export", "T.pack", "a.zip"], "read-only")
    #expect(try shell("cat a.zip").output == "precious")
    try output("export", "T.pack", "a.zip", "--force")
    try output("import", "a.zip", "Back")
    #expect(try names() == ["T.pack", "a.zip", "Back"])
  }

  @Test(arguments: ["zip", "tar", "tar.zst", "7z"])
  func `leaves nothing where a file may not become so large`(format: String) throws {
    var generator = SeededGenerator(seed: 7)
    let words = (0..<400_000).map { _ in generator.next() }
    let noise = words.withUnsafeBytes { Array($0) }
    try made(["a": .file(noise), "b": .file(noise), "c": "c", "d": .file(noise)])
    let limited = try shell("ulimit -f 1000; \(tool.path) export T.pack a.\(format)")
    #expect(limited.status == 2 && limited.errors.contains("could not be made"), "\(limited)")
    #expect(try names() == ["T.pack"])
  }

  @Test func `makes an EPUB of a name that ends so, flat`() throws {
    let book: TestTree = ["mimetype": "application/epub+zip", "OPS": ["a.xhtml": "a"]]
    try made(book, named: "Book")
    try output("export", "Book", "Book.epub")
    #expect(try run(bsdtar, ["-tf", "Book.epub"]).output == "mimetype\nOPS/a.xhtml\n")
    try output("import", "Book.epub", "Back")
    #expect(try TestTree.read(folder.appending("Back"), of: PosixDisk()) == book)
    let edited = try docpkg("edit", "Book.epub", "--remove", "OPS")
    #expect(edited.status == 2)
    #expect(edited.errors.hasSuffix("It is an archive (zip): 'docpkg import' makes a package of it.\n"))
    #expect(try !docpkg("tree", "Back/mimetype").errors.contains("archive"))
  }

  @Test func `puts the archive into a folder, as cp does, never into a package`() throws {
    try made(named: "T.textbundle")
    try made([:], named: "Out")
    try made([:], named: "Out 1.2")
    try output("export", "T.textbundle", "Out", "--format", "tar.zst")
    try output("export", "T.textbundle/", "Out 1.2/", "--format", "zip")
    try output("export", "T.textbundle", ".", "--format", "zip")
    try expectMessage(["export", "T.textbundle", "Out"], "give --format", status: 64)
    try expectMessage(
      ["export", "T.textbundle", "T.textbundle", "--format", "zip"], "a directory is in its place")
    #expect(try names() == ["T.textbundle", "Out", "Out 1.2", "T.zip"])
    #expect(try names(in: "Out") == ["T.tar.zst"])
    #expect(try names(in: "Out 1.2") == ["T.zip"])
  }

  @Test func `takes the archive from -o, and says why it takes no two packages`() throws {
    try made()
    try made(named: "U.pack")
    for arguments in [
      ["-o", "a.zip", "T.pack"], ["T.pack", "--output", "b.zip"], ["T.pack", "-o", "c.tar"],
    ] {
      try output(["export"] + arguments)
    }
    for arguments in [["T.pack", "U.pack", "all.zip"], ["T.pack", "U.pack", "-o", "all.zip"]] {
      try expectMessage(["export"] + arguments, "An archive has one package", status: 64)
    }
    try expectMessage(["export", "T.pack"], "Give the archive, such as T.pack.zip.", status: 64)
    #expect(try names() == ["T.pack", "U.pack", "a.zip", "b.zip", "c.tar"])
  }
}
