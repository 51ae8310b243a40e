import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

/// Facts of 1.4: FW3, FW10.
@Suite("A directory wrapper", .temporaryDirectory)
struct FileWrapperChildrenTests {
  @Test func `FW3: three children of one name get Apple's keys`() {
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    let children = (0..<3).map { _ in FileWrapper("", named: "x.txt") }
    let keys = children.map { directory.addFileWrapper($0) }
    #expect(keys == ["x.txt", "1__#$!@%!#__x.txt", "2__#$!@%!#__x.txt"])
    #expect(children.map { directory.keyForChildFileWrapper($0) } == keys)
    #expect(children.allSatisfy { $0.preferredFilename == "x.txt" && $0.filename == nil })

    directory.removeFileWrapper(children[1])
    #expect(directory.fileWrappers.map { Set($0.keys) } == ["x.txt", "2__#$!@%!#__x.txt"])
    #expect(directory.keyForChildFileWrapper(children[2]) == "2__#$!@%!#__x.txt")
  }

  @Test func `1.4: uses the first number that is free again`() {
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    let children = (0..<3).map { _ in FileWrapper("", named: "x") }
    for child in children { directory.addFileWrapper(child) }
    directory.removeFileWrapper(children[1])
    #expect(directory.addFileWrapper(FileWrapper("", named: "x")) == "1__#$!@%!#__x")
    #expect(directory.addFileWrapper(FileWrapper("", named: "x")) == "3__#$!@%!#__x")
  }

  @Test func `1.4: gives a new child no name that is on disk, read or not`() throws {
    let directory = try scratch.wrapper("Doc", ["x": "1"])
    #expect(directory.addRegularFile(withContents: Data(), preferredFilename: "x") == "1__#$!@%!#__x")
    #expect(directory.fileWrappers?["x"]?.text == "1")
  }

  @Test func `1.4: replaces a child when the old one is removed first`() throws {
    let directory = try scratch.wrapper("Doc", ["x": "old", "y": "kept"])
    try directory.removeFileWrapper(#require(directory.fileWrappers?["x"]))
    #expect(directory.fileWrappers.map { Set($0.keys) } == ["y"])
    #expect(directory.addRegularFile(withContents: Data("new".utf8), preferredFilename: "x") == "x")
    #expect(directory.fileWrappers?["x"]?.text == "new")
    #expect(try directory.childCount() == 2)
  }

  @Test func `1.4: tells a child's key by identity, and none for another`() {
    let child = FileWrapper("1", named: "x")
    let directory = FileWrapper(directoryWithFileWrappers: ["x": child])
    #expect(directory.keyForChildFileWrapper(child) == "x")
    #expect(directory.keyForChildFileWrapper(FileWrapper("1", named: "x")) == nil)
    directory.removeFileWrapper(child)
    #expect(directory.keyForChildFileWrapper(child) == nil)
  }

  @Test func `1.4: does nothing when a wrapper is removed that is no child`() {
    let child = FileWrapper("1", named: "x")
    let directory = FileWrapper(directoryWithFileWrappers: ["x": child])
    directory.removeFileWrapper(FileWrapper("1", named: "x"))
    #expect(directory.fileWrappers?["x"] === child)
  }

  @Test func `1.4: returns the key it has for a child that is added twice`() {
    let child = FileWrapper("1", named: "x")
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    #expect(directory.addFileWrapper(child) == "x")
    #expect(directory.addFileWrapper(child) == "x")
    #expect(directory.fileWrappers?.count == 1)
  }

  @Test func `1.4: adds a regular file by its bytes and name`() {
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    #expect(
      directory.addRegularFile(withContents: Data("1".utf8), preferredFilename: "x.tar.gz") == "x.tar.gz")
    #expect(
      directory.addRegularFile(withContents: Data("2".utf8), preferredFilename: "x.tar.gz")
        == "1__#$!@%!#__x.tar.gz")
    #expect(directory.fileWrappers?["x.tar.gz"]?.isRegularFile == true)
    #expect(directory.fileWrappers?["1__#$!@%!#__x.tar.gz"]?.text == "2")
  }

  @Test func `FW10: loses its date when a child is added, removed or renamed, and no other attribute`()
    throws
  {
    try scratch.make("Doc", ["x": "1"])
    for step in 0..<3 {
      let directory = try FileWrapper(url: scratch.url("Doc"))
      let child = try #require(directory.fileWrappers?["x"])
      #expect(directory.attribute(.modificationDate) == FileTime.old.date)
      switch step {
      case 0: directory.addRegularFile(withContents: Data(), preferredFilename: "new")
      case 1: directory.removeFileWrapper(child)
      default: child.preferredFilename = "y"
      }
      #expect(directory.attribute(.modificationDate, as: Date.self) == nil)
      #expect(directory.attribute(.posixPermissions, as: UInt.self) != nil)
      #expect(directory.attribute(.type) == FileAttributeType.typeDirectory)
    }
  }

  @Test func `lists, counts and finds what was read, added and removed alike`() throws {
    let directory = try scratch.wrapper("Doc", ["a": "1", "b": "2", "c": "3", "d": ["e": "4"]])
    let b = try #require(try directory.child(named: "b"))
    directory.removeFileWrapper(b)
    directory.addRegularFile(withContents: Data(), preferredFilename: "new")
    let names = ["a", "c", "d", "new"]
    #expect(try directory.childNames() == names)
    #expect(try directory.childCount() == 4)
    #expect(directory.materialized == 1)
    #expect(try directory.child(named: "b") == nil)
    #expect(directory.fileWrappers.map { $0.keys.sorted() } == names)
    #expect(try directory.childCount() == 4)
    directory.addFileWrapper(b)
    #expect(try directory.childCount() == 5)
    #expect(try directory.child(named: "b") === b)
  }

  @Test func `does not keep the directories that a child was in`() {
    let child = FileWrapper("1", named: "x")
    for _ in 0..<100 { _ = FileWrapper(directoryWithFileWrappers: ["x": child]) }
    #expect(child.parentCount <= 2)
  }
}
