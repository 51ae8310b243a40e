import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk writes in place", .temporaryDirectory)
struct WritingInPlaceTests {
  @Test(arguments: EveryDisk.allCases)
  func `in a regular file that is there, and neither makes nor cuts it`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["directory": [:], "link": .link(Array("file".utf8)), "file": "bytes"])
    let before = try root.status("file")
    let file = try disk.openFileForWriting("file", in: root.descriptor)
    #expect(try root.status("file") == before)
    #expect(try disk.readAll(file) == Array("bytes".utf8))
    try disk.writeAll(Array("BY".utf8), to: file)
    #expect(try disk.readAll(file) == Array("BYtes".utf8))
    #expect(try disk.contents(of: "file", in: root.descriptor) == Array("BYtes".utf8))
    func opening(_ name: FileName) -> Errno? {
      reason { _ = try disk.openFileForWriting(name, in: root.descriptor) }
    }
    #expect(opening("nothing") == .noSuchFileOrDirectory)
    #expect(opening("directory") == .invalidArgument)
    #expect(opening("link") == .invalidArgument)
  }

  @Test(arguments: EveryDisk.allCases)
  func `and reads what it has written to a new file`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let file = try root.disk.createFile("file", in: root.descriptor, mode: 0o600)
    try root.disk.writeAll([1, 2, 3], to: file, at: 2)
    #expect(try root.disk.readAll(file) == [0, 0, 1, 2, 3])
  }

  @Test(arguments: EveryDisk.allCases)
  func `a file that becomes shorter, and longer with zeros`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "0123456789"])
    let file = try disk.openFileForWriting("file", in: root.descriptor)
    func resize(_ size: UInt64) throws -> [UInt8] {
      try disk.resize(file, to: size)
      #expect(try disk.status(of: file).size == size)
      return try disk.readAll(file)
    }
    #expect(try resize(10) == Array("0123456789".utf8))
    #expect(try resize(3) == Array("012".utf8))
    #expect(try resize(5) == Array("012\0\0".utf8))
    #expect(try resize(0) == [])
    #expect(try resize(9000) == [UInt8](repeating: 0, count: 9000))
    #expect(try resize(4096) == [UInt8](repeating: 0, count: 4096))
  }

  @Test(arguments: EveryDisk.allCases)
  func `a file that is cut, as a change of it`(on kind: EveryDisk) throws {
    let root = try kind.folder(["file": "0123456789"])
    let file = try root.disk.openFileForWriting("file", in: root.descriptor)
    let old = FileTime(seconds: 1_000_000_000, nanoseconds: 5)
    try root.disk.setModified(old, of: file)
    try root.disk.resize(file, to: 4)
    #expect(try root.status("file").modified > old)
  }

  @Test(arguments: EveryDisk.allCases)
  func `no size of what was not opened for it, and none that no file has`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "0123"])
    let reading = try disk.openFile("file", in: root.descriptor)
    #expect(reason { try disk.resize(reading, to: 0) } == .invalidArgument)
    #expect(reason { try disk.resize(root.descriptor, to: 0) } == .invalidArgument)
    let writing = try disk.openFileForWriting("file", in: root.descriptor)
    #expect(reason { try disk.resize(writing, to: UInt64(Int64.max) + 1) } == .invalidArgument)
    #expect(reason { try disk.resize(writing, to: .max) } == .invalidArgument)
    #expect(try root.status("file").size == 4)
  }

  @Test(arguments: EveryDisk.allCases)
  func `as random writes and sizes leave it`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    var generator = SeededGenerator(seed: 2)
    var expected: [UInt8] = []
    let file = try disk.createFile("file", in: root.descriptor, mode: 0o600)
    func grow(to size: Int) {
      expected.append(contentsOf: repeatElement(0, count: max(0, size - expected.count)))
    }
    for _ in 0..<80 {
      if Bool.random(using: &generator) {
        let size = Int.random(in: 0..<20_000, using: &generator)
        expected.removeLast(max(0, expected.count - size))
        grow(to: size)
        try disk.resize(file, to: UInt64(size))
      } else {
        let offset = Int.random(in: 0..<20_000, using: &generator)
        let bytes = (0..<Int.random(in: 1..<6000, using: &generator)).map { _ in
          UInt8.random(in: 1...255, using: &generator)
        }
        grow(to: offset + bytes.count)
        expected.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        try disk.writeAll(bytes, to: file, at: UInt64(offset))
      }
      let found = try disk.readAll(file)
      try #require(found == expected)
    }
  }

  @Test(arguments: EveryDisk.allCases)
  func `what it is told to put on the medium, with its attributes or without`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    let file = try disk.createFile("file", in: root.descriptor, mode: 0o600)
    try disk.writeAll([1, 2, 3], to: file)
    try disk.startWriting(file)
    try disk.synchronizeData(file)
    try disk.synchronize(file)
    let reading = try disk.openFile("file", in: root.descriptor)
    try disk.startWriting(reading)
    try disk.synchronizeData(reading)
    try disk.synchronize(reading)
    try disk.startWriting(root.descriptor)
    try disk.synchronize(root.descriptor)
    #expect(try disk.readAll(file) == [1, 2, 3])
  }
}
