import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Bad input", .tags(.process), .temporaryDirectory)
struct BadInputTests {
  /// A mistake: its name, a setup in a folder with `D.imageNotes` and the picture `ok.png`, the command, and a part
  /// of the message.
  struct Case: Sendable, CustomTestStringConvertible {
    var what: String
    var setup: String
    var command: String
    var message: String
    var status: Int32

    var testDescription: String { what }

    init(_ what: String, setup: String = "", _ command: String, _ message: String, status: Int32 = 2) {
      (self.what, self.setup, self.command) = (what, setup, command)
      (self.message, self.status) = (message, status)
    }
  }

  static let cases = [
    Case("no such file", "show none", "'none' could not be opened: no such file"),
    Case(
      "not a package", setup: "echo x > file", "info file",
      "'file' could not be opened: it is not a package"),
    Case(
      "something is there already", "new D.imageNotes --text x",
      "'D.imageNotes' could not be created: an item with that name exists already"),
    Case(
      "a truncated plist",
      setup: "head -c 300 D.imageNotes/Metadata.plist > m; cp m D.imageNotes/Metadata.plist",
      "edit D.imageNotes --text x", "'Metadata.plist' is not a complete property list"),
    Case(
      "a truncated plist, read",
      setup: "head -c 300 D.imageNotes/Metadata.plist > m; cp m D.imageNotes/Metadata.plist",
      "info D.imageNotes", "'Metadata.plist' is not a complete property list"),
    Case(
      "an alien plist",
      setup:
        "printf '<plist version=\"1.0\"><dict><key>a</key><string>b</string></dict></plist>' > D.imageNotes/Metadata.plist",
      "edit D.imageNotes --set a=ok.png", "another program made its 'Metadata.plist'"),
    Case(
      "a plist of the future", setup: "sed -i 's/<integer>2</<integer>7</' D.imageNotes/Metadata.plist",
      "edit D.imageNotes --set a=ok.png", "it has format 7"),
    Case(
      "an image that is none", setup: "echo no > no.png", "edit D.imageNotes --add-image no.png",
      "'no.png' cannot be added"),
    Case(
      "an image cut short", setup: "head -c 20 ok.png > cut.png", "edit D.imageNotes --add-image cut.png",
      "'cut.png' cannot be added: the PNG picture is cut short"),
    Case("a name with dots", "edit D.imageNotes --set a/../../b=ok.png", "a name cannot be '.' or '..'"),
    Case("an empty name", "edit D.imageNotes --set /etc/b=ok.png", "a name cannot be empty"),
    Case(
      "a name of 256 bytes", "edit D.imageNotes --set \(String(repeating: "x", count: 256))=ok.png",
      "a name cannot be longer than 255 bytes"),
    Case("a folder to read", "cat D.imageNotes Images", "it is a folder (reading 'Images')"),
    Case("the package itself to read", "cat D.imageNotes ", "it is a folder"),
    Case(
      "a symbolic link to read", setup: "ln -s ../../etc D.imageNotes/out", "cat D.imageNotes out",
      "it is a symbolic link to '../../etc'"),
    Case(
      "a folder for the text", setup: "rm D.imageNotes/Text.txt; mkdir D.imageNotes/Text.txt",
      "show D.imageNotes", "it is not a regular file (opening 'Text.txt')"),
    Case(
      "a file for the images", setup: "rm -r D.imageNotes/Images; echo x > D.imageNotes/Images",
      "edit D.imageNotes --add-image ok.png", "it is not a folder (writing 'Images')"),
    Case(
      "a FIFO for the list of images", setup: "mkfifo D.imageNotes/Images.txt",
      "edit D.imageNotes --caption ok.png=x", "(reading 'Images.txt')"),
    Case(
      "a link for the list of images", setup: "ln -s Text.txt D.imageNotes/Images.txt", "show D.imageNotes",
      "it is not a regular file (opening 'Images.txt')"),
    Case(
      "a folder for the metadata", setup: "rm D.imageNotes/Metadata.plist; mkdir D.imageNotes/Metadata.plist",
      "edit D.imageNotes --title x", "(reading 'Metadata.plist')"),
    Case(
      "a folder for an image", setup: "mkdir D.imageNotes/Images/sub.png",
      "edit D.imageNotes --remove-image sub.png", "no image 'sub.png'; it has 'ok.png'"),
    Case(
      "a text in two ways", "edit D.imageNotes --text x --set Text.txt=ok.png",
      "'Text.txt' is changed by the other options, too", status: 64),
    Case("a FIFO to read", setup: "mkfifo D.imageNotes/pipe", "cat D.imageNotes pipe", "(reading 'pipe')"),
    Case(
      "a FIFO to replace", setup: "mkfifo D.imageNotes/pipe", "edit D.imageNotes --set pipe=ok.png",
      "(reading 'pipe')"),
    Case(
      "a symbolic link out of the package", setup: "ln -s /etc D.imageNotes/out",
      "cat D.imageNotes out/passwd", "it is a symbolic link, which is not followed"),
    Case(
      "writing through a symbolic link", setup: "mkdir away; ln -s ../away D.imageNotes/out",
      "edit D.imageNotes --set out/x=ok.png", "it is a symbolic link, which is not followed"),
    Case(
      "a text that is not UTF-8", setup: "printf 'a\\377' > D.imageNotes/Text.txt", "show D.imageNotes",
      "not valid UTF-8 (opening 'Text.txt')"),
    Case(
      "a text that is not UTF-8, to add to", setup: "printf 'a\\377' > D.imageNotes/Text.txt",
      "edit D.imageNotes --append x", "not valid UTF-8 (opening 'Text.txt')"),
    Case(
      "a text file that is not UTF-8", setup: "printf 'a\\377' > t", "edit D.imageNotes --text-file t",
      "'t' is not a text in UTF-8"),
    Case(
      "a read-only child", setup: "chmod 444 D.imageNotes/Text.txt", "edit D.imageNotes --text x",
      "the file is read-only (writing 'Text.txt')"),
    Case(
      "no image of that name", "edit D.imageNotes --remove-image x.png", "no image 'x.png'; it has 'ok.png'"),
    Case(
      "no child of that name", "edit D.imageNotes --remove x/y",
      "The document 'D.imageNotes' has no child 'x/y'.\n"),
    Case(
      "no child to print", setup: "mkdir sub; cp -r D.imageNotes sub", "cat sub/D.imageNotes entirely/else",
      "docpkg: The document 'sub/D.imageNotes' has no child 'entirely/else'.\n"),
    Case(
      "a child with a dot", "cat D.imageNotes ./Text.txt",
      "The document 'D.imageNotes' cannot have a child './Text.txt': a name cannot be '.' or '..'.\n"),
    Case(
      "a child from the root", "cat D.imageNotes /etc/passwd",
      "The document 'D.imageNotes' cannot have a child '/etc/passwd': a name cannot be empty.\n"),
    Case(
      "nothing to redo",
      setup: "mkdir sub; cp -r D.imageNotes sub; '\(tool.path)' versions start sub/D.imageNotes -q",
      "redo sub/D.imageNotes",
      "The document 'sub/D.imageNotes' could not be restored: there is no save to redo."),
    Case(
      "a folder in a folder", setup: "mkdir sub", "list sub/none",
      "The folder 'sub/none' could not be searched: no such file or directory.\n"),
    Case(
      "no folder for a new document", setup: "mkdir sub", "new --in sub/none --text x",
      "The folder 'sub/none' could not be searched: no such file or directory.\n"),
    Case(
      "the library's own folder", "edit D.imageNotes --set .docpkg/x=ok.png",
      "that name belongs to the document's own files"),
    Case(
      "a file to read that is a folder", setup: "mkdir d", "edit D.imageNotes --set x=d",
      "'d' could not be read"),
    Case(
      "a folder that cannot be written", "new /proc/x.imageNotes --text x",
      "The document '/proc/x.imageNotes' could not be created"),
    Case("a document in a folder", "tree x/N.imageNotes", "The document 'x/N.imageNotes' could not be"),
    Case(
      "a file to read in a folder", "edit D.imageNotes --text-file x/v",
      "The file 'x/v' could not be read: "),
    Case(
      "a file to set in a folder", "edit D.imageNotes --set a=./x/v", "The file './x/v' could not be read: "),
    Case(
      "an archive in a folder", "import x/v.zip E.imageNotes",
      "The archive 'x/v.zip' could not be imported: "),
    Case(
      "the metadata to remove", "edit D.imageNotes --remove Metadata.plist",
      "'Metadata.plist' cannot be removed: it is the document's own"),
    Case(
      "a log of somebody's", setup: "mkdir -p D.imageNotes/.docpkg; : > D.imageNotes/.docpkg/log",
      "edit D.imageNotes --text x", "'docpkg repair' does that."),
    Case("an unknown option", "edit D.imageNotes --bogus", "--bogus", status: 64),
    Case("nothing to change", "edit D.imageNotes", "Say what to change", status: 64),
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
