import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("The main program", .tags(.process), .temporaryDirectory)
struct MainProgramTests {
  @Test func `has nothing of databases, servers, encryption and the whole of Foundation`() throws {
    let bytes = try Data(contentsOf: URL(filePath: tool.path), options: .mappedIfSafe)
    // A library's names are in the symbols of a program that has its code, and in the list of those that it loads.
    let names = [
      "4GRDB", "libcurl", "libssl", "libsqlite3", "FoundationInternationalization",
      "libFoundation.so",
      "15CloudContainers", "12ObjectStores", "16ManagedDocuments",
    ]
    for name in names { #expect(bytes.firstRange(of: Data(name.utf8)) == nil, "\(name)") }
    let full = try Data(contentsOf: URL(filePath: tool.path + "-full"), options: .mappedIfSafe)
    #expect(full.firstRange(of: Data("4GRDB".utf8)) != nil)
  }

  @Test(.enabled(if: Program.succeeds("nm --version"), "this needs nm"))
  func `defines no function of libarchive: a program that links the library calls its own`() throws {
    let symbols = try shell("nm '\(tool.path)'", in: "/").output
    let names = Set(symbols.split(separator: "\n").compactMap { $0.split(separator: " ").last })
    #expect(names.contains("carchive_read_new") && !names.contains("archive_read_new"))
  }

  @Test(arguments: ["bench", "cloud"])
  func `says how to get the program with all commands`(name: String) throws {
    let alone = folder.appending("docpkg").string
    #expect(try Program(path: "/bin/cp").run([tool.path, alone]).status == 0)
    for arguments in [[name], [name, "--help"], ["help", name]] {
      let done = try run(Program(path: alone), arguments, environment: ["PATH": "/usr/bin:/bin"])
      #expect(done.status == 2 && done.output.isEmpty, "\(done)")
      #expect(
        done.errors
          == "docpkg: This needs the program 'docpkg-full', which is not installed. Run 'make install'.\n",
        "\(done)")
    }
  }

  @Test(arguments: companions)
  func `refuses a companion of another version`(name: String) throws {
    let done = try run(Program("docpkg-\(name)"), ["--help"], environment: ["DOCPKG_VERSION": "0.0.1"])
    #expect(done.status == 2 && done.output.isEmpty, "\(done)")
    #expect(
      done.errors.contains("docpkg-\(name)' has version ")
        && done.errors.hasSuffix("'docpkg' has version 0.0.1. Install both from one build.\n"), "\(done)")
  }

  @Test func `a companion that is run by its own name has the same help`() throws {
    for (arguments, name, rest) in [
      (["cloud", "sync", "--help"], "full", ["cloud", "sync", "--help"]),
      (["edit", "--help"], "full", ["edit", "--help"]),
    ] {
      let (through, own) = (try run(tool, arguments), try run(Program("docpkg-\(name)"), rest))
      #expect(through.output == own.output && own.status == 0, "\(own)")
    }
    try expectMessage(["cloud", "snyc"], "There is no command 'cloud snyc'.", status: 64)
  }
}
