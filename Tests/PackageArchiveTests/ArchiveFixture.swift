import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

/// A folder with the package `Trip.pack` for the tests of archives, and with files that they make beside it.
struct ArchiveFixture {
  let folder: FilePath

  func url(_ name: String) -> URL { URL(filePath: folder.appending(name).string) }

  var package: URL { url("Trip.pack") }

  /// Makes a package of a tree, with dates that are not round.
  @discardableResult
  func makePackage(_ tree: TestTree = ArchiveFixture.tree, named name: String = "Trip.pack") throws -> URL {
    let disk = PosixDisk()
    let parent = try disk.openDirectory(at: folder)
    try tree.write(to: FileName(name), in: parent, of: disk)
    try setDates(disk.openDirectory(FileName(name), in: parent))
    try disk.setModified(Self.date(1), of: FileName(name), in: parent)
    return url(name)
  }

  private func setDates(_ directory: borrowing OwnedDescriptor) throws {
    let disk = PosixDisk()
    let listing = try disk.list(directory)
    for position in listing.sortedPositions() {
      let name = listing.name(at: position)
      if listing.kind(at: position) == .directory { try setDates(disk.openDirectory(name, in: directory)) }
      try disk.setModified(Self.date(position + 2), of: name, in: directory)
    }
  }

  static func date(_ number: Int) -> FileTime {
    FileTime(seconds: 1_600_000_000 + Int64(number), nanoseconds: 123_456_700 + UInt32(number % 10))
  }

  /// A tree with names that are not ASCII, not composed or of the greatest length. It has empty files and folders,
  /// links, modes, and bytes that do or do not compress.
  static let tree: TestTree = [
    "Text.txt": .file(Array(String(repeating: "Three valleys, one hut.\n", count: 4000).utf8)),
    "empty": .file([]),
    "program": .file(Array("#!/bin/sh\n".utf8), mode: 0o755),
    "secret": .file([1, 2, 3], mode: 0o600),
    "Folder": ["empty": [:], "Übung.txt": "composed", FileName("U\u{308}bung 2.txt"): "not composed"],
    "Images": ["noise.png": .file(noise(200_000, seed: 1)), "long": [longName: "at the end"]],
    "link": .link(Array("Images/noise.png".utf8)),
    "up": ["link": .link(Array("../Text.txt".utf8))],
  ]

  static let longName = FileName(String(repeating: "n", count: 251) + ".txt")
  static let unreadableName = FileName(bytes: Array("bad\u{20}".utf8) + [0xFF, 0xFE] + Array(".txt".utf8))

  /// The tree with a name that is not UTF-8, and a link to it.
  static var treeWithBytes: TestTree {
    var tree = tree
    tree[unreadableName] = "bytes"
    tree["link to bytes"] = .link(unreadableName.bytes)
    return tree
  }

  /// Returns bytes that do not compress, the same for each seed.
  static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    let words = (0..<(count + 7) / 8).map { _ in generator.next() }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
  }

  // MARK: Doing

  @discardableResult
  func export(
    _ archive: String, of package: String = "Trip.pack", as format: ArchiveFormat? = nil,
    options: ExportOptions = ExportOptions(), updating earlier: String? = nil
  ) async throws -> ExportReport {
    let store = try await PackageStore.open(at: url(package))
    let snapshot = await store.tree.snapshot()
    return try await snapshot.export(
      to: url(archive), as: format, options: options, updating: earlier.map { url($0) })
  }

  /// Makes a package of a tree, and exports it.
  @discardableResult
  func makeArchive(
    _ archive: String, of tree: TestTree = ArchiveFixture.tree, as format: ArchiveFormat? = nil,
    options: ExportOptions = ExportOptions()
  ) async throws -> ExportReport {
    try makePackage(tree)
    return try await export(archive, as: format, options: options)
  }

  @discardableResult
  func take(
    _ archive: String, to package: String = "Back.pack", options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await PackageStore.importArchive(at: url(archive), to: url(package), options: options)
  }

  /// Imports an archive of the given bytes, which is then at "a".
  @discardableResult
  func take(
    _ archive: [UInt8], to package: String = "Back.pack", options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try Data(archive).write(to: url("a"))
    return try await take("a", to: package, options: options)
  }

  /// Returns the report of an import that leaves nothing.
  func check(_ archive: String) async throws -> ImportReport {
    let names = try names
    let report = try await take(archive, to: "Dry run.pack", options: with(.init()) { $0.isDryRun = true })
    #expect(try self.names == names)
    return report
  }

  func tree(_ name: String) throws -> TestTree {
    try TestTree.read(folder.appending(name), of: PosixDisk())
  }

  func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url(name))
  }

  /// The names in the fixture.
  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.string)) }
  }

  /// Returns the dates of all nodes of a package by path; the package itself has the empty path.
  func dates(_ name: String) throws -> [String: FileTime] {
    var dates: [String: FileTime] = [:]
    try Self.read(PosixDisk().openDirectory(at: folder.appending(name)), "", into: &dates)
    return dates
  }

  private static func read(
    _ directory: borrowing OwnedDescriptor, _ path: String, into dates: inout [String: FileTime]
  ) throws {
    let disk = PosixDisk()
    dates[path] = try disk.status(of: directory).modified
    let listing = try disk.list(directory)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      let place = path + "/" + name.string
      if listing.kind(at: position) == .directory {
        try read(disk.openDirectory(name, in: directory), place, into: &dates)
      } else {
        dates[place] = try disk.status(of: name, in: directory).modified
      }
    }
  }
}

extension ArchiveFormat {
  /// The formats that come back.
  static let readable = allCases.filter(\.isReadable)
}

/// The fixture in the directory of the test.
var fixture: ArchiveFixture { ArchiveFixture(folder: folder) }

/// Runs `body` in a fixture of its own.
func withFixture(_ body: (ArchiveFixture) async throws -> Void) async throws {
  try await withTemporaryDirectory { folder in try await body(ArchiveFixture(folder: folder)) }
}

// MARK: - Other programs

/// Runs a program, and returns its standard output and error together, and its exit status.
@discardableResult
func run(_ name: String, _ arguments: [String], in folder: FilePath) throws -> Run {
  // Without this locale, some programs cannot write names that are not ASCII.
  var run = try #require(Program.installed(name)).run(
    arguments, in: folder, environment: ["LC_ALL": "C.UTF-8"])
  // The end is enough of a program's long output.
  run.output = String(decoding: (run.output + run.errors).utf8.suffix(20_000), as: UTF8.self)
  return run
}
