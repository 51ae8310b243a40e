import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk changes names", .temporaryDirectory)
struct NamesTests {
  @Test(arguments: EveryDisk.allCases)
  func `by making directories and symbolic links where nothing stands`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    try disk.makeDirectory("directory", in: root.descriptor, mode: 0o700)
    #expect(try root.status("directory").mode == 0o700)
    try disk.makeSymbolicLink(to: [0x61], named: "link", in: root.descriptor)
    #expect(try root.tree == ["directory": [:], "link": .link([0x61])])
    for name: FileName in ["directory", "link"] {
      #expect(reason { try disk.makeDirectory(name, in: root.descriptor, mode: 0o700) } == .fileExists)
      #expect(
        reason { try disk.makeSymbolicLink(to: [0x61], named: name, in: root.descriptor) } == .fileExists)
    }
    func linking(to destination: [UInt8]) -> Errno? {
      reason { try disk.makeSymbolicLink(to: destination, named: "new", in: root.descriptor) }
    }
    #expect(linking(to: []) == .noSuchFileOrDirectory)
    #expect(linking(to: [0x61, 0, 0x62]) == .invalidArgument)
    #expect(linking(to: [UInt8](repeating: 0x61, count: 4096)) == .fileNameTooLong)
    #expect(try root.names() == ["directory", "link"])
  }

  @Test(arguments: EveryDisk.allCases)
  func `by giving a file a second one`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "bytes", "directory": [:], "link": .link(Array("file".utf8))])
    let directory = try root.folder("directory")
    func link(_ name: FileName, _ newName: FileName) -> Errno? {
      reason { try disk.link(name, in: root.descriptor, to: newName, in: directory.descriptor) }
    }
    #expect(link("file", "second") == nil)
    #expect(try root.status("file").links == 2)
    #expect(try root.status("file") == directory.status("second"))
    #expect(link("link", "second link") == nil)
    #expect(try directory.status("second link").kind == .symbolicLink)
    #expect(link("file", "second") == .fileExists)
    #expect(link("nothing", "third") == .noSuchFileOrDirectory)
    #expect(link("directory", "third") == .notPermitted)

    try disk.removeFile("file", in: root.descriptor)
    #expect(try directory.status("second").links == 1)
    #expect(try directory.tree["second"] == "bytes")
  }

  @Test(arguments: EveryDisk.allCases)
  func `by a rename that replaces`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let full: TestTree = ["x": ""]
    try root.make([
      "a": "a", "b": "b", "full": full, "empty": [:], "directory": ["inside": [:]],
      "link": .link(Array("directory".utf8)),
    ])
    func rename(_ name: FileName, _ newName: FileName) -> Errno? {
      reason { try root.disk.rename(name, in: root.descriptor, to: newName, in: root.descriptor, .replace) }
    }
    let identity = try root.status("a").identity
    #expect(rename("a", "b") == nil)
    #expect(try root.status("b").identity.isSameNode(as: identity))
    #expect(rename("full", "empty") == nil)
    #expect(rename("b", "link") == nil)
    let expected: TestTree = ["link": "a", "empty": full, "directory": ["inside": [:]]]
    #expect(try root.tree == expected)

    #expect(rename("nothing", "new") == .noSuchFileOrDirectory)
    #expect(rename("nothing", "link") == .noSuchFileOrDirectory)
    #expect(rename("directory", "link") == .notDirectory)
    #expect(rename("link", "directory") == .isDirectory)
    #expect(rename("directory", "empty") == .directoryNotEmpty)
    #expect(rename("link", "link") == nil)
    #expect(try root.tree == expected)
  }

  @Test(arguments: EveryDisk.allCases)
  func `never so that a directory lies in itself`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    let tree: TestTree = ["a": ["b": ["c": [:]]], "file": ""]
    try root.make(tree)
    let (b, c) = (try root.folder("a/b"), try root.folder("a/b/c"))
    func rename(_ from: Folder, _ name: FileName, _ to: Folder, _ newName: FileName, _ rule: RenameRule)
      -> Errno?
    {
      reason { try disk.rename(name, in: from.descriptor, to: newName, in: to.descriptor, rule) }
    }
    #expect(rename(root, "a", b, "new", .replace) == .invalidArgument)
    #expect(rename(root, "a", c, "new", .noReplace) == .invalidArgument)
    #expect(rename(root, "a", b, "c", .exchange) == .invalidArgument)
    #expect(rename(b, "c", root, "a", .exchange) == .invalidArgument)
    #expect(rename(b, "c", root, "a", .replace) == .directoryNotEmpty)
    #expect(try root.tree == tree)
  }

  @Test(arguments: EveryDisk.allCases)
  func `by a rename between directories, and back`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let tree: TestTree = ["one": ["d": ["x": "x"], "f": "f"], "two": ["f": "other"]]
    try root.make(tree)
    let (one, two) = (try root.folder("one"), try root.folder("two"))
    try root.disk.rename("d", in: one.descriptor, to: "e", in: two.descriptor, .noReplace)
    try root.disk.rename("f", in: one.descriptor, to: "f", in: two.descriptor, .replace)
    #expect(try root.tree == ["one": [:], "two": ["e": ["x": "x"], "f": "f"]])
    #expect(try root.folder("two/e").tree == ["x": "x"])
    try root.disk.rename("e", in: two.descriptor, to: "d", in: one.descriptor, .replace)
    #expect(try root.tree == ["one": ["d": ["x": "x"]], "two": ["f": "f"]])
  }

  @Test(arguments: EveryDisk.allCases)
  func `leaving both when they are of one file`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["a": "bytes"])
    try disk.link("a", in: root.descriptor, to: "b", in: root.descriptor)
    try disk.rename("a", in: root.descriptor, to: "b", in: root.descriptor, .replace)
    #expect(try root.tree == ["a": "bytes", "b": "bytes"])
    #expect(try root.status("a").links == 2)
  }

  @Test(arguments: EveryDisk.allCases)
  func `by a rename that keeps what is there`(on kind: EveryDisk) throws {
    let root = try kind.folder(["a": "a", "b": "b", "d": [:], "link": .link(Array("nothing".utf8))])
    func rename(_ name: FileName, _ newName: FileName) -> Errno? {
      reason {
        try root.disk.rename(name, in: root.descriptor, to: newName, in: root.descriptor, .noReplace)
      }
    }
    for taken: FileName in ["b", "d", "link", "a"] { #expect(rename("a", taken) == .fileExists) }
    #expect(rename("nothing", "new") == .noSuchFileOrDirectory)
    #expect(rename("a", "new") == nil)
    #expect(try root.tree == ["new": "a", "b": "b", "d": [:], "link": .link(Array("nothing".utf8))])
  }

  @Test(arguments: EveryDisk.allCases)
  func `by exchanging two of them`(on kind: EveryDisk) throws {
    let root = try kind.folder(["a": "a", "b": "b", "d": ["x": "x"], "e": ["f": "f", "g": ["y": "y"]]])
    let (d, e) = (try root.folder("d"), try root.folder("e"))
    func exchange(_ from: Folder, _ name: FileName, _ to: Folder, _ newName: FileName) -> Errno? {
      reason { try root.disk.rename(name, in: from.descriptor, to: newName, in: to.descriptor, .exchange) }
    }
    let (a, b) = (try root.status("a").identity, try root.status("b").identity)
    #expect(exchange(root, "a", root, "b") == nil)
    #expect(try root.status("a").identity.isSameNode(as: b))
    #expect(try root.status("b").identity.isSameNode(as: a))
    #expect(exchange(root, "a", root, "d") == nil)
    #expect(try root.tree == ["a": ["x": "x"], "b": "a", "d": "b", "e": ["f": "f", "g": ["y": "y"]]])
    #expect(exchange(d, "x", e, "g") == nil)
    #expect(try root.tree == ["a": ["x": ["y": "y"]], "b": "a", "d": "b", "e": ["f": "f", "g": "x"]])

    let tree = try root.tree
    #expect(exchange(root, "b", root, "nothing") == .noSuchFileOrDirectory)
    #expect(exchange(root, "nothing", root, "b") == .noSuchFileOrDirectory)
    #expect(exchange(root, "nothing", root, "nothing") == .noSuchFileOrDirectory)
    #expect(exchange(root, "b", root, "b") == nil)
    #expect(try root.tree == tree)
  }

  @Test(arguments: EveryDisk.allCases)
  func `by removing files`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    try root.make(["file": "", "d": ["x": ""], "link": .link(Array("d".utf8)), "kept": "kept"])
    func remove(_ name: FileName) -> Errno? {
      reason { try root.disk.removeFile(name, in: root.descriptor) }
    }
    #expect(remove("file") == nil)
    #expect(remove("link") == nil)
    #expect(remove("file") == .noSuchFileOrDirectory)
    #expect(remove("d") == .isDirectory)
    #expect(try root.tree == ["d": ["x": ""], "kept": "kept"])
  }

  @Test(arguments: EveryDisk.allCases)
  func `by removing empty directories`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    try root.make(["file": "", "full": ["x": ""], "empty": [:], "link": .link(Array("empty".utf8))])
    func remove(_ name: FileName) -> Errno? {
      reason { try root.disk.removeDirectory(name, in: root.descriptor) }
    }
    #expect(remove("full") == .directoryNotEmpty)
    #expect(remove("file") == .notDirectory)
    #expect(remove("link") == .notDirectory)
    #expect(remove("empty") == nil)
    #expect(remove("empty") == .noSuchFileOrDirectory)
    #expect(try root.names() == ["file", "full", "link"])
  }

  @Test(arguments: EveryDisk.allCases)
  func `and the time of the directory with them`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "", "second": "", "d": [:]])
    let d = try root.folder("d")
    let old = FileTime(seconds: 1_000_000_000, nanoseconds: 0)
    func moves(_ folders: [Folder], _ body: () throws -> Void) throws -> Bool {
      for folder in folders { try disk.setModified(old, of: folder.descriptor) }
      try body()
      return try folders.allSatisfy { try disk.status(of: $0.descriptor).modified > old }
    }
    #expect(try moves([root]) { try disk.makeFile("new", [], in: root.descriptor) })
    #expect(try moves([root]) { try disk.makeDirectory("e", in: root.descriptor, mode: 0o700) })
    #expect(try moves([root]) { try disk.makeSymbolicLink(to: [1], named: "l", in: root.descriptor) })
    #expect(try moves([d]) { try disk.link("file", in: root.descriptor, to: "l", in: d.descriptor) })
    #expect(
      try moves([root, d]) {
        try disk.rename("file", in: root.descriptor, to: "r", in: d.descriptor, .replace)
      })
    #expect(
      try moves([root, d]) {
        try disk.rename("second", in: root.descriptor, to: "r", in: d.descriptor, .exchange)
      })
    #expect(try moves([root]) { try disk.removeFile("new", in: root.descriptor) })
    #expect(try moves([root]) { try disk.removeDirectory("e", in: root.descriptor) })
    #expect(try !moves([root]) { try disk.makeFile("in d", [], in: d.descriptor) })
  }

  @Test(arguments: EveryDisk.allCases)
  func `of any bytes`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let names = (1...255).filter { $0 != 0x2E && $0 != 0x2F }.map { FileName(bytes: [UInt8($0)]) }
    let longest = FileName(bytes: [UInt8](repeating: 0xFF, count: 255))
    // Composed and decomposed letters: equal for Swift, two names for the disk.
    let tree = TestTree.directory(
      Dictionary(
        uniqueKeysWithValues: (names + [longest, "\u{E9}", "e\u{301}"]).map { ($0, .file($0.bytes)) }))
    try root.make(tree)
    #expect(tree.differences(in: try root.tree) == "")
  }
}
