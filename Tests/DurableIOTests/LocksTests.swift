import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("Every disk gives a lock", .temporaryDirectory)
struct LocksTests {
  /// An open file that closures can share.
  private final class OpenFile: Sendable {
    let disk: any Disk
    let descriptor: OwnedDescriptor

    init(_ name: FileName, in folder: Folder, forWriting: Bool = true) throws(SystemError) {
      disk = folder.disk
      descriptor =
        forWriting
        ? try disk.openFileForWriting(name, in: folder.descriptor)
        : try disk.openFile(name, in: folder.descriptor)
    }
  }

  /// Makes a file and opens it twice.
  private func twice(_ root: Folder) throws -> (OpenFile, OpenFile) {
    try root.make(["file": "0123"])
    return (try OpenFile("file", in: root), try OpenFile("file", in: root))
  }

  private func lock(_ file: OpenFile, _ mode: LockMode) throws -> Bool {
    try file.disk.lock(file.descriptor, mode)
  }

  private func lock(_ file: OpenFile, _ byte: UInt64, _ mode: LockMode) throws -> Bool {
    try file.disk.lock(byte: byte, of: file.descriptor, mode)
  }

  // MARK: Of a directory or a file

  @Test(arguments: EveryDisk.allCases)
  func `that only one holds, as long as it is open`(on kind: EveryDisk) async throws {
    let (disk, root) = try kind.root()
    func lock(_ folder: Folder) throws -> Bool { try disk.lock(folder.descriptor, .exclusive) }
    do {
      let first = try Folder(disk, root.path)
      #expect(try lock(first))
      #expect(try lock(first))
      #expect(try !lock(root))
      withExtendedLifetime(first) {}
    }
    // A process that another test starts has a copy of the descriptor until it executes its program.
    try await waitUntil("free lock") { try lock(root) }
    let third = try Folder(disk, root.path)
    #expect(try !lock(third))
  }

  @Test(arguments: EveryDisk.allCases)
  func `that several share, and one alone makes its own`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let (first, second) = try twice(root)
    let third = try OpenFile("file", in: root, forWriting: false)
    #expect(try lock(first, .shared))
    #expect(try lock(second, .shared))
    #expect(try !lock(third, .exclusive))
    #expect(try lock(first, .none))
    #expect(try !lock(third, .exclusive))
    #expect(try lock(second, .exclusive))
    #expect(try !lock(first, .shared))
    #expect(try lock(second, .shared))
    #expect(try lock(first, .shared))
  }

  @Test(arguments: EveryDisk.allCases)
  func `that is lost when it cannot become an exclusive one`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let (first, second) = try twice(root)
    #expect(try lock(first, .shared))
    #expect(try lock(second, .shared))
    #expect(try !lock(first, .exclusive))
    #expect(try lock(second, .exclusive))
  }

  // MARK: Of a byte

  @Test(arguments: EveryDisk.allCases)
  func `of a byte, to one descriptor of a process and not to another`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let (first, second) = try twice(root)
    #expect(try lock(first, 0, .exclusive))
    #expect(try lock(first, 0, .exclusive))
    #expect(try !lock(second, 0, .exclusive))
    #expect(try !lock(second, 0, .shared))
    #expect(try lock(second, 0, .none), "giving up what it never had takes nothing from others")
    #expect(try !lock(second, 0, .shared))
    #expect(try lock(first, 0, .none))
    #expect(try lock(second, 0, .exclusive))
  }

  @Test(arguments: EveryDisk.allCases)
  func `of a byte, whatever becomes of the others`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let (first, second) = try twice(root)
    // The file has four bytes; the greatest number here is the last byte that a file can have.
    for byte: UInt64 in [0, 3, 4, 1 << 40, UInt64(Int64.max)] {
      #expect(try lock(first, byte, .exclusive), "\(byte)")
    }
    #expect(try lock(second, 1, .exclusive))
    #expect(try lock(second, 5, .shared))
    #expect(try !lock(second, 4, .shared))
    #expect(try lock(first, 4, .none))
    #expect(try lock(second, 4, .shared))
    #expect(try !lock(second, UInt64(Int64.max), .shared))
    #expect(reason { _ = try lock(second, UInt64(Int64.max) + 1, .shared) } == .invalidArgument)
    #expect(try lock(first, .exclusive), "the lock of the whole file is another one")
    #expect(try !lock(second, .shared))
  }

  @Test(arguments: EveryDisk.allCases)
  func `of a byte that several share, and that stays when it cannot become exclusive`(on kind: EveryDisk)
    throws
  {
    let root = try kind.folder()
    let (first, second) = try twice(root)
    #expect(try lock(first, 7, .shared))
    #expect(try lock(second, 7, .shared))
    #expect(try !lock(first, 7, .exclusive))
    #expect(try !lock(second, 7, .exclusive), "the first one still shares it")
    #expect(try lock(first, 7, .none))
    #expect(try lock(second, 7, .exclusive))
    #expect(try !lock(first, 7, .shared))
    #expect(try lock(second, 7, .shared))
    #expect(try lock(first, 7, .shared))
  }

  @Test(arguments: EveryDisk.allCases)
  func `of a byte, exclusive only to who may write`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let (first, _) = try twice(root)
    let reading = try OpenFile("file", in: root, forWriting: false)
    #expect(reason { _ = try lock(reading, 0, .exclusive) } == .badFileDescriptor)
    #expect(try lock(reading, 0, .shared))
    #expect(try !lock(first, 0, .exclusive))
    #expect(try lock(reading, 0, .none))
    #expect(try lock(first, 0, .exclusive))
    #expect(try !lock(reading, 0, .shared))
  }

  @Test(arguments: EveryDisk.allCases)
  func `of a byte that ends with its descriptor, and with no other`(on kind: EveryDisk) throws {
    let root = try kind.folder()
    let (first, second) = try twice(root)
    #expect(try lock(first, 0, .exclusive))
    do {
      let third = try OpenFile("file", in: root)
      #expect(try lock(third, 1, .exclusive))
      #expect(try !lock(second, 1, .shared))
      withExtendedLifetime(third) {}
    }
    #expect(try lock(second, 1, .exclusive))
    #expect(try !lock(second, 0, .shared), "another descriptor of the same file was closed")
  }
}
