import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Facts of 1.6: FW9, and the second half of FW8.
@Suite("A wrapper matches a node on disk", .temporaryDirectory)
struct FileWrapperMatchingTests {
  @Test func `FW9: when a file has its date, whatever its bytes are`() throws {
    let wrapper = try scratch.wrapper("x", "old")
    #expect(wrapper.matchesContents(of: scratch.url("x")))
    try scratch.overwrite("x", "quite different")
    #expect(!wrapper.matchesContents(of: scratch.url("x")))
    try scratch.setModified("x", .old)
    #expect(wrapper.matchesContents(of: scratch.url("x")))
    try scratch.setModified("x", FileTime(seconds: FileTime.old.seconds, nanoseconds: 123_456_788))
    #expect(!wrapper.matchesContents(of: scratch.url("x")))
  }

  @Test func `FW9: never when it is missing or of another kind`() throws {
    let nodes: [FileName: TestTree] = ["file": "1", "folder": ["x": "2"], "link": .link([0x61])]
    for (name, node) in nodes { try scratch.make(name, node) }
    for own in nodes.keys {
      let wrapper = try FileWrapper(url: scratch.url(own.string))
      for other in nodes.keys {
        #expect(wrapper.matchesContents(of: scratch.url(other.string)) == (own == other))
      }
      #expect(!wrapper.matchesContents(of: scratch.url("missing")))
    }
  }

  @Test func `1.6: when it has the permissions, where those came from disk`() throws {
    let wrapper = try scratch.wrapper("x", .file([1], mode: 0o644))
    try FileManager.default.setAttributes(
      [.posixPermissions: UInt(0o600)], ofItemAtPath: scratch.path("x").string)
    #expect(!wrapper.matchesContents(of: scratch.url("x")))
  }

  @Test func `1.6: when a link leads to the same place`() throws {
    try scratch.make("a", .link([0x61]))
    try scratch.make("b", .link([0x62]))
    let link = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "a"))
    #expect(link.matchesContents(of: scratch.url("a")))
    #expect(!link.matchesContents(of: scratch.url("b")))
  }

  @Test func `1.6: when all in a directory does, at every level`() throws {
    let directory = try scratch.wrapper("Doc", ["a": "1", "F": ["b": "2", "G": ["c": "3"]]])
    #expect(directory.matchesContents(of: scratch.url("Doc")))
    try scratch.overwrite("Doc/F/G/c", "4")
    #expect(!directory.matchesContents(of: scratch.url("Doc")))
    try scratch.setModified("Doc/F/G/c", .old)
    #expect(directory.matchesContents(of: scratch.url("Doc")))
    try scratch.overwrite("Doc/F/new", "5")
    #expect(!directory.matchesContents(of: scratch.url("Doc")))
    try scratch.remove("Doc/F/new")
    #expect(directory.matchesContents(of: scratch.url("Doc")))
  }

  @Test func `FW9: never when a child of a directory was added or removed`() throws {
    let directory = try scratch.wrapper("Doc", ["a": "1"])
    let key = directory.addRegularFile(withContents: Data(), preferredFilename: "b")
    #expect(!directory.matchesContents(of: scratch.url("Doc")))
    try directory.removeFileWrapper(#require(directory.fileWrappers?[key]))
    #expect(!directory.matchesContents(of: scratch.url("Doc")))
  }

  @Test func `FW9: never when a directory is only in memory`() throws {
    let directory = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper("1")])
    try directory.write(to: scratch.url("Doc"), originalContentsURL: nil)
    #expect(!directory.matchesContents(of: scratch.url("Doc")))
  }

  @Test func `FW8: when it was just written`() throws {
    let file = FileWrapper("1")
    try file.write(to: scratch.url("x"), originalContentsURL: nil)
    #expect(file.matchesContents(of: scratch.url("x")))

    let directory = try scratch.wrapper("Doc", ["a": "1", "F": ["b": "2"], "l": .link([0x61])])
    try directory.write(to: scratch.url("New"), originalContentsURL: nil)
    #expect(directory.matchesContents(of: scratch.url("New")))
  }
}
