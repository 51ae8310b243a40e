import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The program for documents with a database", .tags(.process))
struct DatabaseProgramTests {
  /// Makes `Book.recipebook`, which has a database, and `Trip.imageNotes` in a folder.
  private func make(in folder: FilePath) throws {
    let made = try Program("bookkeeper").run(
      [folder.appending("Book.recipebook").string, "0", "2"], in: folder, input: "")
    try #require(made.status == 0, "\(made.output)")
    try #require(try docpkg("new", "Trip.imageNotes", "--text", "rain", in: folder).status == 0)
  }

  @Test func `takes over a command line with a document of each kind`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      for operands in [["Trip.imageNotes", "Book.recipebook"], ["."]] {
        let done = try run(tool, ["verify"] + operands, in: folder)
        let lines = done.output.split(separator: "\n")
        #expect(done.status == 0 && lines.count == 2, "\(done)")
        #expect(lines.contains { $0.hasSuffix("Book.recipebook: whole: 7 children, 300 KB") }, "\(done)")
      }
      let info = try docpkg("info", "Trip.imageNotes", "Book.recipebook", in: folder)
      #expect(info.output.split(separator: "\n").filter { $0.contains("Identifier: ") }.count == 2, "\(info)")
      #expect(try docpkg("export", ".", "../all.zip", "--dry-run", in: folder).status == 0)
    }
  }

  @Test func `works from another folder, through a link, and with closed descriptors`() async throws {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      let script = """
        mkdir links other && ln -s "$0" links/docpkg && cd other
        ../links/docpkg cat ../Book.recipebook AdditionalContent/even | wc -c
        ../links/docpkg edit ../Book.recipebook --set AdditionalContent/new=../Trip.imageNotes/Text.txt <&- && echo edited
        ../links/docpkg verify ../Book.recipebook >&-; echo $?
        ../links/docpkg cat ../Book.recipebook None; echo $?
        """
      let done = try run(Program(path: "/bin/sh"), ["-c", script, tool.path], in: folder)
      let lines = done.output.split(separator: "\n")
      #expect(lines.count == 5 && lines[2] == "edited" && lines[3] == "2" && lines[4] == "2", "\(done)")
      #expect(done.errors.contains("standard output could not be written: it is closed"), "\(done)")
    }
  }

  @Test func `that is not here leaves the documents as they are, and the error says how to get it`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try make(in: folder)
      let alone = folder.appending("docpkg").string
      #expect(try Program(path: "/bin/cp").run([tool.path, alone]).status == 0)
      for arguments in [
        ["info", "Trip.imageNotes", "Book.recipebook"], ["verify", "."], ["cat", "Book.recipebook", "x"],
        ["edit", "Book.recipebook", "--remove", "x"], ["export", "Book.recipebook", "b.zip"],
      ] {
        let done = try run(
          Program(path: alone), arguments, in: folder, environment: ["PATH": "/usr/bin:/bin"])
        #expect(done.status == 2 && done.output.isEmpty, "\(arguments): \(done)")
        #expect(done.errors.hasPrefix("docpkg: 'docpkg-database' is not here. "), "\(done)")
      }
      // Documents without a database need no other program.
      let own = try run(
        Program(path: alone), ["edit", "Trip.imageNotes", "--append", "wind"], in: folder,
        environment: ["PATH": "/usr/bin:/bin"])
      #expect(own.status == 0, "\(own)")
    }
  }

  @Test func `a file that only has the name of a database is an ordinary child`() async throws {
    try await withTemporaryDirectory { folder in
      let script = "mkdir -p P.pkg/StoreContent && echo text > P.pkg/StoreContent/persistentStore"
      #expect(try run(Program(path: "/bin/sh"), ["-c", script], in: folder).status == 0)
      let text = try docpkg("cat", "P.pkg", "StoreContent/persistentStore", in: folder)
      #expect(text.output == "text\n", "\(text)")
    }
  }
}

@Suite("The main program", .tags(.process))
struct MainProgramTests {
  @Test func `has nothing of databases, servers, encryption and the whole of Foundation`() throws {
    let bytes = try Data(contentsOf: URL(filePath: tool.path), options: .mappedIfSafe)
    // A library's names are in the symbols of a program that has its code, and in the list of those that it loads.
    let names = [
      "4GRDB", "11FlyingSocks", "libssl", "libsqlite3", "FoundationInternationalization", "libFoundation.so",
      "11NotesServer", "15CloudContainers", "12ObjectStores", "16ManagedDocuments",
    ]
    for name in names { #expect(bytes.firstRange(of: Data(name.utf8)) == nil, "\(name)") }
    let database = try Data(contentsOf: URL(filePath: tool.path + "-database"), options: .mappedIfSafe)
    #expect(database.firstRange(of: Data("4GRDB".utf8)) != nil)
  }

  @Test(.enabled(if: Program.succeeds("nm --version"), "this needs nm"))
  func `defines no function of libarchive: a program that links the library calls its own`() throws {
    let symbols = try run(Program(path: "/bin/sh"), ["-c", "nm '\(tool.path)'"], in: "/").output
    let names = Set(symbols.split(separator: "\n").compactMap { $0.split(separator: " ").last })
    #expect(names.contains("carchive_read_new") && !names.contains("archive_read_new"))
  }

  @Test(arguments: ["bench", "cloud", "serve"])
  func `says how to get a companion that is not here`(name: String) async throws {
    try await withTemporaryDirectory { folder in
      let alone = folder.appending("docpkg").string
      #expect(try Program(path: "/bin/cp").run([tool.path, alone]).status == 0)
      for arguments in [[name], [name, "--help"], ["help", name]] {
        let done = try run(
          Program(path: alone), arguments, in: folder, environment: ["PATH": "/usr/bin:/bin"])
        #expect(done.status == 2 && done.output.isEmpty, "\(done)")
        #expect(
          done.errors == "docpkg: 'docpkg-\(name)' is not here. The Debian package has it, and so has "
            + "'make install'; 'make all' builds it beside 'docpkg'.\n", "\(done)")
      }
    }
  }

  @Test(arguments: companions)
  func `refuses a companion of another version`(name: String) async throws {
    try await withTemporaryDirectory { folder in
      let done = try run(
        Program("docpkg-\(name)"), ["--help"], in: folder, environment: ["DOCPKG_VERSION": "0.0.1"])
      #expect(done.status == 2 && done.output.isEmpty, "\(done)")
      #expect(
        done.errors.contains("docpkg-\(name)' has version ")
          && done.errors.hasSuffix("'docpkg' has version 0.0.1. Install both from one build.\n"), "\(done)")
    }
  }

  @Test func `a companion that is run by its own name has the same help`() async throws {
    try await withTemporaryDirectory { folder in
      for arguments in [["cloud", "sync", "--help"], ["cloud", "--help"], ["serve", "--help"]] {
        let (through, own) = (
          try run(tool, arguments, in: folder),
          try run(Program("docpkg-\(arguments[0])"), Array(arguments.dropFirst()), in: folder)
        )
        #expect(through.output == own.output && own.status == 0, "\(own)")
      }
      let wrong = try docpkg("cloud", "snyc", in: folder)
      #expect(wrong.status == 64 && wrong.errors.contains("Did you mean 'sync'?"), "\(wrong)")
    }
  }
}
