import CLinux
import DurableIO
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("The disk of this machine", .temporaryDirectory)
struct PosixDiskTests {
  @Test func `opens no FIFO and no socket, and does not wait for one`() throws {
    let root = try EveryDisk.posix.folder()
    try #require(mkfifo(root.path.appending("fifo").string, 0o600) == 0)
    try Self.makeSocket(root.path.appending("socket"))
    #expect(try root.status("fifo").kind == .fifo)
    #expect(try root.status("socket").kind == .socket)
    let listing = try root.disk.list(root.descriptor)
    #expect(listing.position(of: "fifo").map { listing.kind(at: $0) } == .fifo)
    #expect(listing.position(of: "socket").map { listing.kind(at: $0) } == .socket)
    for name: FileName in ["fifo", "socket"] {
      #expect(reason { _ = try root.disk.openFile(name, in: root.descriptor) } == .invalidArgument)
      #expect(reason { _ = try root.disk.openFileForWriting(name, in: root.descriptor) } == .invalidArgument)
      #expect(reason { _ = try root.disk.openDirectory(name, in: root.descriptor) } == .notDirectory)
      #expect(reason { _ = try root.disk.createFile(name, in: root.descriptor, mode: 0o600) } == .fileExists)
    }
    #expect(try root.tree == ["fifo": .other(.fifo), "socket": .other(.socket)])
  }

  @Test func `carries an attribute whose name is not UTF-8`() throws {
    let root = try EveryDisk.posix.folder()
    let name = Array("user.".utf8) + [0xFF]
    let bytes = name.map { CChar(bitPattern: $0) } + [0]
    let file = try root.disk.createFile("file", in: root.descriptor, mode: 0o600)
    let copy = try root.disk.createFile("copy", in: root.descriptor, mode: 0o600)
    // Some file systems have no extended attributes.
    guard clinux_fsetxattr(file.number, bytes, [7], 1) == 0 else { return }
    for (name, value) in try root.disk.extendedAttributes(of: file) {
      try root.disk.setExtendedAttribute(name, value, of: copy)
    }
    var value: UInt8 = 0
    #expect(clinux_fgetxattr(copy.number, bytes, &value, 1) == 1 && value == 7)
  }

  @Test func `opens no device`() throws {
    let devices = try Folder(PosixDisk(), "/dev")
    #expect(try devices.status("null").kind == .device)
    #expect(reason { _ = try devices.disk.openFile("null", in: devices.descriptor) } == .invalidArgument)
    #expect(
      reason { _ = try devices.disk.openFileForWriting("null", in: devices.descriptor) } == .invalidArgument)
  }

  @Test func `takes no offence where writing cannot be started, and none can be kept`() throws {
    var numbers: [Int32] = [-1, -1]
    try #require(pipe(&numbers) == 0)
    let disk = PosixDisk()
    _ = OwnedDescriptor(numbers[0], of: disk)
    let writing = OwnedDescriptor(numbers[1], of: disk)
    try disk.startWriting(writing)
    #expect(reason { try disk.synchronizeData(writing) } == .invalidArgument)
  }

  @Test func `gives every descriptor back`() throws {
    let root = try EveryDisk.posix.folder(["file": "", "directory": [:]])
    let first = try root.disk.openFile("file", in: root.descriptor).number
    for _ in 0..<3000 {
      _ = try root.disk.openFile("file", in: root.descriptor)
      _ = try root.disk.openDirectory("directory", in: root.descriptor)
      _ = reason { _ = try root.disk.openFile("directory", in: root.descriptor) }
    }
    // Other tests open files meanwhile, but never thousands.
    let last = try root.disk.openFile("file", in: root.descriptor).number
    #expect(last < first + 1000)
  }

  @Test func `tells which call failed on what and why`() throws {
    let root = try EveryDisk.posix.folder()
    expect(\SystemError.description, "No such file or directory (statx 'a\\xFF')") {
      _ = try root.disk.openFile(FileName(bytes: [0x61, 0xFF]), in: root.descriptor)
    }
  }

  private static func makeSocket(_ path: FilePath) throws {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    try #require(number >= 0)
    defer { close(number) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, size) }
    }
    try #require(result == 0)
  }
}
