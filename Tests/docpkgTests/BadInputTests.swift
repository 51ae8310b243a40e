import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Bad input", .tags(.process), .temporaryDirectory)
struct BadInputTests {
  /// A mistake: a setup in a folder with `D.imageNotes` and the picture `ok.png`, the command, and a part of the
  /// message.
  struct Case: Sendable, CustomTestStringConvertible {
    var setup: String
    var command: String
    var message: String
    var status: Int32

    var testDescription: String { setup.isEmpty ? command : "\(setup); \(command)" }

    init(setup: String = "", _ command: String, _ message: String, status: Int32 = 2) {
      (self.setup, self.command, self.message, self.status) = (setup, command, message, status)
    }
  }

  static let cases = [
    Case("show none", "'none' could not be opened: no such file"),
    Case(setup: "echo x > file", "info file", "'file' could not be opened: it is not a package"),
    Case(
      "new D.imageNotes --text x",
      "'D.imageNotes' could not be created: an item with that name exists already"),
    Case(
      setup: "head -c 300 D.imageNotes/Metadata.plist > m; cp m D.imageNotes/Metadata.plist",
      "edit D.imageNotes --text x", "'Metadata.plist' is not a complete property list"),
    Case(
      setup: "head -c 300 D.imageNotes/Metadata.plist > m; cp m D.imageNotes/Metadata.plist",
      "info D.imageNotes", "'Metadata.plist' is not a complete property list"),
    Case(
      setup:
        "printf '<plist version=\"1.0\"><dict><key>a</key><string>b</string></dict></plist>' > D.imageNotes/Metadata.plist",
      "edit D.imageNotes --set a=ok.png", "another program made its 'Metadata.plist'"),
    Case(
      setup: "sed -i 's/<integer>2</<integer>7</' D.imageNotes/Metadata.plist",
      "edit D.imageNotes --set a=ok.png", "it has format 7"),
    Case(setup: "echo no > no.png", "edit D.imageNotes --add-image no.png", "'no.png' cannot be added"),
    Case(
      setup: "head -c 20 ok.png > cut.png", "edit D.imageNotes --add-image cut.png",
      "'cut.png' cannot be added: the PNG picture is cut short"),
    Case("edit D.imageNotes --set a/../../b=ok.png", "a name cannot be '.' or '..'"),
    Case("edit D.imageNotes --set /etc/b=ok.png", "a name cannot be empty"),
    Case(
      "edit D.imageNotes --set \(String(repeating: "x", count: 256))=ok.png",
      "a name cannot be longer than 255 bytes"),
    Case("cat D.imageNotes Images", "it is a folder (reading 'Images')"),
    Case("cat D.imageNotes ", "it is a folder"),
    Case(
      setup: "ln -s ../../etc D.imageNotes/out", "cat D.imageNotes out",
      "it is a symbolic link to '../../etc'"),
    Case(
      setup: "rm D.imageNotes/Text.txt; mkdir D.imageNotes/Text.txt", "show D.imageNotes",
      "it is not a regular file (opening 'Text.txt')"),
    Case(
      setup: "rm -r D.imageNotes/Images; echo x > D.imageNotes/Images",
      "edit D.imageNotes --add-image ok.png", "it is not a folder (writing 'Images')"),
    Case(
      setup: "mkfifo D.imageNotes/Images.txt", "edit D.imageNotes --caption ok.png=x",
      "(reading 'Images.txt')"),
    Case(
      setup: "ln -s Text.txt D.imageNotes/Images.txt", "show D.imageNotes",
      "it is not a regular file (opening 'Images.txt')"),
    Case(
      setup: "rm D.imageNotes/Metadata.plist; mkdir D.imageNotes/Metadata.plist",
      "edit D.imageNotes --title x", "(reading 'Metadata.plist')"),
    Case(
      setup: "mkdir D.imageNotes/Images/sub.png", "edit D.imageNotes --remove-image sub.png",
      "no image 'sub.png'; it has 'ok.png'"),
    Case(
      "edit D.imageNotes --text x --set Text.txt=ok.png", "'Text.txt' is changed by the other options, too",
      status: 64),
    Case(setup: "mkfifo D.imageNotes/pipe", "cat D.imageNotes pipe", "(reading 'pipe')"),
    Case(setup: "mkfifo D.imageNotes/pipe", "edit D.imageNotes --set pipe=ok.png", "(reading 'pipe')"),
    Case(
      setup: "ln -s /etc D.imageNotes/out", "cat D.imageNotes out/passwd",
      "it is a symbolic link, which is not followed"),
    Case(
      setup: "mkdir away; ln -s ../away D.imageNotes/out", "edit D.imageNotes --set out/x=ok.png",
      "it is a symbolic link, which is not followed"),
    Case(
      setup: "printf 'a\\377' > D.imageNotes/Text.txt", "show D.imageNotes",
      "not valid UTF-8 (opening 'Text.txt')"),
    Case(
      setup: "printf 'a\\377' > D.imageNotes/Text.txt", "edit D.imageNotes --append x",
      "not valid UTF-8 (opening 'Text.txt')"),
    Case(setup: "printf 'a\\377' > t", "edit D.imageNotes --text-file t", "'t' is not a text in UTF-8"),
    Case(
      setup: "chmod 444 D.imageNotes/Text.txt", "edit D.imageNotes --text x",
      "the file is read-only (writing 'Text.txt')"),
    Case("edit D.imageNotes --remove-image x.png", "no image 'x.png'; it has 'ok.png'"),
    Case("edit D.imageNotes --remove x/y", "The document 'D.imageNotes' has no child 'x/y'.\n"),
    Case(
      setup: "mkdir sub; cp -r D.imageNotes sub", "cat sub/D.imageNotes entirely/else",
      "docpkg: The document 'sub/D.imageNotes' has no child 'entirely/else'.\n"),
    Case(
      "cat D.imageNotes ./Text.txt",
      "The document 'D.imageNotes' cannot have a child './Text.txt': a name cannot be '.' or '..'.\n"),
    Case(
      "cat D.imageNotes /etc/passwd",
      "The document 'D.imageNotes' cannot have a child '/etc/passwd': a name cannot be empty.\n"),
    Case(
      setup: "mkdir sub; cp -r D.imageNotes sub; '\(tool.path)' versions start sub/D.imageNotes -q",
      "redo sub/D.imageNotes",
      "The document 'sub/D.imageNotes' could not be restored: there is no save to redo."),
    Case(
      setup: "mkdir sub", "list sub/none",
      "The folder 'sub/none' could not be searched: no such file or directory.\n"),
    Case(
      setup: "mkdir sub", "new --in sub/none --text x",
      "The folder 'sub/none' could not be searched: no such file or directory.\n"),
    Case("edit D.imageNotes --set .docpkg/x=ok.png", "that name belongs to the document's own files"),
    Case(setup: "mkdir d", "edit D.imageNotes --set x=d", "'d' could not be read"),
    Case("new /proc/x.imageNotes --text x", "The document '/proc/x.imageNotes' could not be created"),
    Case("tree x/N.imageNotes", "The document 'x/N.imageNotes' could not be"),
    Case("edit D.imageNotes --text-file x/v", "The file 'x/v' could not be read: "),
    Case("edit D.imageNotes --set a=./x/v", "The file './x/v' could not be read: "),
    Case("import x/v.zip E.imageNotes", "The archive 'x/v.zip' could not be imported: "),
    Case(
      "edit D.imageNotes --remove Metadata.plist",
      "'Metadata.plist' cannot be removed: it is the document's own"),
    Case(
      setup: "mkdir -p D.imageNotes/.docpkg; : > D.imageNotes/.docpkg/log", "edit D.imageNotes --text x",
      "'docpkg repair' does that."),
    Case("edit D.imageNotes --bogus", "--bogus", status: 64),
    Case("edit D.imageNotes", "Say what to change", status: 64),
  ]

