import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk keeps the bytes of a file", .temporaryDirectory)
struct BytesTests {
  @Test(arguments: EveryDisk.allCases)
  func `at any place, with zeros in between`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root()
    let file = try disk.createFile("file", in: root.descriptor, mode: 0o600)
    try disk.writeAll([1, 2, 3], to: file, at: 5000)
    try disk.writeAll([9], to: file, at: 5001)
    try disk.writeAll([7, 7], to: file, at: 4095)
    try disk.writeAll([], to: file, at: 9000)
    var expected = [UInt8](repeating: 0, count: 5003)
    expected.replaceSubrange(5000..., with: [1, 9, 3])
    expected.replaceSubrange(4095..<4097, with: [7, 7])
    #expect(try disk.contents(of: "file", in: root.descriptor) == expected)
  }

  @Test(arguments: EveryDisk.allCases)
  func `and reads as much as there is`(on kind: EveryDisk) throws {
    let root = try kind.folder(["file": "0123456789"])
    let file = try root.disk.openFile("file", in: root.descriptor)
    func read(_ count: Int, at offset: UInt64) throws -> String {
      var buffer = [UInt8](repeating: 0, count: count)
      let count = try buffer.withUnsafeMutableBytes { try root.disk.read(file, at: offset, into: $0) }
      return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
    #expect(try read(4, at: 0) == "0123")
    #expect(try read(4, at: 8) == "89")
    #expect(try read(0, at: 3) == "")
    #expect(try read(4, at: 10) == "")
    #expect(try read(4, at: UInt64(Int64.max) - 4) == "")
    #expect(reason { _ = try read(4, at: UInt64(Int64.max)) } == .invalidArgument)
    #expect(reason { _ = try read(4, at: UInt64(Int64.max) + 1) } == .invalidArgument)
    #expect(reason { _ = try read(4, at: .max) } == .invalidArgument)
  }

  @Test(arguments: EveryDisk.allCases)
  func `from who opened it for something else`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "0123456789"])
    let reading = try disk.openFile("file", in: root.descriptor)
    #expect(reason { try disk.writeAll([1], to: reading) } == .badFileDescriptor)
    let writing = try disk.createFile("new", in: root.descriptor, mode: 0o600)
    var byte: UInt8 = 0
    #expect(
      reason {
        _ = try withUnsafeMutableBytes(of: &byte) { try disk.read(root.descriptor, at: 0, into: $0) }
      }
        == .isDirectory)
    #expect(reason { try disk.writeAll([1], to: root.descriptor) } == .badFileDescriptor)
    #expect(reason { try disk.writeAll([1], to: writing, at: .max) } == .invalidArgument)
    #expect(reason { try disk.writeAll([1], to: writing, at: UInt64(Int64.max)) } != nil)
    #expect(try root.status("new").size == 0)
  }

  @Test(arguments: EveryDisk.allCases)
  func `after its last name is gone, while it is open`(on kind: EveryDisk) throws {
    let root = try kind.folder(["file": "still there"])
    let file = try root.disk.openFile("file", in: root.descriptor)
    try root.disk.removeFile("file", in: root.descriptor)
    try root.disk.synchronize(root.descriptor)
    #expect(try root.disk.readAll(file) == Array("still there".utf8))
    #expect(try root.disk.status(of: file).links == 0)
  }

  @Test(arguments: EveryDisk.allCases)
  func `and shares them where the file system can`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "shared"])
    let source = try disk.openFile("file", in: root.descriptor)
    let copy = try disk.createFile("copy", in: root.descriptor, mode: 0o600)
    if let reason = reason({ try disk.clone(source, to: copy) }) {
      #expect([.notSupported, .invalidArgument, .improperLink].contains(reason))
    } else {
      #expect(try disk.contents(of: "copy", in: root.descriptor) == Array("shared".utf8))
    }
  }
}
