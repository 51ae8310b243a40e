import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// Opens a package with a log made from the bytes: as the whole file, as its only record, or as that record's
/// plan.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLog(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  return runFuzzedInput { try await run(bytes) }
}

private let scene: TestTree = [
  "Outside": ["secret.txt": "secret"],
  "Trip.pkg": [
    "a": "text a", "b": ["c": "text c", "d": .link(Array("../../Outside".utf8))],
    "e": .link(Array("/Outside".utf8)),
    ".docpkg": [
      "lock": "", "tmp": ["0-0": "staged", "0-1": .link(Array("/Outside".utf8)), "0-2": ["f": "in"]],
    ],
  ],
]

private func run(_ bytes: [UInt8]) async throws {
  let disk = try CrashDisk(scene)
  guard let flags = bytes.first else { return }
  try prepare(disk, flags, Plan(bytes.dropFirst()))
  let outside = disk.tree["Outside"]
  do {
    let store = try await PackageStore.open("/Trip.pkg", on: disk, logCapacity: 8 << 10)
    _ = try await store.verify()
    await store.tree.addRegularFile(withContents: Data("new".utf8), preferredFilename: "New.txt")
    _ = try await store.save()
    try await store.close()
  } catch is FilePackageError {
    // An error is a valid result.
  }
  precondition(disk.tree["Outside"] == outside, "something outside the package was changed")
}

/// Writes the log.
private func prepare(_ disk: CrashDisk, _ flags: UInt8, _ plan: Plan) throws {
  var status = try disk.status(of: disk.openDirectory(at: "/Trip.pkg"))
  var plan = plan
  var bytes = plan.all
  if flags & 3 != 0 {
    var record = SaveRecord(token: 0)
    var rows: [Change] = []
    if flags & 3 != 1 { while let row = try plan.row(on: disk) { rows.append(row) } }
    if flags & 32 != 0 { record.metadata = PackageMetadata() }
    // In any order, which a record refuses, or in the right one.
    if flags & 64 == 0 { rows.sort { $0.path < $1.path } }
    record.changes = Changes(rows, isComplete: flags & 128 != 0)
    let body = try flags & 3 == 1 ? bytes : record.encodedBody()
    let isPlist = { (row: Change) in record.metadata != nil && row.puts && row.path == "Metadata.plist" }
    let contents = rows.compactMap { isPlist($0) ? nil : $0.bytes }
    let count = flags & 3 == 1 ? Int(flags >> 5) : rows.count
    let sequence: UInt64 = flags & 16 == 0 ? 1 : .max
    if flags & 4 == 0 { (status.identity.inode, status.born) = (7, nil) }
    bytes = try ForgedLog(
      package: status, body: body, contents: contents, rows: count, sequence: sequence,
      applied: flags & 8 == 0 ? sequence - 1 : sequence
    ).bytes()
  }
  try disk.makeFile("log", bytes, in: disk.openDirectory(at: "/Trip.pkg/.docpkg"))
}

/// Takes decisions from bytes.
private struct Plan {
  private(set) var all: [UInt8]
  private var position = 0

  init(_ bytes: ArraySlice<UInt8>) { all = Array(bytes) }

  private mutating func next() -> UInt8? {
    guard position < all.count else { return nil }
    defer { position += 1 }
    return all[position]
  }

  private static let names: [FileName] = [
    "a", "b", "c", "d", "e", "f", "g", "Metadata.plist", "..", ".docpkg", "tmp", "0-0",
  ]
  private mutating func path() -> PackagePath? {
    guard let first = next() else { return nil }
    var names = [Self.names[Int(first >> 2) % Self.names.count]]
    for _ in 0..<(first & 3) {
      guard let byte = next() else { break }
      names.append(Self.names[Int(byte) % Self.names.count])
    }
    return PackagePath(first == 0xFF ? [] : names)
  }

  /// Returns a node that may exist on the disk or not.
  private mutating func known(_ folder: FilePath, _ name: FileName, on disk: CrashDisk) -> Entry? {
    guard let byte = next(), byte & 1 != 0 else { return nil }
    let time = FileTime(seconds: 1_000_000_000, nanoseconds: 0)
    var known = Entry(
      FileKind(rawValue: 1 + (byte >> 1) % 3) ?? .file,
      NodeAttributes(mode: UInt16(byte) << 4, modeIsExact: true, modified: time), size: UInt64(byte >> 3))
    known.inode = UInt64(byte >> 3)
    if byte & 8 != 0, let directory = try? disk.openDirectory(at: folder),
      let status = try? disk.status(of: name, in: directory)
    {
      known = Entry(status)
      if status.kind == .file, let bytes = try? disk.contents(of: name, in: directory) {
        known.content = ContentHash(of: bytes)
      }
    }
    return known
  }

  mutating func row(on disk: CrashDisk) throws -> Change? {
    guard let code = next(), let path = path(), position < all.count else { return nil }
    let name = path.name ?? "x"
    let folder = path.parent.names.reduce(FilePath("/Trip.pkg")) { $0.appending($1.string) }
    var row = Change(path)
    row.work = Change.Work(rawValue: code & 3) ?? .node
    (row.isNotedKnown, row.modeIsExact, row.hasDate) = (code & 4 != 0, code & 8 != 0, code & 16 != 0)
    row.found = known(folder, name, on: disk)
    row.noted = known(folder, name, on: disk)?.noted(at: path)
    row.new = known("/Trip.pkg/.docpkg/tmp", FileName("0-\((code >> 2) % 3)"), on: disk)
    if code & 32 != 0, let count = next(), var new = row.new {
      let inline = (0..<(count & 15)).map { UInt8(ascii: "a") + $0 }
      (new.size, new.content) = (UInt64(inline.count), ContentHash(of: inline))
      (row.new, row.bytes) = (new, inline)
    }
    return row
  }
}
