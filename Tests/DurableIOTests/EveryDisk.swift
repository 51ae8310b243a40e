import DurableIO
import SystemPackage
import TestSupport
import Testing

/// The disks that pass one conformance suite.
enum EveryDisk: String, CaseIterable, Sendable {
  case posix = "PosixDisk"
  case crash = "CrashDisk"
  case counting = "CountingDisk over CrashDisk"
  case faulty = "FaultyDisk that never fails"

  /// Makes a directory of such a disk, with `tree` in it, for a test with the trait `temporaryDirectory`.
  func folder(_ tree: TestTree = [:]) throws -> Folder {
    let root =
      switch self {
      case .posix: try Folder(PosixDisk(), TestSupport.folder)
      case .crash: try Folder(CrashDisk(), "/")
      case .counting: try Folder(CountingDisk(CrashDisk()), "/")
      case .faulty: try Folder(FaultyDisk(CrashDisk(), .none).disk, "/")
      }
    try root.make(tree)
    return root
  }

  /// Makes a directory as `folder` does, and returns it with its disk.
  func root(_ tree: TestTree = [:]) throws -> (any Disk, Folder) {
    let root = try folder(tree)
    return (root.disk, root)
  }
}

extension EveryDisk: CustomTestStringConvertible {
  var testDescription: String { rawValue }
}

/// An open directory that closures can share.
final class Folder: Sendable {
  let disk: any Disk
  let path: FilePath
  let descriptor: OwnedDescriptor

  init(_ disk: any Disk, _ path: FilePath) throws(SystemError) {
    self.disk = disk
    self.path = path
    descriptor = try disk.openDirectory(at: path)
  }

  func make(_ tree: TestTree) throws(SystemError) {
    try Self.write(tree, descriptor, disk)
  }

  var tree: TestTree {
    get throws(SystemError) { try Self.read(descriptor, disk) }
  }

  func folder(_ name: String) throws(SystemError) -> Folder {
    try Folder(disk, path.appending(name))
  }

  func status(_ name: FileName) throws(SystemError) -> FileStatus {
    try disk.status(of: name, in: descriptor)
  }

  func names() throws(SystemError) -> [FileName] {
    let listing = try disk.list(descriptor)
    return listing.sortedPositions().map { listing.name(at: $0) }
  }

  private static func write(_ tree: TestTree, _ directory: borrowing OwnedDescriptor, _ disk: some Disk)
    throws(SystemError)
  {
    try tree.writeEntries(into: directory, of: disk)
  }

  private static func read(_ directory: borrowing OwnedDescriptor, _ disk: some Disk) throws(SystemError)
    -> TestTree
  {
    try TestTree.read(directory, of: disk)
  }
}

/// Returns the system's reason for a failure, nil if `body` succeeds.
func reason(_ body: () throws -> Void) -> Errno? {
  do {
    try body()
    return nil
  } catch let error as SystemError {
    return error.code
  } catch {
    return Errno(rawValue: -1)
  }
}

/// Returns every request with the name of an entry, which need not exist.
func namedRequests(_ folder: Folder) -> [(String, (FileName) throws -> Void)] {
  let (disk, other) = (folder.disk, FileName("other"))
  return [
    ("openDirectory", { _ = try disk.openDirectory($0, in: folder.descriptor) }),
    ("openFile", { _ = try disk.openFile($0, in: folder.descriptor) }),
    ("openFileForWriting", { _ = try disk.openFileForWriting($0, in: folder.descriptor) }),
    ("createFile", { _ = try disk.createFile($0, in: folder.descriptor, mode: 0o600) }),
    ("status", { _ = try disk.status(of: $0, in: folder.descriptor) }),
    ("destination", { _ = try disk.destination(of: $0, in: folder.descriptor) }),
    ("makeDirectory", { try disk.makeDirectory($0, in: folder.descriptor, mode: 0o700) }),
    ("makeSymbolicLink", { try disk.makeSymbolicLink(to: [0x61], named: $0, in: folder.descriptor) }),
    ("link from", { try disk.link($0, in: folder.descriptor, to: "new", in: folder.descriptor) }),
    ("link to", { try disk.link(other, in: folder.descriptor, to: $0, in: folder.descriptor) }),
    (
      "rename from",
      { try disk.rename($0, in: folder.descriptor, to: "new", in: folder.descriptor, .replace) }
    ),
    ("rename to", { try disk.rename(other, in: folder.descriptor, to: $0, in: folder.descriptor, .replace) }),
    ("removeFile", { try disk.removeFile($0, in: folder.descriptor) }),
    ("removeDirectory", { try disk.removeDirectory($0, in: folder.descriptor) }),
    (
      "setModified",
      { try disk.setModified(FileTime(seconds: 1, nanoseconds: 0), of: $0, in: folder.descriptor) }
    ),
  ]
}
