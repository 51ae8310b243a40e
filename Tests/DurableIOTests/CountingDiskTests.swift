import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A counting disk")
struct CountingDiskTests {
  @Test func `counts each request once, and its bytes`() throws {
    let disk = try CountingDisk(CrashDisk())
    let root = try disk.openDirectory(at: "/")
    let file = try disk.createFile("file", in: root, mode: 0o600)
    try disk.writeAll([1, 2, 3], to: file)
    try disk.writeAll([4], to: file, at: 3)
    try disk.synchronize(file)
    try disk.synchronize(root)
    try disk.rename("file", in: root, to: "a", in: root, .noReplace)
    try disk.makeFile("b", [], in: root)
    try disk.rename("a", in: root, to: "b", in: root, .exchange)
    #expect(try disk.contents(of: "b", in: root) == [1, 2, 3, 4])
    _ = reason { try disk.removeFile("nothing", in: root) }

    let expected: [DiskOperation: Int] = [
      .openDirectory: 1, .createFile: 2, .write: 3, .synchronize: 2, .rename: 1, .exchange: 1, .openFile: 1,
      .status: 1, .read: 1, .removeFile: 1,
    ]
    let counts = disk.counts
    for operation in DiskOperation.allCases {
      #expect(counts[operation] == expected[operation] ?? 0, "\(operation)")
    }
    #expect(counts.total == 14)
    #expect(counts.changes == 10)
    #expect(counts.bytesWritten == 4)
    #expect(counts.bytesRead == 4)
  }

  @Test func `counts what is done in place, and as a change only what a power cut shows`() throws {
    let disk = try CountingDisk(CrashDisk(["f": "0123"]))
    let root = try disk.openDirectory(at: "/")
    let file = try disk.openFileForWriting("f", in: root)
    let locks = [try disk.lock(file, .shared), try disk.lock(byte: 1, of: file, .exclusive)]
    #expect(locks == [true, true])
    try disk.resize(file, to: 2)
    try disk.startWriting(file)
    try disk.synchronizeData(file)

    let expected: [DiskOperation] = [
      .openDirectory, .openFileForWriting, .lock, .lockByte, .resize, .startWriting, .synchronizeData,
    ]
    for operation in DiskOperation.allCases {
      #expect(disk.counts[operation] == (expected.contains(operation) ? 1 : 0), "\(operation)")
    }
    #expect(disk.counts.changes == 2)
  }

  @Test func `tells of each request before it is carried out`() throws {
    let log = NoteList<String>()
    let disk = try CountingDisk(CrashDisk()) { event in
      log.add("\(event.number) \(event.operation) \(event.name?.display ?? "-")")
    }
    let root = try disk.openDirectory(at: "/")
    try disk.makeDirectory("a", in: root, mode: 0o700)
    try disk.synchronize(root)
    #expect(log.all == ["0 openDirectory /", "1 makeDirectory a", "2 synchronize -"])
  }

  @Test func `lets a request fail without carrying it out`() throws {
    let disk = try CountingDisk(CrashDisk()) { (event) throws(SystemError) in
      if event.operation == .makeDirectory { throw SystemError("mkdirat", event.name, code: .noSpace) }
    }
    let root = try disk.openDirectory(at: "/")
    #expect(reason { try disk.makeDirectory("a", in: root, mode: 0o700) } == .noSpace)
    #expect(try disk.list(root).count == 0)
    #expect(disk.counts[.makeDirectory] == 1)
  }
}
