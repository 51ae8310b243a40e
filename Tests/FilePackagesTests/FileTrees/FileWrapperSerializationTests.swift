import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Facts of 1.8: FW20.
@Suite("A serialised wrapper", .temporaryDirectory)
struct FileWrapperSerializationTests {
  static func mixedTree() -> FileWrapper {
    let executable = FileWrapper("run")
    executable.fileAttributes = [
      FileAttributeKey.type.rawValue: FileAttributeType.typeRegular,
      FileAttributeKey.posixPermissions.rawValue: UInt(0o755),
      FileAttributeKey.modificationDate.rawValue: Date(timeIntervalSince1970: -1.5),
    ]
    let folder = FileWrapper(directoryWithFileWrappers: [
      "x": executable, "l": FileWrapper(symbolicLinkWithDestinationURL: URL(filePath: "rel/x")),
      "empty": FileWrapper(directoryWithFileWrappers: [:]),
    ])
    let top = FileWrapper(directoryWithFileWrappers: ["F": folder, "é": FileWrapper("text", named: "é")])
    top.addFileWrapper(FileWrapper("second", named: "é"))
    return top
  }

  static func expectSame(_ one: FileWrapper, _ other: FileWrapper) throws {
    #expect(one.kind == other.kind)
    #expect(one.preferredFilename == other.preferredFilename)
    #expect(one.attributes == other.attributes)
    switch one.kind {
    case .directory:
      let (ones, others) = try (one.children(), other.children())
      #expect(ones.keys == others.keys)
      for (key, child) in ones {
        let twin = try #require(others[key])
        #expect(other.keyForChildFileWrapper(twin) == key)
        try expectSame(child, twin)
      }
    case .symbolicLink: #expect(one.symbolicLinkDestinationURL == other.symbolicLinkDestinationURL)
    default: #expect(try one.contents() == other.contents())
    }
  }

  @Test func `FW20: comes back with its kinds, keys, names, attributes, bytes and destinations`() throws {
    let top = Self.mixedTree()
    let data = try #require(top.serializedRepresentation)
    let again = try #require(FileWrapper(serializedRepresentation: data))
    try Self.expectSame(top, again)
    #expect(again.filename == nil)
    #expect(again.serializedRepresentation == data)
    // It is a tree like any other.
    again.addRegularFile(withContents: Data(), preferredFilename: "F")
    #expect(again.fileWrappers?["1__#$!@%!#__F"] != nil)
  }

  @Test func `FW20: comes back from a tree on disk, and as one file or link, too`() throws {
    try scratch.make("A", ["a": "1", "F": ["b": "2", "l": .link([0x61])]])
    for name in ["A", "A/a", "A/F/l"] {
      let wrapper = try FileWrapper(url: scratch.url(name))
      let data = try #require(wrapper.serializedRepresentation)
      let again = try #require(FileWrapper(serializedRepresentation: data))
      try Self.expectSame(wrapper, again)
      try again.write(to: scratch.url("B"), options: .atomic, originalContentsURL: nil)
      #expect(try scratch.tree("B") == TestTree.read(scratch, name))
      #expect(try scratch.status("B").modified == .old)
    }
  }

  @Test func `FW20: is nil from anything else`() throws {
    let data = try #require(Self.mixedTree().serializedRepresentation)
    #expect(FileWrapper(serializedRepresentation: Data()) == nil)
    #expect(FileWrapper(serializedRepresentation: Data("rtfd".utf8)) == nil)
    #expect(FileWrapper(serializedRepresentation: data + [0]) == nil)
    #expect(FileWrapper(serializedRepresentation: Data(data.reversed())) == nil)
    for count in 0..<data.count {
      #expect(FileWrapper(serializedRepresentation: data.prefix(count)) == nil, "\(count) bytes of it")
    }
  }

  @Test func `FW20: may begin anywhere in the memory of its data`() throws {
    let data = try #require(Self.mixedTree().serializedRepresentation)
    let slice = (Data([1, 2, 3]) + data).dropFirst(3)
    #expect(FileWrapper(serializedRepresentation: slice) != nil)
  }

  @Test(arguments: [1, 2, 3, 4])
  func `FW20: is a tree or nil with any byte changed, and can be used`(seed: UInt64) throws {
    let data = try #require(Self.mixedTree().serializedRepresentation)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var damaged = data
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        damaged[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      guard let wrapper = FileWrapper(serializedRepresentation: damaged) else { continue }
      #expect(wrapper.serializedRepresentation != nil)
      _ = wrapper.fileAttributes
    }
  }

  @Test func `FW20: is nil for more folders within folders than are followed`() throws {
    var top = FileWrapper("x")
    for depth in 0..<PackagePath.maximumDepth {
      top = FileWrapper(directoryWithFileWrappers: ["n": top])
      if depth == PackagePath.maximumDepth - 1 {
        let data = try #require(top.serializedRepresentation)
        #expect(FileWrapper(serializedRepresentation: data) != nil)
      }
    }
    #expect(FileWrapper(directoryWithFileWrappers: ["n": top]).serializedRepresentation == nil)
  }
}

extension TestTree {
  fileprivate static func read(_ scratch: Scratch, _ name: String) throws -> TestTree {
    let path = scratch.path(name)
    return try read(
      FileName(name.split(separator: "/").last.map(String.init) ?? ""),
      in: scratch.disk.openDirectory(at: path.removingLastComponent()), of: scratch.disk)
  }
}
