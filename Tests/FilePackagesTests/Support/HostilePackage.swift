import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport

/// A package that an attacker made, on the real disk, beside files that it must not touch.
struct HostilePackage {
  let scratch: Scratch
  let disk = PosixDisk()

  static let tree: TestTree = [
    "Text.txt": "text", "Images": ["1.png": "one"], "Link": .link(Array("../Outside".utf8)),
    ".docpkg": ["lock": "", "tmp": ["staged": "staged"]],
  ]
  static let outside: TestTree = [
    "secret.txt": .file(Array("secret".utf8), mode: 0o600), "run": .file(Array("#!".utf8), mode: 0o755),
    "folder": ["f.txt": "f"], "tmp": ["t.txt": "t"], "lock": "", "journal": "",
  ]

  init(in scratch: Scratch) throws {
    self.scratch = scratch
    try scratch.make("Trip.pkg", Self.tree)
    try scratch.make("Outside", Self.outside)
  }

  var path: FilePath { scratch.path("Trip.pkg") }

  func folder(_ name: String) throws -> OwnedDescriptor { try disk.openDirectory(at: scratch.path(name)) }

  /// Returns the files outside, with modes, dates and bytes.
  func canary() throws -> PackagePicture { try PackagePicture(of: scratch.path("Outside"), on: disk) }

  /// Replaces the node with a name in the package.
  func replace(_ name: FileName, in folder: String, _ make: (borrowing OwnedDescriptor) throws -> Void) throws
  {
    let directory = try self.folder(folder)
    _ = try? disk.removeEntries(of: disk.openDirectory(name, in: directory))
    if (try? disk.removeFile(name, in: directory)) == nil { try? disk.removeDirectory(name, in: directory) }
    try make(directory)
  }

  func link(_ name: FileName, in folder: String, to destination: String) throws {
    try replace(name, in: folder) { directory in
      try disk.makeSymbolicLink(to: Array(destination.utf8), named: name, in: directory)
    }
  }

  func fifo(_ name: FileName, in folder: String) throws {
    try replace(name, in: folder) { _ in try makeFIFO(scratch.path("\(folder)/\(name.string)")) }
  }

  func directory(_ name: FileName, in folder: String) throws {
    try replace(name, in: folder) { directory in
      try disk.makeDirectory(name, in: directory, mode: 0o755)
      try disk.makeFile("inside", [1], in: disk.openDirectory(name, in: directory))
    }
  }

  // MARK: Forging

  func writeJournal(_ bytes: [UInt8]) throws {
    try replace("journal", in: "Trip.pkg/.docpkg") { try disk.makeFile("journal", bytes, in: $0) }
  }

  /// Returns a journal with valid checksums and a record that waits to be published.
  func journal(
    _ operations: [JournalRecord.Operation], isBound: Bool = true, sequence: UInt64 = 1, applied: UInt64 = 0
  ) throws -> [UInt8] {
    var record = JournalRecord()
    record.operations = operations
    let contents = operations.compactMap { operation in
      if case .put(let staged) = operation.action { staged.bytes } else { nil }
    }
    return try journal(
      record.encodedBody, contents, operations.count, isBound: isBound, sequence: sequence, applied: applied)
  }

  func journal(
    _ body: [UInt8], _ contents: [[UInt8]], _ count: Int, isBound: Bool = true, sequence: UInt64 = 1,
    applied: UInt64 = 0
  ) throws -> [UInt8] {
    let status = try disk.status(of: folder("Trip.pkg"))
    return try JournalFile.encoded(
      [(body, contents, count)], from: sequence, committed: sequence, applied: applied,
      inode: isBound ? status.identity.inode : 1, born: isBound ? status.born : nil)
  }

  /// Returns an operation that puts a file of these bytes, or of the staged file, at a path.
  func put(
    _ path: [FileName], staged: FileName = "staged", mode: UInt16 = 0o644, bytes: String? = "hostile",
    size: UInt64? = nil, kind: FileKind = .file, old: JournalRecord.Known? = nil,
    seconds: Int64 = 1_000_000_000
  ) -> JournalRecord.Operation {
    let content = Array((bytes ?? "staged").utf8)
    let node = JournalRecord.Known(
      kind: kind, inode: 0, size: size ?? UInt64(content.count),
      modified: FileTime(seconds: seconds, nanoseconds: 0), content: ContentHash(of: content))
    let staged = JournalRecord.Staged(
      name: staged, node: node, mode: mode, bytes: bytes == nil ? nil : content)
    return JournalRecord.Operation(path: PackagePath(path), action: .put(staged), old: old)
  }

  func remove(_ path: [FileName], staged: FileName = "gone") throws -> JournalRecord.Operation {
    JournalRecord.Operation(path: PackagePath(path), action: .remove(staged), old: try known(path))
  }

  /// Returns the node at a path in the form of a record that was made over it.
  func known(_ path: [FileName]) throws -> JournalRecord.Known? {
    let names = path.dropLast().map { "/\($0.string)" }.joined()
    guard let name = path.last, let status = try? disk.status(of: name, in: folder("Trip.pkg" + names)) else {
      return nil
    }
    return JournalRecord.Known(
      kind: status.kind, inode: status.identity.inode, size: status.size, modified: status.modified,
      content: nil)
  }
}
