import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk opens", .temporaryDirectory)
struct OpeningTests {
  @Test(arguments: EveryDisk.allCases)
  func `a directory by its path, through symbolic links`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    try root.make(["a": ["b": ["file": "in b"]], "link": .link(Array("a/./b/../b".utf8)), "file": ""])
    for path in ["a/b", "a/b/", "link", "a/../link", "link/../b"] {
      #expect(try root.folder(path).tree == ["file": "in b"], "\(path)")
    }
    #expect(reason { _ = try root.folder("nothing") } == .noSuchFileOrDirectory)
    #expect(reason { _ = try root.folder("a/nothing/b") } == .noSuchFileOrDirectory)
    #expect(reason { _ = try root.folder("file") } == .notDirectory)
    #expect(reason { _ = try root.folder("file/b") } == .notDirectory)
    #expect(reason { _ = try Folder(root.disk, "") } == .noSuchFileOrDirectory)
  }

  @Test(arguments: EveryDisk.allCases)
  func `no path that leads in a circle`(on kind: EveryDisk) throws {
    let root = try kind.folder(["a": .link(Array("b".utf8)), "b": .link(Array("a".utf8))])
    #expect(reason { _ = try root.folder("a") } == .tooManySymbolicLinkLevels)
  }

  @Test(arguments: EveryDisk.allCases)
  func `a path that is not UTF-8`(on kind: EveryDisk) throws {
    let root = try kind.folder(.directory([FileName(bytes: [0xFF, 0xFE]): ["inside": "found"]]))
    var path = root.path.withPlatformString { Array(UnsafeBufferPointer(start: $0, count: root.path.length)) }
    path += [0x2F, -1, -2, 0]
    #expect(try Folder(root.disk, FilePath(platformString: path)).tree == ["inside": "found"])
  }

  @Test(arguments: EveryDisk.allCases)
  func `a directory by its name, never through a symbolic link`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    try root.make(["directory": ["x": ""], "link": .link(Array("directory".utf8)), "file": ""])
    #expect(try root.disk.list(root.disk.openDirectory("directory", in: root.descriptor)).count == 1)
    func opening(_ name: FileName) -> Errno? {
      reason { _ = try root.disk.openDirectory(name, in: root.descriptor) }
    }
    #expect(opening("nothing") == .noSuchFileOrDirectory)
    #expect(opening("file") == .notDirectory)
    #expect([.notDirectory, .tooManySymbolicLinkLevels].contains(opening("link")))
  }

  @Test(arguments: EveryDisk.allCases)
  func `a regular file and nothing else`(on kind: EveryDisk) throws {
    let root = try kind.folder(["directory": [:], "link": .link(Array("file".utf8)), "file": "bytes"])
    #expect(try root.disk.contents(of: "file", in: root.descriptor) == Array("bytes".utf8))
    func opening(_ name: FileName) -> Errno? {
      reason { _ = try root.disk.openFile(name, in: root.descriptor) }
    }
    #expect(opening("nothing") == .noSuchFileOrDirectory)
    #expect(opening("directory") == .invalidArgument)
    #expect(opening("link") == .invalidArgument)
  }

  @Test(arguments: EveryDisk.allCases)
  func `a new file only where nothing stands`(on kind: EveryDisk) throws {
    let root = try kind.folder(["directory": [:], "link": .link(Array("nothing".utf8)), "file": "bytes"])
    for name: FileName in ["directory", "link", "file"] {
      #expect(reason { _ = try root.disk.createFile(name, in: root.descriptor, mode: 0o600) } == .fileExists)
    }
    let file = try root.disk.createFile("new", in: root.descriptor, mode: 0o600)
    let status = try root.disk.status(of: file)
    #expect(status.kind == .file)
    #expect(status.size == 0)
    #expect(status.mode == 0o600)
    #expect(status.links == 1)
    #expect(try root.status("new") == status)
    #expect(try root.names() == ["directory", "file", "link", "new"])
  }

  @Test(arguments: EveryDisk.allCases)
  func `no entry of a directory that was removed`(on kind: EveryDisk) throws {
    let root = try kind.folder(["directory": [:], "file": ""])
    let gone = try root.folder("directory")
    try root.disk.removeDirectory("directory", in: root.descriptor)
    #expect(try root.disk.status(of: gone.descriptor).links == 0)
    #expect(reason { _ = try gone.names() } == .noSuchFileOrDirectory)
    let disk = root.disk
    #expect(
      reason { _ = try disk.createFile("a", in: gone.descriptor, mode: 0o600) } == .noSuchFileOrDirectory)
    #expect(
      reason { try disk.makeDirectory("a", in: gone.descriptor, mode: 0o700) } == .noSuchFileOrDirectory)
    #expect(
      reason { try disk.rename("file", in: root.descriptor, to: "a", in: gone.descriptor, .replace) }
        == .noSuchFileOrDirectory)
    #expect(
      reason { try disk.link("file", in: root.descriptor, to: "a", in: gone.descriptor) }
        == .noSuchFileOrDirectory)
  }

  @Test(arguments: EveryDisk.allCases)
  func `nothing by a name that is not one entry`(on kind: EveryDisk) throws {
    let root = try kind.folder(["other": "", "directory": ["inside": ""]])
    let tree = try root.tree
    let long = FileName(bytes: [UInt8](repeating: 0x61, count: 256))
    for (request, body) in namedRequests(root) {
      for name in [".", "..", "directory/inside", "/", "other\0", "\0"] as [FileName] {
        #expect(reason { try body(name) } == .invalidArgument, "\(request) of '\(name.display)'")
      }
      #expect(reason { try body("") } == .noSuchFileOrDirectory, "\(request) of an empty name")
      #expect(reason { try body(long) } == .fileNameTooLong, "\(request) of a long name")
    }
    #expect(try root.tree == tree)
  }

  @Test(arguments: EveryDisk.allCases)
  func `nothing in a file`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["other": ""])
    let file = try disk.openFile("other", in: root.descriptor)
    #expect(reason { _ = try disk.openDirectory("a", in: file) } == .notDirectory)
    #expect(reason { _ = try disk.openFile("a", in: file) } == .notDirectory)
    #expect(reason { _ = try disk.createFile("a", in: file, mode: 0o600) } == .notDirectory)
    #expect(reason { _ = try disk.status(of: "a", in: file) } == .notDirectory)
    #expect(reason { _ = try disk.list(file) } == .notDirectory)
    #expect(reason { try disk.makeDirectory("a", in: file, mode: 0o700) } == .notDirectory)
    #expect(reason { try disk.removeFile("a", in: file) } == .notDirectory)
    #expect(
      reason { try disk.rename("other", in: root.descriptor, to: "a", in: file, .replace) } == .notDirectory
    )
  }

  @Test(arguments: EveryDisk.allCases)
  func `nothing by a descriptor that it did not give`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": ""])
    let unknown = OwnedDescriptor(1_000_000, of: disk)
    let file = try disk.openFile("file", in: root.descriptor)
    var byte: UInt8 = 0
    let time = FileTime(seconds: 0, nanoseconds: 0)
    let reasons = [
      reason { _ = try disk.openDirectory("a", in: unknown) },
      reason { _ = try disk.openFile("a", in: unknown) },
      reason { _ = try disk.openFileForWriting("a", in: unknown) },
      reason { _ = try disk.createFile("a", in: unknown, mode: 0) },
      reason { _ = try disk.status(of: unknown) },
      reason { _ = try disk.status(of: "a", in: unknown) },
      reason { _ = try disk.list(unknown) },
      reason { _ = try disk.destination(of: "a", in: unknown) },
      reason { _ = try disk.extendedAttributes(of: unknown) },
      reason { _ = try withUnsafeMutableBytes(of: &byte) { try disk.read(unknown, at: 0, into: $0) } },
      reason { try disk.writeAll([1], to: unknown) },
      reason { try disk.resize(unknown, to: 0) },
      reason { try disk.clone(unknown, to: file) },
      reason { try disk.makeDirectory("a", in: unknown, mode: 0) },
      reason { try disk.makeSymbolicLink(to: [1], named: "a", in: unknown) },
      reason { try disk.link("file", in: root.descriptor, to: "a", in: unknown) },
      reason { try disk.rename("a", in: unknown, to: "b", in: root.descriptor, .noReplace) },
      reason { try disk.removeFile("a", in: unknown) },
      reason { try disk.removeDirectory("a", in: unknown) },
      reason { try disk.setMode(0, of: unknown) },
      reason { try disk.setOwner(user: 0, group: 0, of: unknown) },
      reason { try disk.setModified(time, of: unknown) },
      reason { try disk.setModified(time, of: "a", in: unknown) },
      reason { try disk.setExtendedAttribute("user.a", [], of: unknown) },
      reason { try disk.synchronize(unknown) },
      reason { try disk.synchronizeData(unknown) },
      reason { try disk.startWriting(unknown) },
      reason { _ = try disk.lock(unknown, .shared) },
      reason { _ = try disk.lock(byte: 0, of: unknown, .shared) },
    ]
    #expect(reasons == [Errno?](repeating: .badFileDescriptor, count: reasons.count))
  }
}
