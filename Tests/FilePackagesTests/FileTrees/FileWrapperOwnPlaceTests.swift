import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// FW13 for writing, and the unread children of a package that replaces itself.
@Suite("A wrapper written over what it was read from", .temporaryDirectory)
struct FileWrapperOwnPlaceTests {
  static let tree: TestTree = ["a": "1", "F": ["b": "22", "l": .link([0x61])]]

  func expectReadable(_ top: FileWrapper) throws {
    #expect(try top.child(named: "a")?.text == "1")
    let folder = try top.child(named: "F")
    #expect(try folder?.child(named: "b")?.text == "22")
    #expect(try folder?.child(named: "l")?.symbolicLinkDestinationURL?.relativePath == "a")
  }

  @Test(arguments: [true, false], [true, false])
  func `reads on what it had not read`(isLinked: Bool, isListed: Bool) throws {
    let top = try scratch.wrapper("A", Self.tree)
    if isListed { _ = try top.children().values.map { $0.isDirectory ? try $0.childNames() : [] } }
    top.addRegularFile(withContents: Data("new".utf8), preferredFilename: "c")
    let original = isLinked ? scratch.url("A") : nil
    try top.write(to: scratch.url("A"), options: .atomic, originalContentsURL: original)
    try expectReadable(top)
    #expect(top.fileWrappers?["c"]?.text == "new")
    #expect(top.filename == "A")
  }

  @Test func `reads on as children of a new directory`() throws {
    let old = try scratch.wrapper("A", Self.tree)
    let new = FileWrapper(directoryWithFileWrappers: try old.children())
    try new.write(to: scratch.url("A"), options: .atomic, originalContentsURL: nil)
    try expectReadable(new)
    // Writing it again gives the same tree.
    try new.write(to: scratch.url("A"), options: .atomic, originalContentsURL: scratch.url("A"))
    #expect(try scratch.tree("A") == Self.tree)
    try expectReadable(new)
  }

  @Test func `reads on as a file of its own, and as a link`() throws {
    try scratch.make("x", "1")
    try scratch.make("l", .link([0x61]))
    let (file, link) = try (FileWrapper(url: scratch.url("x")), FileWrapper(url: scratch.url("l")))
    for _ in 0..<2 {
      try file.write(to: scratch.url("x"), originalContentsURL: nil)
      try link.write(to: scratch.url("l"), options: .atomic, originalContentsURL: nil)
    }
    #expect(file.text == "1" && link.symbolicLinkDestinationURL?.relativePath == "a")
  }

  @Test func `reads on by another spelling of the path`() throws {
    let top = try scratch.wrapper("A", Self.tree)
    try top.write(to: scratch.url("./A"), options: .atomic, originalContentsURL: nil)
    try expectReadable(top)
  }

  @Test func `keeps changes that are not of this save`() throws {
    let top = try scratch.wrapper("A", Self.tree)
    let child = try #require(top.fileWrappers?["a"])
    try top.write(to: scratch.url("A"), options: .atomic, originalContentsURL: nil)
    child.preferredFilename = "renamed"
    try top.write(to: scratch.url("A"), options: .atomic, originalContentsURL: scratch.url("A"))
    #expect(try scratch.tree("A") == ["renamed": "1", "F": ["b": "22", "l": .link([0x61])]])
    #expect(child.text == "1")
  }

  @Test(arguments: [true, false], [true, false])
  func `FW13: fails without a child that has gone unread, and the destination is as before`(
    isOwnPlace: Bool, isTouched: Bool
  ) throws {
    try scratch.make("A", Self.tree)
    try scratch.make("B", ["old": "1"])
    let top = try FileWrapper(url: scratch.url("A"))
    #expect(try top.childCount() == 2)
    if isTouched { _ = try top.child(named: "a") }
    try scratch.remove("A/a")
    let destination: FileName = isOwnPlace ? "A" : "B"
    let before = try scratch.tree(destination)
    let error = #expect(throws: CocoaError.self) {
      try top.write(to: scratch.url(destination.string), options: .atomic, originalContentsURL: nil)
    }
    let reason = try #require(error?.userInfo["NSUnderlyingError"] as? FilePackageError)
    #expect(reason.code == .noSuchFile && reason.child == "a")
    #expect(try scratch.tree(destination) == before)
    #expect(try scratch.names() == ["A", "B"])
  }

  @Test func `FW13: leaves the old state after every error of the disk`() async throws {
    var round = 0
    let failures = try await withEachRequestFailing(.noSpace, on: { PosixDisk() }) { disk, _ in
      let name = FileName("A\(round)")
      round += 1
      try scratch.make(name, Self.tree)
      let top = try FileWrapper(url: scratch.url(name.string))
      top.addRegularFile(withContents: Data("new".utf8), preferredFilename: "c")
      let child = try #require(top.fileWrappers?["a"])
      child.preferredFilename = "renamed"
      do {
        try top.write(
          to: scratch.path(name.string), options: [.atomic, .withNameUpdating],
          original: scratch.path(name.string), on: disk)
        #expect(try scratch.tree(name).entries.keys.sorted() == ["F", "c", "renamed"])
      } catch let error as FilePackageError {
        #expect(child.filename == "a")
        if error.code == .indeterminate { return }
        #expect(try scratch.tree(name) == Self.tree)
        #expect(child.text == "1")
      }
    }
    #expect(failures > 20)
  }
}
