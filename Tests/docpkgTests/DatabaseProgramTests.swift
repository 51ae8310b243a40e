import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The program for documents with a database", .tags(.process), .temporaryDirectory)
struct DatabaseProgramTests {
  /// Makes `Book.recipebook`, which has a database, and `Trip.imageNotes` in a folder.
  private func make() throws {
    try makeBook()
    try output("new", "Trip.imageNotes", "--text", "rain")
  }

  @Test func `takes over a command line with a document of each kind`() throws {
    try make()
    for operands in [["Trip.imageNotes", "Book.recipebook"], ["."]] {
      let done = try run(tool, ["verify"] + operands)
      let lines = done.output.split(separator: "\n")
      #expect(done.status == 0 && lines.count == 2, "\(done)")
      #expect(lines.contains { $0.hasSuffix("Book.recipebook: whole: 7 children, 300 KB") }, "\(done)")
    }
    let info = try docpkg("info", "Trip.imageNotes", "Book.recipebook")
    #expect(info.output.split(separator: "\n").filter { $0.contains("Identifier: ") }.count == 2, "\(info)")
    try output("export", ".", "../all.zip", "--dry-run")
  }

  @Test func `works from another folder, through a link, and with closed descriptors`() throws {
    try make()
    let script = """
      mkdir links other && ln -s "$0" links/docpkg && cd other
      ../links/docpkg cat ../Book.recipebook AdditionalContent/even | wc -c
      ../links/docpkg edit ../Book.recipebook --set AdditionalContent/new=../Trip.imageNotes/Text.txt <&- && echo edited
      ../links/docpkg verify ../Book.recipebook >&-; echo $?
      ../links/docpkg cat ../Book.recipebook None; echo $?
      """
    let done = try shell(script)
    let lines = done.output.split(separator: "\n")
    #expect(lines.count == 5 && lines[2] == "edited" && lines[3] == "2" && lines[4] == "2", "\(done)")
    #expect(done.errors.contains("standard output could not be written: it is closed"), "\(done)")
  }

  @Test func `that is not here leaves the documents as they are, and the error says how to get it`() throws {
    try make()
    let alone = folder.appending("docpkg").string
    #expect(try Program(path: "/bin/cp").run([tool.path, alone]).status == 0)
    for arguments in [
      ["info", "Trip.imageNotes", "Book.recipebook"], ["verify", "."], ["cat", "Book.recipebook", "x"],
      ["edit", "Book.recipebook", "--remove", "x"], ["export", "Book.recipebook", "b.zip"],
    ] {
      let done = try run(Program(path: alone), arguments, environment: ["PATH": "/usr/bin:/bin"])
      #expect(done.status == 2 && done.output.isEmpty, "\(arguments): \(done)")
      #expect(done.errors.hasPrefix("docpkg: This needs the program 'docpkg-full'"), "\(done)")
    }
    // Documents without a database need no other program.
    let own = try run(
      Program(path: alone), ["edit", "Trip.imageNotes", "--append", "wind"],
      environment: ["PATH": "/usr/bin:/bin"])
    #expect(own.status == 0, "\(own)")
  }

  @Test func `a file that only has the name of a database is an ordinary child`() throws {
    let script = "mkdir -p P.pkg/StoreContent && echo text > P.pkg/StoreContent/persistentStore"
    #expect(try shell(script).status == 0)
    let text = try docpkg("cat", "P.pkg", "StoreContent/persistentStore")
    #expect(text.output == "text\n", "\(text)")
  }
}
