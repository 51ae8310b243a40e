import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Usage", .tags(.process), .temporaryDirectory)
struct UsageTests {
  /// Every place of a path in every command, with an empty path there.
  static let emptyPaths: [[String]] = [
    ["new", ""], ["new", "--in", ""], ["new", "N.imageNotes", "--text-file", ""],
    ["new", "N.imageNotes", "--image", ""], ["show", ""], ["edit", "", "--remove", "file"],
    ["edit", "D", "--add-image", ""], ["edit", "D", "--text-file", ""], ["edit", "D", "--set", "file="],
    ["undo", ""], ["redo", ""], ["list", ""], ["list", "D", ""], ["tree", ""],
    ["cat", "", "file"], ["info", ""], ["info", "D", ""], ["copy", "", "C"], ["copy", "D", ""],
    ["versions", ""], ["versions", "prune", ""], ["versions", "stop", ""], ["diff", ""], ["diff", "D", ""],
    ["restore", "", "--version", "1"], ["conflicts", ""], ["resolve", "", "--merge"],
    ["export", "", "a.zip"],
    ["export", "D", "", "--format", "zip"], ["export", "D", "a.zip", "--passphrase-file", ""],
    ["import", "", "C"], ["import", "a.zip", ""], ["verify", ""],
    ["verify", "D", ""], ["recover", ""], ["repair", ""],
    ["bench", "save", "--folder", ""],
  ]

  @Test(arguments: emptyPaths)
  func `an empty path is an error, and not the working directory`(_ arguments: [String]) throws {
    let script = "mkdir D; echo x > D/file; echo x > file; echo x > Metadata.txt"
    #expect(try shell(script).status == 0)
    let before = try run(Program(path: "/usr/bin/find"), ["."]).output

    let result = try run(tool, arguments)

    #expect(result.status == 64, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("is invalid for"), "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(try run(Program(path: "/usr/bin/find"), ["."]).output == before)
  }

  @Test(arguments: [[], ["cloud"], ["bench"]])
  func `a command without its subcommand is an error, and not the help that ends well`(
    _ arguments: [String]
  ) throws {
    let result = try run(tool, arguments)
    #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("SUBCOMMANDS:"))
    let help = try run(tool, arguments + ["--help"])
    #expect(help.status == 0 && help.errors.isEmpty && help.output.contains("SUBCOMMANDS:"))
  }

  /// The library of libfaketime, where Debian's package of that name has it.
  static let faketime = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
    .map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }.first(where: FileManager.default.fileExists)

  @Test(.enabled(if: faketime != nil, "this needs libfaketime"))
  func `a preloaded library that changes the environment hides no argument`() throws {
    let library = try #require(Self.faketime)
    let result = try run(tool, ["show", "Ä b"], environment: ["LD_PRELOAD": library, "FAKETIME": "+1h"])
    #expect(result.status == 2 && result.output.isEmpty && result.errors.contains("'Ä b'"))
  }

  /// Arguments, and a part of the message.
  static let mistakes: [([String], String)] = [
    (["verfy", "D"], "There is no command 'verfy'."), (["help", "verfy"], "There is no command 'verfy'.\n"),
    (["bench", "sav"], "There is no command 'bench sav'."),
    (["help", "versions", "prun"], "There is no command 'versions prun'."),
    (
      ["edit", "D"],
      "Usage: docpkg edit [<options>] <path>\n  See 'docpkg edit --help' for more information.\n"
    ),
    (["edit", "D", "--apend", "x"], "--append"),
    (["export", "D", "a.zip", "--level", "99"], "--level has to be 0 to 9 for zip."),
    (["export", "D", "a.tar.zst", "--level", "0"], "--level has to be 1 to 22 for tar.zst."),
    (["export", "D", "a.tar", "--level", "1"], "tar does not compress"),
    (["export", "D", "a.tar.zst", "--update"], "Only a zip can be updated, not tar.zst."),
    (["list", "--name", "["], "'[' has a [ without ]"),
    (["list", "--name", "a[]"], "'a[]' has a [ without ]"),
    // The parser takes these for short options, and one of them asks for the help.
    (["edit", "-dash.imageNotes", "--text", "x"], "USAGE: docpkg edit"),
    (["verify", "-h2"], "USAGE: docpkg"),
    (["tree", ".", "--long", "-0"], "Give either -0, --long or --json."),
    (["diff", "D", "E", "--version", "1"], "Give either another package or --version."),
    (["bench", "save", "--compare", "r.json"], "Unknown option '--compare'"),
  ]

  @Test(arguments: mistakes)
  func `a mistake is told with what may have been meant`(_ arguments: [String], _ message: String) throws {
    let result = try run(tool, arguments, in: "/")
    #expect(result.status == 64, "\(result.output)")
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func `the help of a command, and of help, is help`() throws {
    for arguments in [
      ["help"], ["help", "edit"], ["help", "versions", "prune"], ["help", "bench"], ["-h"],
    ] {
      let result = try run(tool, arguments, in: "/")
      #expect(result.status == 0 && result.output.contains("USAGE:") && result.errors.isEmpty)
    }
  }

  @Test func `the examples of the help can be copied, each from one line`() throws {
    let script = projectFolder.appending(path: ".ci/command-line-docs").path
    let help = try run(Program(path: script), [tool.path + "-full"], in: "/").output
    var (isExample, examples) = (false, 0)
    for line in help.split(separator: "\n", omittingEmptySubsequences: false).drop(while: { $0 != "```" }) {
      if line.wholeMatch(of: /Examples?:/) != nil {
        isExample = true
      } else if line.isEmpty {
        isExample = false
      } else if isExample {
        // ArgumentParser would continue a line that is too long at the left.
        #expect(line.hasPrefix("  ") && line.count <= 80, "\(line)")
        examples += 1
      }
    }
    #expect(examples > 60)
  }

  @Test func `a list of documents says which of its folders are documents`() throws {
    try docpkg("new", "D.imageNotes", "--text", "x")
    let list = try docpkg("list", "D.imageNotes", ".")
    #expect(list.status == 2 && list.output.contains("./D.imageNotes\n"))
    #expect(list.errors.contains("'D.imageNotes' is a document itself"))
    try docpkg("copy", "D.imageNotes", "E [.imageNotes")
    for pattern in ["*[[]*", "*[!]a-z.E]*", "*\\[*"] {
      #expect(try docpkg("list", "--name", pattern).output.hasSuffix("./E [.imageNotes\n"))
    }
    #expect(try docpkg("list").output == docpkg("list", ".").output)
  }

  @Test func `no error is a dump of fields`() throws {
    try docpkg("new", "D.imageNotes", "--text", "x")
    for arguments in [
      ["bench", "save", "--folder", "none", "--children", "1"],
      ["new", "E.imageNotes", "--image", "none"], ["new", "--in", "none", "--text", "x"],
      ["edit", "D.imageNotes", "--set", "a=none"], ["diff", "D.imageNotes", "none"],
      ["export", "none", "a.zip"], ["import", "none", "F"],
      ["restore", "none", "--version", "1"],
    ] {
      let result = try run(tool, arguments)
      #expect(result.status == 2, "\(arguments) \(result.errors)")
      #expect(result.errors.hasPrefix("docpkg: ") && result.errors.hasSuffix(".\n"), "\(result.errors)")
      for word in ["CocoaError", "userInfo", "rawValue", "DecodingError", "Swift.", "debugDescription"] {
        #expect(!result.errors.contains(word), "\(arguments) \(result.errors)")
      }
    }
  }
}
