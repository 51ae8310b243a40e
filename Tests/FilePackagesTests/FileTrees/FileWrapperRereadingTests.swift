import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

/// Facts of 1.5 about `read(from:options:)`.
@Suite("A wrapper read again", .temporaryDirectory)
struct FileWrapperRereadingTests {
  @Test func `1.5: has what is on disk by now, in the same child objects`() throws {
    let directory = try scratch.wrapper("Doc", ["a": "1", "b": "2", "F": ["x": "3", "y": "4"]])
    let before = try directory.children()
    let folder = try #require(before["F"])
    let inner = try folder.children()
    #expect(before["a"]?.text == "1")

    try scratch.overwrite("Doc/a", "changed")
    try scratch.remove("Doc/b")
    try scratch.overwrite("Doc/c", "new")
    try scratch.remove("Doc/F/y")
    try scratch.overwrite("Doc/F/x", "changed, too")
    try directory.read(from: scratch.url("Doc"))

    #expect(directory.fileWrappers.map { Set($0.keys) } == ["a", "c", "F"])
    #expect(directory.fileWrappers?["a"] === before["a"] && before["a"]?.text == "changed")
    #expect(directory.fileWrappers?["F"] === folder)
    #expect(folder.fileWrappers.map { Set($0.keys) } == ["x"])
    #expect(folder.fileWrappers?["x"] === inner["x"] && inner["x"]?.text == "changed, too")
    #expect(try directory.keyForChildFileWrapper(#require(before["b"])) == nil)
    #expect(directory.fileWrappers?["c"].map { directory.keyForChildFileWrapper($0) } == "c")
    try directory.write(to: scratch.url("New"), originalContentsURL: nil)
    #expect(try scratch.tree("New") == scratch.tree("Doc"))
  }

  @Test func `1.5: drops what was only in memory, and takes what was changed there back`() throws {
    let directory = try scratch.wrapper("Doc", ["a": "1"])
    let child = try #require(directory.fileWrappers?["a"])
    child.preferredFilename = "renamed"
    directory.addRegularFile(withContents: Data(), preferredFilename: "b")
    try directory.read(from: scratch.url("Doc"), options: .immediate)
    #expect(directory.fileWrappers.map { Set($0.keys) } == ["a"])
    #expect(directory.fileWrappers?["a"]?.text == "1")
    #expect(directory.keyForChildFileWrapper(child) == nil)
    #expect(directory.matchesContents(of: scratch.url("Doc")))
  }

  @Test func `1.5: changes its kind with what is on disk`() throws {
    try scratch.make("file", "1")
    try scratch.make("folder", ["x": "2"])
    try scratch.make("link", .link([0x61]))
    let wrapper = FileWrapper("0")
    try wrapper.read(from: scratch.url("folder"))
    #expect(wrapper.isDirectory && wrapper.fileWrappers?["x"]?.text == "2")
    let child = try #require(wrapper.fileWrappers?["x"])
    try wrapper.read(from: scratch.url("link"))
    #expect(wrapper.isSymbolicLink && wrapper.symbolicLinkDestinationURL?.relativePath == "a")
    try wrapper.read(from: scratch.url("file"))
    #expect(wrapper.isRegularFile && wrapper.text == "1")
    #expect(wrapper.attribute(.type) == FileAttributeType.typeRegular)
    #expect(wrapper.filename == "file" && wrapper.preferredFilename == "folder")
    #expect(child.text == "2" && child.parentCount == 0)
  }

  @Test func `1.5: makes a child anew where its kind has changed`() throws {
    let directory = try scratch.wrapper("Doc", ["x": "1", "y": ["z": "2"]])
    let (x, y) = try (#require(directory.fileWrappers?["x"]), #require(directory.fileWrappers?["y"]))
    try scratch.remove("Doc")
    try scratch.make("Doc", ["x": ["z": "2"], "y": "1"])
    try directory.read(from: scratch.url("Doc"))
    #expect(directory.fileWrappers?["x"] !== x && directory.fileWrappers?["x"]?.isDirectory == true)
    #expect(directory.fileWrappers?["y"] !== y && directory.fileWrappers?["y"]?.text == "1")
    #expect(x.isRegularFile && y.isDirectory)
  }

  @Test func `1.5: is as it was after an error`() throws {
    let directory = try scratch.wrapper("Doc", ["x": "1"])
    let child = try #require(directory.fileWrappers?["x"])
    let attributes = directory.fileAttributes.count
    expect(\CocoaError.code, .fileReadNoSuchFile) { try directory.read(from: scratch.url("missing")) }
    #expect(directory.isDirectory && directory.filename == "Doc")
    #expect(directory.fileWrappers?["x"] === child && child.text == "1")
    #expect(directory.fileAttributes.count == attributes)
    #expect(directory.matchesContents(of: scratch.url("Doc")))
  }

  @Test func `stays in its directories, which then have a change to save`() throws {
    try scratch.make("Doc", ["x": "1", "y": "2"])
    try scratch.make("other", "3")
    let directory = try FileWrapper(url: scratch.url("Doc"))
    let child = try #require(directory.fileWrappers?["x"])
    try child.read(from: scratch.url("other"))
    #expect(directory.fileWrappers?["x"] === child)
    #expect(child.filename == "other" && child.preferredFilename == "x")
    try directory.write(to: scratch.url("Doc"), options: .atomic, originalContentsURL: scratch.url("Doc"))
    #expect(try scratch.tree("Doc") == ["x": "3", "y": "2"])
  }
}
