import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Facts of 1.7: FW7, FW8, FW14, FW16, FW18, FW19.
@Suite("A wrapper that is written", .temporaryDirectory)
struct FileWrapperWritingTests {
  @Test func `FW7: keeps all filenames unless they are to be updated, and the top one always`() throws {
    let file = FileWrapper("1", named: "x")
    let folder = FileWrapper(directoryWithFileWrappers: ["x": file, "l": FileWrapper("2", named: "x")])
    let top = FileWrapper(directoryWithFileWrappers: ["F": folder])
    top.filename = "own"
    try top.write(to: scratch.url("A"), originalContentsURL: nil)
    #expect(file.filename == nil && folder.filename == nil && top.filename == "own")

    try top.write(to: scratch.url("B"), options: .withNameUpdating, originalContentsURL: nil)
    #expect(top.filename == "own" && folder.filename == "F")
    #expect(folder.fileWrappers.map { $0.allSatisfy { $0.key == $0.value.filename } } == true)
    #expect(file.preferredFilename == "x")

    file.preferredFilename = "y"
    #expect(file.filename != "y")
    try top.write(to: scratch.url("C"), options: .withNameUpdating, originalContentsURL: nil)
    #expect(file.filename == "y")
  }

  @Test func `FW7: keeps all filenames and attributes when writing fails`() throws {
    let top = try scratch.wrapper("A", ["x": "1"])
    let child = try #require(top.fileWrappers?["x"])
    child.preferredFilename = "y"
    #expect(throws: CocoaError.self) {
      try top.write(to: scratch.url("A"), options: .withNameUpdating, originalContentsURL: nil)
    }
    #expect(child.filename == "x" && child.attribute(.modificationDate) == FileTime.old.date)
    #expect(child.text == "1")
  }

  @Test func `replaces no folder that comes in the file's place at the last moment`() throws {
    let base = try CrashDisk(["A": "old"])
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .exchange, base.tree["A"] == "old" else { return }
      let root = try base.openDirectory(at: "/")
      try base.removeFile("A", in: root)
      try base.makeDirectory("A", in: root, mode: 0o755)
      try base.rewrite("x", Array("theirs".utf8), in: "/A")
    }
    expect(\FilePackageError.code, .fileExists) {
      try FileWrapper("mine").write(to: "/A", options: [], original: nil, on: disk)
    }
    #expect(try base.names(in: "/") == ["A"] && base.contents(of: "/A/x") == Array("theirs".utf8))
  }

  @Test func `1.7: writes each child under its key`() throws {
    let top = FileWrapper(directoryWithFileWrappers: ["x": FileWrapper("1"), "F": FileWrapper("2")])
    top.addFileWrapper(FileWrapper("3", named: "x"))
    try top.write(to: scratch.url("A"), originalContentsURL: nil)
    #expect(
      try TestTree.read(scratch.path("A"), of: scratch.disk).entries.keys.sorted()
        == ["1__#$!@%!#__x", "F", "x"])
  }

  @Test func `FW8: gives each node its date to the nanosecond, and its permissions`() throws {
    let tree: TestTree = [
      "x": .file([1], mode: 0o640), "F": ["y": .file([2], mode: 0o4755)], "l": .link([0x61]),
    ]
    try scratch.make("A", tree)
    try FileManager.default.setAttributes(
      [.posixPermissions: UInt(0o750)], ofItemAtPath: scratch.path("A/F").string)
    try FileWrapper(url: scratch.url("A")).write(to: scratch.url("B"), originalContentsURL: nil)
    #expect(try scratch.tree("B") == tree)
    for place in ["", "/x", "/F", "/F/y", "/l"] {
      #expect(try scratch.status("B" + place).modified == .old, "\(place)")
      #expect(try scratch.status("B" + place).mode == scratch.status("A" + place).mode, "\(place)")
    }
    try FileWrapper(url: scratch.url("A/x")).write(to: scratch.url("x"), originalContentsURL: nil)
    #expect(try scratch.status("x").modified == .old)
  }

  @Test func `FW8: writes a date that was assigned, and one that was read and assigned back`() throws {
    let wrapper = try scratch.wrapper("x", "1")
    wrapper.fileAttributes = wrapper.fileAttributes
    try wrapper.write(to: scratch.url("y"), originalContentsURL: nil)
    #expect(try scratch.status("y").modified == .old)
    var attributes = wrapper.fileAttributes
    attributes[FileAttributeKey.modificationDate.rawValue] = Date(timeIntervalSince1970: 1_500_000_000.5)
    attributes[FileAttributeKey.posixPermissions.rawValue] = 0o600
    wrapper.fileAttributes = attributes
    try wrapper.write(to: scratch.url("z"), originalContentsURL: nil)
    #expect(try scratch.status("z").modified == FileTime(seconds: 1_500_000_000, nanoseconds: 500_000_000))
    #expect(try scratch.status("z").mode == 0o600)
  }

  @Test func `FW14: is refused over a directory with code 516, unless atomic`() throws {
    try scratch.make("A", ["old": "1"])
    for wrapper in [
      FileWrapper("2"), FileWrapper(directoryWithFileWrappers: ["new": FileWrapper("2")]),
      FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "a")),
    ] {
      let error = #expect(throws: CocoaError.self) {
        try wrapper.write(to: scratch.url("A"), originalContentsURL: nil)
      }
      #expect(error?.code == .fileWriteFileExists && error?.code.rawValue == 516)
      #expect((error?.userInfo["NSUnderlyingError"] as? FilePackageError)?.code == .fileExists)
      #expect(try scratch.tree("A") == ["old": "1"])
    }
    try FileWrapper(directoryWithFileWrappers: ["new": FileWrapper("2")])
      .write(to: scratch.url("A"), options: .atomic, originalContentsURL: nil)
    #expect(try scratch.tree("A") == ["new": "2"])
    try FileWrapper("3").write(to: scratch.url("A"), options: .atomic, originalContentsURL: nil)
    #expect(try scratch.tree("A") == "3")
    #expect(try scratch.names() == ["A"])
  }

  @Test func `1.7: replaces a file or a link, not what the link leads to`() throws {
    try scratch.make("x", "old")
    try scratch.make("target", "kept")
    try scratch.make("l", .link(Array("target".utf8)))
    try FileWrapper("new").write(to: scratch.url("x"), originalContentsURL: nil)
    try FileWrapper("new").write(to: scratch.url("l"), originalContentsURL: nil)
    #expect(try scratch.tree("x") == "new")
    #expect(try scratch.tree("l") == "new")
    #expect(try scratch.tree("target") == "kept")
  }

  @Test(arguments: ["t", "../up/x", "/abso/lute", "no/./where/", "~", "~root/x", "spa ce%20", "e\u{301}"])
  func `FW16: keeps a link as it is, relative or dangling`(destination: String) throws {
    let link = TestTree.link(Array(destination.utf8))
    let top = try scratch.wrapper("A", ["l": link])
    try top.write(to: scratch.url("B"), originalContentsURL: nil)
    #expect(try scratch.tree("B") == ["l": link])
    try scratch.make("l", link)
    try FileWrapper(url: scratch.url("l")).write(to: scratch.url("m"), originalContentsURL: nil)
    #expect(try scratch.tree("m") == link)
    // As a URL, it leads to the same place again.
    let url = try #require(top.fileWrappers?["l"]?.symbolicLinkDestinationURL)
    let again = try FileManager.default.destinationOfSymbolicLink(atPath: scratch.path("l").string)
    #expect(url.relativePath == again || url.relativePath == "./" + again || url.relativePath + "/" == again)
  }

  @Test func `FW16: makes a link relative where its URL is`() throws {
    let base = URL(filePath: "/base/", directoryHint: .isDirectory)
    let relative = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "rel/target", relativeTo: base))
    try relative.write(to: scratch.url("l"), originalContentsURL: nil)
    #expect(try scratch.tree("l") == .link(Array("rel/target".utf8)))
    let absolute = FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "/abs/target"))
    try absolute.write(to: scratch.url("m"), originalContentsURL: nil)
    #expect(try scratch.tree("m") == .link(Array("/abs/target".utf8)))
  }

  @Test(arguments: ["a/b", "/", "..", ".", "nu\0l", String(repeating: "n", count: 256), "../escaped"])
  func `FW18: is refused with a name that no file can have`(name: String) throws {
    try scratch.make("A", ["old": "1"])
    let inner = FileWrapper(directoryWithFileWrappers: [name: FileWrapper("2")])
    let top = FileWrapper(directoryWithFileWrappers: ["fine": FileWrapper("1"), "inner": inner])
    let error = #expect(throws: CocoaError.self) {
      try top.write(to: scratch.url("A"), options: .atomic, originalContentsURL: nil)
    }
    #expect(error?.code == .fileWriteInvalidFileName)
    let reason = try #require(error?.userInfo["NSUnderlyingError"] as? FilePackageError)
    #expect(reason.code == .invalidName && reason.description.contains("'A'"))
    #expect(try scratch.tree("A") == ["old": "1"])
    #expect(try scratch.names() == ["A"])
  }

  @Test func `FW18: is refused at a URL that is no place for a file`() throws {
    try scratch.make("A", "1")
    let web = try #require(URL(string: "https://example.com" + scratch.path("A").string))
    for url in [scratch.url("A\0B"), web] {
      expect(\CocoaError.code, .fileWriteInvalidFileName) {
        try FileWrapper("2").write(to: url, originalContentsURL: nil)
      }
      expect(\CocoaError.code, .fileReadInvalidFileName) { try FileWrapper(url: url) }
    }
    #expect(try scratch.tree("A") == "1")
  }

  @Test func `FW19: never moves the date of an unchanged file backwards`() throws {
    try FileWrapper("1").write(to: scratch.url("x"), originalContentsURL: nil)
    var before = try scratch.status("x").modified
    for _ in 0..<50 {
      let wrapper = try FileWrapper(url: scratch.url("x"))
      if Bool.random() { wrapper.fileAttributes = wrapper.fileAttributes }
      try wrapper.write(to: scratch.url("x"), originalContentsURL: nil)
      let now = try scratch.status("x").modified
      #expect(now == before)
      before = now
    }
  }
}
