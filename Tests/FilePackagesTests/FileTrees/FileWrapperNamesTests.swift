import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

/// Facts of 1.3: FW17, and the cases that Linux's names add to them.
@Suite("The names of a wrapper", .temporaryDirectory)
struct FileWrapperNamesTests {
  @Test func `FW17: follow a new preferred filename in all directories`() {
    let child = FileWrapper("1", named: "old")
    let first = FileWrapper(directoryWithFileWrappers: ["old": child])
    let second = FileWrapper(directoryWithFileWrappers: ["new": FileWrapper("2")])
    second.addFileWrapper(child)

    child.preferredFilename = "new"
    #expect(first.fileWrappers.map { Set($0.keys) } == ["new"])
    #expect(second.fileWrappers.map { Set($0.keys) } == ["new", "1__#$!@%!#__new"])
    #expect(second.keyForChildFileWrapper(child) == "1__#$!@%!#__new")
    #expect(first.keyForChildFileWrapper(child) == "new")
    #expect(child.filename == nil)
  }

  @Test func `FW17: follow in the tree on disk, when it is written`() throws {
    let directory = try scratch.wrapper("Doc", ["a": "1", "b": "2"])
    let child = try #require(directory.fileWrappers?["a"])
    child.preferredFilename = "c"
    #expect(child.filename == "a")
    #expect(directory.keyForChildFileWrapper(child) == "c")
    try directory.write(to: scratch.url("New"), originalContentsURL: nil)
    #expect(try scratch.tree("New") == ["b": "2", "c": "1"])
  }

  @Test func `1.3: are after reading all that on disk, whatever was preferred before`() throws {
    let directory = FileWrapper(directoryWithFileWrappers: ["x": FileWrapper("1", named: "x")])
    directory.addFileWrapper(FileWrapper("2", named: "x"))
    try directory.write(to: scratch.url("Doc"), originalContentsURL: nil)
    let read = try FileWrapper(url: scratch.url("Doc"))
    let second = try #require(read.fileWrappers?["1__#$!@%!#__x"])
    #expect(second.preferredFilename == "1__#$!@%!#__x" && second.filename == "1__#$!@%!#__x")
    #expect(second.text == "2")
  }

  @Test func `1.3: can be set as a filename, which moves nothing`() {
    let child = FileWrapper("1", named: "x")
    let directory = FileWrapper(directoryWithFileWrappers: ["x": child])
    child.filename = "y"
    #expect(child.filename == "y" && child.preferredFilename == "x")
    #expect(directory.keyForChildFileWrapper(child) == "x")
    child.filename = nil
    #expect(child.filename == nil)
  }

  @Test func `stay two when two files are called by one letter, composed and decomposed`() throws {
    let (composed, decomposed) = (FileName("\u{E9}.txt"), FileName("e\u{301}.txt"))
    let tree: TestTree = [composed: "1", decomposed: "2", "plain": "3"]
    let directory = try scratch.wrapper("Doc", tree)
    let children = try directory.children()
    #expect(children.count == 3)
    #expect(try directory.childCount() == 3)
    #expect(Set(try directory.childNames()) == Set(children.keys))
    #expect(Set(children.values.map(\.text)) == ["1", "2", "3"])
    for (key, child) in children {
      #expect(directory.keyForChildFileWrapper(child) == key)
      #expect(try directory.child(named: key) === child)
    }
    try directory.write(to: scratch.url("New"), originalContentsURL: nil)
    #expect(try scratch.tree("New") == tree)
    // A third child of the same letter gets a number; a replaced child gets its name again.
    #expect(directory.addFileWrapper(FileWrapper("4", named: "\u{E9}.txt")) == "1__#$!@%!#__\u{E9}.txt")
    let first = try #require(children["e\u{301}.txt"])
    directory.removeFileWrapper(first)
    #expect(directory.addFileWrapper(FileWrapper("5", named: "e\u{301}.txt")) == "e\u{301}.txt")
    #expect(directory.fileWrappers?.count == 4)
  }

  @Test func `change from composed to decomposed`() throws {
    let child = FileWrapper("1", named: "\u{E9}")
    let directory = FileWrapper(directoryWithFileWrappers: ["x": child])
    child.preferredFilename = "e\u{301}"
    #expect(try directory.childNames().map { Array($0.utf8) } == [Array("e\u{301}".utf8)])
  }

  @Test func `keep bytes that are not UTF-8, at every level`() throws {
    let (file, folder) = (FileName(bytes: [0x66, 0xFF, 0xFE]), FileName(bytes: [0xC3, 0x28]))
    let tree: TestTree = [file: "1", folder: [file: "2", "l": .link([0xFF, 0x2F])]]
    let top = FileName(bytes: [0x44, 0x80])
    try scratch.make(top, tree)
    let directory = try FileWrapper(url: scratch.url(top.string))
    #expect(directory.preferredFilename == top.string && directory.filename == top.string)
    #expect(directory.fileWrappers?[file.string]?.text == "1")
    #expect(directory.fileWrappers?[folder.string]?.fileWrappers?[file.string]?.text == "2")

    let copy = FileName(bytes: [0x45, 0x80])
    try directory.write(to: scratch.url(copy.string), options: .withNameUpdating, originalContentsURL: nil)
    #expect(try scratch.tree(copy) == tree)
    let serialized = try #require(directory.serializedRepresentation)
    let again = try #require(FileWrapper(serializedRepresentation: serialized))
    #expect(again.fileWrappers?[file.string]?.preferredFilename == file.string)
    try again.write(to: scratch.url("Again"), originalContentsURL: nil)
    #expect(try scratch.tree("Again") == tree)
    // A file by itself has the same spelling.
    let single = try FileWrapper(url: scratch.url(copy.string + "/" + file.string))
    #expect(single.filename == file.string && single.text == "1")
  }

  @Test(.timeLimit(.minutes(20)))
  func `cost one look each, also beyond ASCII`() throws {
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    for number in 0..<5_000 {
      directory.addFileWrapper(FileWrapper("", named: "Überschrift \(number)"))
    }
    #expect(try directory.childNames().count == 5_000)
    #expect(try directory.children().count == 5_000)
  }
}
