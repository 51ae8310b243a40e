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
    var setup = ""
    var command: [String]
    var message: String
    var status: Int32 = 2

    var testDescription: String { what }
  }

  static let cases = [
    Case(
      what: "no such file", command: ["show", "none"], message: "'none' could not be opened: no such file"),
    Case(
      what: "not a package", setup: "echo x > file", command: ["info", "file"],
      message: "'file' could not be opened: it is not a package"),
    Case(
      what: "something is there already", command: ["new", "D.imageNotes", "--text", "x"],
      message: "'D.imageNotes' could not be created: an item with that name exists already"),
    Case(
      what: "a truncated plist",
      setup: "head -c 300 D.imageNotes/Metadata.plist > m; cp m D.imageNotes/Metadata.plist",
      command: ["edit", "D.imageNotes", "--text", "x"],
      message: "'Metadata.plist' is not a complete property list"),
    Case(
      what: "a truncated plist, read",
      setup: "head -c 300 D.imageNotes/Metadata.plist > m; cp m D.imageNotes/Metadata.plist",
      command: ["info", "D.imageNotes"], message: "'Metadata.plist' is not a complete property list"),
    Case(
      what: "an alien plist",
      setup:
        "printf '<plist version=\"1.0\"><dict><key>a</key><string>b</string></dict></plist>' > D.imageNotes/Metadata.plist",
      command: ["edit", "D.imageNotes", "--set", "a=ok.png"],
      message: "another program made its 'Metadata.plist'"
    ),
    Case(
      what: "a plist of the future", setup: "sed -i 's/<integer>2</<integer>7</' D.imageNotes/Metadata.plist",
      command: ["edit", "D.imageNotes", "--set", "a=ok.png"], message: "it has format 7"),
    Case(
      what: "an image that is none", setup: "echo no > no.png",
      command: ["edit", "D.imageNotes", "--add-image", "no.png"], message: "'no.png' cannot be added"),
    Case(
      what: "an image cut short", setup: "head -c 20 ok.png > cut.png",
      command: ["edit", "D.imageNotes", "--add-image", "cut.png"],
      message: "'cut.png' cannot be added: the PNG picture is cut short"),
    Case(
      what: "a name with dots", command: ["edit", "D.imageNotes", "--set", "a/../../b=ok.png"],
      message: "a name cannot be '.' or '..'"),
    Case(
      what: "an empty name", command: ["edit", "D.imageNotes", "--set", "/etc/b=ok.png"],
      message: "a name cannot be empty"),
    Case(
      what: "a name of 256 bytes",
      command: ["edit", "D.imageNotes", "--set", String(repeating: "x", count: 256) + "=ok.png"],
      message: "a name cannot be longer than 255 bytes"),
    Case(
      what: "a folder to read", command: ["cat", "D.imageNotes", "Images"],
      message: "it is a folder (reading 'Images')"),
    Case(
      what: "the package itself to read", command: ["cat", "D.imageNotes", ""], message: "it is a folder"),
    Case(
      what: "a symbolic link to read", setup: "ln -s ../../etc D.imageNotes/out",
      command: ["cat", "D.imageNotes", "out"], message: "it is a symbolic link to '../../etc'"),
    Case(
      what: "a folder for the text", setup: "rm D.imageNotes/Text.txt; mkdir D.imageNotes/Text.txt",
      command: ["show", "D.imageNotes"], message: "it is not a regular file (opening 'Text.txt')"),
    Case(
      what: "a file for the images", setup: "rm -r D.imageNotes/Images; echo x > D.imageNotes/Images",
      command: ["edit", "D.imageNotes", "--add-image", "ok.png"],
      message: "it is not a folder (writing 'Images')"),
    Case(
      what: "a FIFO for the list of images", setup: "mkfifo D.imageNotes/Images.txt",
      command: ["edit", "D.imageNotes", "--caption", "ok.png=x"], message: "(reading 'Images.txt')"),
    Case(
      what: "a link for the list of images", setup: "ln -s Text.txt D.imageNotes/Images.txt",
      command: ["show", "D.imageNotes"], message: "it is not a regular file (opening 'Images.txt')"),
    Case(
      what: "a folder for the metadata",
      setup: "rm D.imageNotes/Metadata.plist; mkdir D.imageNotes/Metadata.plist",
      command: ["edit", "D.imageNotes", "--title", "x"], message: "(reading 'Metadata.plist')"),
    Case(
      what: "a folder for an image", setup: "mkdir D.imageNotes/Images/sub.png",
      command: ["edit", "D.imageNotes", "--remove-image", "sub.png"],
      message: "no image 'sub.png'; it has 'ok.png'"),
    Case(
      what: "a text in two ways",
      command: ["edit", "D.imageNotes", "--text", "x", "--set", "Text.txt=ok.png"],
      message: "'Text.txt' is changed by the other options, too", status: 64),
    Case(
      what: "a FIFO to read", setup: "mkfifo D.imageNotes/pipe", command: ["cat", "D.imageNotes", "pipe"],
      message: "(reading 'pipe')"),
    Case(
      what: "a FIFO to replace", setup: "mkfifo D.imageNotes/pipe",
      command: ["edit", "D.imageNotes", "--set", "pipe=ok.png"], message: "(reading 'pipe')"),
    Case(
      what: "a symbolic link out of the package", setup: "ln -s /etc D.imageNotes/out",
      command: ["cat", "D.imageNotes", "out/passwd"], message: "it is a symbolic link, which is not followed"),
    Case(
      what: "writing through a symbolic link", setup: "mkdir away; ln -s ../away D.imageNotes/out",
      command: ["edit", "D.imageNotes", "--set", "out/x=ok.png"],
      message: "it is a symbolic link, which is not followed"),
    Case(
      what: "a text that is not UTF-8", setup: "printf 'a\\377' > D.imageNotes/Text.txt",
      command: ["show", "D.imageNotes"], message: "not valid UTF-8 (opening 'Text.txt')"),
    Case(
      what: "a text that is not UTF-8, to add to", setup: "printf 'a\\377' > D.imageNotes/Text.txt",
      command: ["edit", "D.imageNotes", "--append", "x"], message: "not valid UTF-8 (opening 'Text.txt')"),
    Case(
      what: "a text file that is not UTF-8", setup: "printf 'a\\377' > t",
      command: ["edit", "D.imageNotes", "--text-file", "t"], message: "'t' is not a text in UTF-8"),
    Case(
      what: "a read-only child", setup: "chmod 444 D.imageNotes/Text.txt",
      command: ["edit", "D.imageNotes", "--text", "x"], message: "the file is read-only (writing 'Text.txt')"),
    Case(
      what: "no image of that name", command: ["edit", "D.imageNotes", "--remove-image", "x.png"],
      message: "no image 'x.png'; it has 'ok.png'"),
    Case(
      what: "no child of that name", command: ["edit", "D.imageNotes", "--remove", "x/y"],
      message: "The document 'D.imageNotes' has no child 'x/y'.\n"),
    Case(
      what: "no child to print", setup: "mkdir sub; cp -r D.imageNotes sub",
      command: ["cat", "sub/D.imageNotes", "entirely/else"],
      message: "docpkg: The document 'sub/D.imageNotes' has no child 'entirely/else'.\n"),
    Case(
      what: "a child with a dot", command: ["cat", "D.imageNotes", "./Text.txt"],
      message: "The document 'D.imageNotes' cannot have a child './Text.txt': a name cannot be '.' or '..'.\n"
    ),
    Case(
      what: "a child from the root", command: ["cat", "D.imageNotes", "/etc/passwd"],
      message: "The document 'D.imageNotes' cannot have a child '/etc/passwd': a name cannot be empty.\n"),
    Case(
      what: "nothing to redo",
      setup: "mkdir sub; cp -r D.imageNotes sub; '\(tool.path)' versions start sub/D.imageNotes -q",
      command: ["redo", "sub/D.imageNotes"],
      message: "The document 'sub/D.imageNotes' could not be restored: there is no save to redo."),
    Case(
      what: "a folder in a folder", setup: "mkdir sub", command: ["list", "sub/none"],
      message: "The folder 'sub/none' could not be searched: no such file or directory.\n"),
    Case(
      what: "no folder for a new document", setup: "mkdir sub",
      command: ["new", "--in", "sub/none", "--text", "x"],
      message: "The folder 'sub/none' could not be searched: no such file or directory.\n"),
    Case(
      what: "the library's own folder", command: ["edit", "D.imageNotes", "--set", ".docpkg/x=ok.png"],
      message: "that name belongs to the document's own files"),
    Case(
      what: "a file to read that is a folder", setup: "mkdir d",
      command: ["edit", "D.imageNotes", "--set", "x=d"], message: "'d' could not be read"),
    Case(
      what: "a folder that cannot be written",
      command: ["new", "/proc/x.imageNotes", "--text", "x"],
      message: "The document '/proc/x.imageNotes' could not be created"),
    Case(
      what: "a document in a folder", command: ["tree", "x/N.imageNotes"],
      message: "The document 'x/N.imageNotes' could not be"),
    Case(
      what: "a file to read in a folder", command: ["edit", "D.imageNotes", "--text-file", "x/v"],
      message: "The file 'x/v' could not be read: "),
    Case(
      what: "a file to set in a folder", command: ["edit", "D.imageNotes", "--set", "a=./x/v"],
      message: "The file './x/v' could not be read: "),
    Case(
      what: "an archive in a folder", command: ["import", "x/v.zip", "E.imageNotes"],
      message: "The archive 'x/v.zip' could not be imported: "),
    Case(
      what: "the metadata to remove",
      command: ["edit", "D.imageNotes", "--remove", "Metadata.plist"],
      message: "'Metadata.plist' cannot be removed: it is the document's own"),
    Case(
      what: "a log of somebody's",
      setup: "mkdir -p D.imageNotes/.docpkg; : > D.imageNotes/.docpkg/log",
      command: ["edit", "D.imageNotes", "--text", "x"], message: "'docpkg repair' does that."),
    Case(
      what: "an unknown option", command: ["edit", "D.imageNotes", "--bogus"], message: "--bogus", status: 64),
    Case(
      what: "nothing to change", command: ["edit", "D.imageNotes"], message: "Say what to change", status: 64),
  ]

  @Test(arguments: cases)
  func `is told in a sentence, and changes nothing`(_ bad: Case) throws {
    try FileManager.default.copyItem(
      atPath: projectFolder.appending(path: "Fixtures/Images/ridge.png").path,
      toPath: folder.appending("ok.png").string)
    try output("new", "D.imageNotes", "--text", "hi", "--image", "ok.png")
    #expect(try shell(bad.setup).status == 0)
    let before = try state(of: folder)

    let result = try run(tool, bad.command)

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
