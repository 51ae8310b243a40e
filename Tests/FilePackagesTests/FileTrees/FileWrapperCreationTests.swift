import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

/// Facts of 1.1 and 1.2: FW1, FW2, FW4.
@Suite("A wrapper made in memory", .temporaryDirectory)
struct FileWrapperCreationTests {
  @Test func `FW1: is an empty, nameless file with open permissions and a date`() throws {
    let before = Date()
    let wrapper = FileWrapper()
    #expect(wrapper.isRegularFile && !wrapper.isDirectory && !wrapper.isSymbolicLink)
    #expect(wrapper.regularFileContents == Data())
    #expect(wrapper.preferredFilename == nil && wrapper.filename == nil)
    #expect(wrapper.attribute(.type) == FileAttributeType.typeRegular)
    #expect(wrapper.attribute(.posixPermissions) == UInt(0o666))
    let date = try #require(wrapper.attribute(.modificationDate, as: Date.self))
    #expect(date.timeIntervalSince(before) > -1 && date <= Date().addingTimeInterval(1))
  }

  @Test func `FW1: is a file of the given bytes, which it has as a value`() {
    var data = Data("old".utf8)
    let wrapper = FileWrapper(regularFileWithContents: data)
    data.append(1)
    #expect(wrapper.text == "old")
    #expect(wrapper.regularFileSize == 3)
    #expect(wrapper.preferredFilename == nil && wrapper.filename == nil)
    #expect(wrapper.fileAttributes.count == 3)
  }

  @Test func `FW2: is as a directory of mode 777 and has no date`() {
    let wrapper = FileWrapper(directoryWithFileWrappers: [:])
    #expect(wrapper.isDirectory && !wrapper.isRegularFile && !wrapper.isSymbolicLink)
    #expect(wrapper.attribute(.type) == FileAttributeType.typeDirectory)
    #expect(wrapper.attribute(.posixPermissions) == UInt(0o777))
    #expect(wrapper.attribute(.modificationDate, as: Date.self) == nil)
    #expect(wrapper.fileAttributes.count == 2)
    #expect(wrapper.preferredFilename == nil && wrapper.filename == nil)
    #expect(wrapper.fileWrappers?.isEmpty == true)
  }

  @Test func `FW2: is as a link of mode 666 and has no date`() {
    let wrapper = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "/target"))
    #expect(wrapper.isSymbolicLink && !wrapper.isRegularFile && !wrapper.isDirectory)
    #expect(wrapper.attribute(.type) == FileAttributeType.typeSymbolicLink)
    #expect(wrapper.attribute(.posixPermissions) == UInt(0o666))
    #expect(wrapper.attribute(.modificationDate, as: Date.self) == nil)
    #expect(wrapper.symbolicLinkDestinationURL?.path == "/target")
    #expect(wrapper.preferredFilename == nil && wrapper.filename == nil)
  }

  @Test func `FW4: keys a child by its own name, and only a nameless one by the dictionary`() {
    let named = FileWrapper("1", named: "p.txt")
    let unnamed = FileWrapper("2")
    let directory = FileWrapper(directoryWithFileWrappers: ["k": named, "q": unnamed])
    #expect(directory.fileWrappers.map { Set($0.keys) } == ["p.txt", "q"])
    #expect(directory.fileWrappers?["p.txt"] === named && directory.fileWrappers?["q"] === unnamed)
    #expect(named.preferredFilename == "p.txt" && unnamed.preferredFilename == "q")
    #expect(named.filename == nil && unnamed.filename == nil)
  }

  @Test func `FW4: gives children of the dictionary that want one name keys of their own`() {
    let directory = FileWrapper(directoryWithFileWrappers: [
      "a": FileWrapper("1", named: "x"), "b": FileWrapper("2", named: "x"), "x": FileWrapper("3"),
    ])
    #expect(directory.fileWrappers.map { Set($0.keys) } == ["x", "1__#$!@%!#__x", "2__#$!@%!#__x"])
    #expect(directory.fileWrappers.map { Set($0.values.map(\.text)) } == ["1", "2", "3"])
  }

  @Test func `1.1: has Apple's option bits`() {
    #expect(FileWrapper.ReadingOptions.immediate.rawValue == UInt(1))
    #expect(FileWrapper.ReadingOptions.withoutMapping.rawValue == UInt(2))
    #expect(FileWrapper.WritingOptions.atomic.rawValue == UInt(1))
    #expect(FileWrapper.WritingOptions.withNameUpdating.rawValue == UInt(2))
  }

  @Test func `1.1: can be subclassed, its initialisers overridden`() throws {
    let page = Page(regularFileWithContents: Data("text".utf8))
    #expect(page.kindOfPage == "bytes")
    #expect(Page(directoryWithFileWrappers: ["p": page]).fileWrappers?["p"] === page)
    try page.write(to: scratch.url("page"), originalContentsURL: nil)
    let read = try Page(url: scratch.url("page"), options: .immediate)
    #expect(read.kindOfPage == "read" && read.text == "text")
    let serialized = try #require(read.serializedRepresentation)
    #expect(Page(serializedRepresentation: serialized)?.kindOfPage == "serialized")
  }
}

private final class Page: FileWrapper, @unchecked Sendable {
  // @unchecked: a constant.
  let kindOfPage: String

  override init(regularFileWithContents contents: Data) {
    kindOfPage = "bytes"
    super.init(regularFileWithContents: contents)
  }

  override init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
    kindOfPage = "directory"
    super.init(directoryWithFileWrappers: childrenByPreferredName)
  }

  override init(symbolicLinkWithDestinationURL url: URL) {
    kindOfPage = "link"
    super.init(symbolicLinkWithDestinationURL: url)
  }

  override init(url: URL, options: FileWrapper.ReadingOptions = []) throws {
    kindOfPage = "read"
    try super.init(url: url, options: options)
  }

  override init?(serializedRepresentation serializeRepresentation: Data) {
    kindOfPage = "serialized"
    super.init(serializedRepresentation: serializeRepresentation)
  }
}
