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
    ".docpkg": ["lock": "", "tmp": [staged: "staged"]],
  ]
  static let outside: TestTree = [
    "secret.txt": .file(Array("secret".utf8), mode: 0o600), "run": .file(Array("#!".utf8), mode: 0o755),
    "folder": ["f.txt": "f"], "tmp": ["t.txt": "t"], "lock": "", "log": "",
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

  func writeLog(_ bytes: [UInt8]) throws {
    try replace("log", in: "Trip.pkg/.docpkg") { try disk.makeFile("log", bytes, in: $0) }
  }

  /// The token in the names of staged files.
  private static let token: UInt64 = 1
  /// The name of the staged file of the first row.
  static let staged = SaveRecord(token: token).name(0)

  /// Returns a record with these rows, in their order.
  func record(_ rows: [Change]) -> SaveRecord {
    var record = SaveRecord(token: Self.token)
    record.changes = Changes(rows.sorted { $0.path < $1.path }, isComplete: false)
    return record
  }

  /// Returns a log with valid checksums and a record that waits to be published.
  func log(
    _ rows: [Change], isBound: Bool = true, sequence: UInt64 = 1, applied: UInt64 = 0
  ) throws -> [UInt8] {
    let record = record(rows)
    return try log(
      record.encodedBody(), record.changes.rows.compactMap(\.bytes), rows.count, isBound: isBound,
      sequence: sequence, applied: applied)
  }

  func log(
    _ body: [UInt8], _ contents: [[UInt8]], _ count: Int, isBound: Bool = true, sequence: UInt64 = 1,
    applied: UInt64 = 0
  ) throws -> [UInt8] {
    var status = try disk.status(of: folder("Trip.pkg"))
    if !isBound { (status.identity.inode, status.born) = (1, nil) }
    return try ForgedLog(
      package: status, body: body, contents: contents, rows: count, sequence: sequence, applied: applied
    ).bytes()
  }

  /// Returns a row that puts a file of these bytes, or of the staged file, at a path.
  func put(
    _ path: [FileName], mode: UInt16 = 0o644, bytes: String? = "hostile",
    size: UInt64? = nil, kind: FileKind = .file, old: Entry? = nil, seconds: Int64 = 1_000_000_000
  ) -> Change {
    let content = Array((bytes ?? "staged").utf8)
    var row = Change(PackagePath(path))
    (row.work, row.found, row.modeIsExact) = (.node, old, true)
    row.new = Entry(
      kind,
      NodeAttributes(mode: mode, modeIsExact: true, modified: FileTime(seconds: seconds, nanoseconds: 0)),
      size: size ?? UInt64(content.count), content: ContentHash(of: content))
    row.bytes = bytes == nil ? nil : content
    return row
  }

  func remove(_ path: [FileName]) throws -> Change {
    var row = Change(PackagePath(path))
    (row.work, row.found) = (.node, try known(path))
    return row
  }

  /// Returns a row that gives a folder another mode.
  func setMode(_ mode: UInt16, _ path: PackagePath) -> Change {
    var row = Change(path)
    row.work = .attributes
    row.set(NodeAttributes(mode: mode, modeIsExact: true, modified: nil))
    return row
  }

  /// Returns the node at a path in the form of a record that was made over it.
  func known(_ path: [FileName]) throws -> Entry? {
    let names = path.dropLast().map { "/\($0.string)" }.joined()
    guard let name = path.last, let status = try? disk.status(of: name, in: folder("Trip.pkg" + names)) else {
      return nil
    }
    return Entry(status)
  }
}