  @Test(arguments: cases)
  func `is told in a sentence, and changes nothing`(_ bad: Case) throws {
    try FileManager.default.copyItem(
      atPath: projectFolder.appending(path: "Fixtures/Images/ridge.png").path,
      toPath: folder.appending("ok.png").string)
    try output("new", "D.imageNotes", "--text", "hi", "--image", "ok.png")
    #expect(try shell(bad.setup).status == 0)
    let before = try state(of: folder)

    let result = try run(
      tool, bad.command.split(separator: " ", omittingEmptySubsequences: false).map(String.init))

    #expect(result.status == bad.status)
    #expect(result.errors.contains(bad.message), "\(result.errors)")
    #expect(result.output.isEmpty)
    if bad.status == 2 {
      #expect(result.errors.hasPrefix("docpkg: ") && result.errors.hasSuffix(".\n"))
      #expect(result.errors.filter { $0 == "\n" }.count == 1)
    }
    #expect(try state(of: folder) == before)
  }

  /// Returns every node with its bytes, permissions and times. It omits the time of the hidden folder, which held a
  /// lock and staged files for a moment.
  private func state(of folder: FilePath) throws -> String {
    let script = """
      find . ! -name .docpkg -printf '%p %y %m %T@ %l\\n' | sort
      find . -name .docpkg -printf '%p %y %m\\n'; find . -type f | sort | xargs -d '\\n' sha256sum
      """
    return try shell(script).output
  }
}
