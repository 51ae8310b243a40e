import DurableIO
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("Locks of this process on a file", .temporaryDirectory)
struct ProcessLocksTests {
  private static let name = FileName("database")
  private let disk = PosixDisk()

  /// A library that locks the first byte of a file for this process, as SQLite does.
  private struct Library {
    let number: Int32

    init(_ path: FilePath) throws {
      number = path.withPlatformString { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
      try #require(number >= 0)
    }

    func lock() {
      var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
      #expect(fcntl(number, F_SETLK, &lock) == 0)
    }
  }

  /// Whether the first byte is locked by a lock of this process, which conflicts with one of a descriptor.
  private func isLocked(_ folder: borrowing OwnedDescriptor) throws -> Bool {
    let file = try disk.openFileForWriting(Self.name, in: folder)
    return try !disk.lock(byte: 0, of: file, .exclusive)
  }

  private func read(_ folder: borrowing OwnedDescriptor) throws {
    let file = try disk.openFile(Self.name, in: folder)
    #expect(try disk.status(of: file).kind == .file)
  }

  /// The number of descriptors of this process that lead to the file.
  private func descriptors(of path: FilePath) throws -> Int {
    var wanted = stat()
    #expect(path.withPlatformString { stat($0, &wanted) } == 0)
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { number in
      var found = stat()
      return Int32(number).map { fstat($0, &found) == 0 && found.st_ino == wanted.st_ino } ?? false
    }.count
  }

  @Test func `stay when this process reads the file`() throws {
    let path = folder.appending(Self.name.string)
    let library = try Library(path)
    let node = try ProcessLocks.node(at: path)
    ProcessLocks.begin(node)
    library.lock()
    let directory = try disk.openDirectory(at: folder)
    for _ in 0..<100 { try read(directory) }
    #expect(try isLocked(directory))
    // One of the library, one that reads, one that writes.
    #expect(try descriptors(of: path) == 3)
    close(library.number)
    ProcessLocks.end(node)
    #expect(try descriptors(of: path) == 0)
  }

  @Test func `stay when a reader from before closes the file`() throws {
    let path = folder.appending(Self.name.string)
    let library = try Library(path)
    let directory = try disk.openDirectory(at: folder)
    let node = try ProcessLocks.node(at: path)
    do {
      let file = try disk.openFile(Self.name, in: directory)
      ProcessLocks.begin(node)
      library.lock()
      #expect(try disk.status(of: file).size == 0)
    }
    #expect(try isLocked(directory))
    close(library.number)
    ProcessLocks.end(node)
  }

  @Test func `stay until each library has closed the file`() throws {
    let path = folder.appending(Self.name.string)
    let library = try Library(path)
    let directory = try disk.openDirectory(at: folder)
    let node = try ProcessLocks.node(at: path)
    ProcessLocks.begin(node)
    ProcessLocks.begin(node)
    library.lock()
    try read(directory)
    ProcessLocks.end(node)
    try read(directory)
    #expect(try isLocked(directory))
    ProcessLocks.end(node)
    // The system's rule, without which none of this is needed.
    try read(directory)
    #expect(try !isLocked(directory))
    close(library.number)
  }

  @Test func `stay with readers on all threads`() async throws {
    let path = folder.appending(Self.name.string)
    let library = try Library(path)
    let node = try ProcessLocks.node(at: path)
    for _ in 0..<50 {
      try await withThrowingTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            let directory = try disk.openDirectory(at: folder)
            for _ in 0..<50 { try read(directory) }
          }
        }
        ProcessLocks.begin(node)
        library.lock()
        try await group.waitForAll()
      }
      #expect(try isLocked(disk.openDirectory(at: folder)))
      ProcessLocks.end(node)
    }
    close(library.number)
  }
}
