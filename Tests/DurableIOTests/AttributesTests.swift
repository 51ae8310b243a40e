import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk sets", .temporaryDirectory)
struct AttributesTests {
  @Test(arguments: EveryDisk.allCases)
  func `the mode`(on kind: EveryDisk) throws {
    let root = try kind.folder(["file": "", "directory": [:]])
    let file = try root.disk.openFile("file", in: root.descriptor)
    for mode: UInt16 in [0o444, 0o000, 0o4711, 0o777] {
      try root.disk.setMode(mode, of: file)
      #expect(try root.status("file").mode == mode)
    }
    try root.disk.setMode(0o1700, of: root.folder("directory").descriptor)
    #expect(try root.status("directory").mode == 0o1700)
  }

  @Test(arguments: EveryDisk.allCases)
  func `the owner, or leaves it`(on kind: EveryDisk) throws {
    let root = try kind.folder(["file": ""])
    let before = try root.status("file")
    let file = try root.disk.openFile("file", in: root.descriptor)
    try root.disk.setOwner(user: before.user, group: before.group, of: file)
    try root.disk.setOwner(user: .max, group: .max, of: file)
    let after = try root.status("file")
    #expect(after.user == before.user)
    #expect(after.group == before.group)
  }

  @Test(arguments: EveryDisk.allCases)
  func `times to the nanosecond`(on kind: EveryDisk) throws {
    let (disk, root) = try kind.root(["file": "", "directory": ["x": ""], "link": .link(Array("file".utf8))])
    let times = [
      FileTime(seconds: 0, nanoseconds: 0), FileTime(seconds: 1_234_567_890, nanoseconds: 987_654_321),
      FileTime(seconds: 2_000_000_000, nanoseconds: 1), FileTime(seconds: -1, nanoseconds: 999_999_999),
    ]
    let file = try disk.openFile("file", in: root.descriptor)
    let directory = try root.folder("directory")
    for time in times {
      try disk.setModified(time, of: file)
      #expect(try root.status("file").modified == time)
      try disk.setModified(time, of: directory.descriptor)
      #expect(try root.status("directory").modified == time)
    }
    let other = FileTime(seconds: 5, nanoseconds: 7)
    try disk.setModified(other, of: "link", in: root.descriptor)
    #expect(try root.status("link").modified == other)
    #expect(try root.status("file").modified == times.last)
    try disk.setModified(other, of: "file", in: root.descriptor)
    #expect(try root.status("file").modified == other)
    #expect(
      reason { try disk.setModified(other, of: "nothing", in: root.descriptor) } == .noSuchFileOrDirectory)
  }

  @Test(arguments: EveryDisk.allCases)
  func `no time with more nanoseconds than a second has`(on kind: EveryDisk) throws {
    let root = try kind.folder(["file": ""])
    let before = try root.status("file")
    let file = try root.disk.openFile("file", in: root.descriptor)
    // The last two mean "now" and "leave it" to the system call.
    for nanoseconds: UInt32 in [1_000_000_000, .max, (1 << 30) - 1, (1 << 30) - 2] {
      let time = FileTime(seconds: 1, nanoseconds: nanoseconds)
      #expect(reason { try root.disk.setModified(time, of: file) } == .invalidArgument)
      #expect(reason { try root.disk.setModified(time, of: "file", in: root.descriptor) } == .invalidArgument)
    }
    #expect(try root.status("file") == before)
  }
}
