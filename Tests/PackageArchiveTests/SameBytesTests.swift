import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("Two archives of the same package", .tags(.scale), .temporaryDirectory)
struct SameBytesTests {
  private static let reproducible = with(ExportOptions()) {
    $0.uniformDate = Date(timeIntervalSince1970: 1_700_000_000)
  }

  @Test(arguments: ArchiveFormat.allCases)
  func `have the same bytes`(_ format: ArchiveFormat) async throws {
    try await fixture.makeArchive("a", as: format)
    try await fixture.export("b", as: format)
    #expect(try fixture.bytes("a") == fixture.bytes("b"))
  }

  /// Each export waits for its threads, and the process has 255.
  @Test(.timeLimit(.minutes(60))) func `are made, although hundreds are made at once`() async throws {
    try fixture.makePackage()
    let fixture = fixture
    try await withThrowingTaskGroup { group in
      for number in 0..<300 { group.addTask { try await fixture.export("\(number)", as: .zip) } }
      try await group.waitForAll()
    }
    #expect(try fixture.bytes("299") == fixture.bytes("0"))
  }

  @Test(arguments: [ArchiveFormat.zip, .tarZstd, .tarXZ])
  func `have the same bytes on any number of threads`(_ format: ArchiveFormat) async throws {
    var tree = ArchiveFixture.tree
    let text = String(repeating: (0..<9000).map { "line \($0 &* 7919)\n" }.joined(), count: 80)
    tree["large text"] = .file(Array(text.utf8))
    tree["large noise"] = .file(ArchiveFixture.noise(9_000_000, seed: 3))
    try fixture.makePackage(tree)
    var options = ExportOptions()
    for threads in [1, 2, 5] {
      options.threads = threads
      try await fixture.export("\(threads)", as: format, options: options)
    }
    let one = try fixture.bytes("1")
    #expect(try fixture.bytes("2") == one && fixture.bytes("5") == one)
  }

  @Test(arguments: ArchiveFormat.allCases)
  func `have the same bytes where only dates and permissions differ, when that is asked for`(
    _ format: ArchiveFormat
  ) async throws {
    try fixture.makePackage()
    try FileManager.default.createDirectory(at: fixture.url("else"), withIntermediateDirectories: false)
    let other = ArchiveFixture(folder: fixture.folder.appending("else"))
    var tree = ArchiveFixture.tree
    tree["secret"] = .file([1, 2, 3], mode: 0o644)
    try other.makePackage(tree)
    let disk = PosixDisk()
    try disk.setModified(.now, of: "empty", in: disk.openDirectory(at: other.folder.appending("Trip.pack")))
    try await fixture.export("a", as: format, options: Self.reproducible)
    try await other.export("a", as: format, options: Self.reproducible)
    #expect(try fixture.bytes("a") == other.bytes("a"))
    try await fixture.export("b", as: format)
    #expect(try fixture.bytes("a") != fixture.bytes("b"))
  }

  @Test func `have the same bytes in a file and in a pipe`() async throws {
    try await fixture.makeArchive("a.zip")
    let store = try await PackageStore.open(at: fixture.package)
    let snapshot = await store.tree.snapshot()
    try Data().write(to: fixture.url("b"))
    let handle = try FileHandle(forWritingTo: fixture.url("b"))
    try await snapshot.export(to: .init(rawValue: handle.fileDescriptor), as: .zip)
    #expect(try fixture.bytes("a.zip") == fixture.bytes("b"))
  }

  // MARK: Updating

  private static var large: TestTree {
    var tree = ArchiveFixture.tree
    tree["Documents"] = .directory(
      Dictionary(
        uniqueKeysWithValues: (0..<40).map { number in
          (
            FileName("\(number).txt"),
            .file(Array("Text of \(number). ".utf8) + ArchiveFixture.noise(3000, seed: 9))
          )
        }))
    return tree
  }

  @Test(arguments: [nil, 1, 9])
  func `have the same bytes, whether one is made anew or from the other`(level: Int?) async throws {
    try fixture.makePackage(Self.large)
    let options = with(ExportOptions()) { $0.level = level }
    try await fixture.export("a.zip", options: options)
    let disk = PosixDisk()
    let package = try disk.openDirectory(at: fixture.folder.appending("Trip.pack"))
    try disk.removeFile("Text.txt", in: package)
    try disk.makeFile("Text.txt", Array("changed".utf8), in: package)
    try disk.makeFile("new", Array("new".utf8), in: package)
    try disk.removeFile("program", in: package)
    try disk.setMode(0o644, of: disk.openFile("secret", in: package))
    let report = try await fixture.export("a.zip", options: options, updating: "a.zip")
    try await fixture.export("b.zip", options: options)
    #expect(try fixture.bytes("a.zip") == fixture.bytes("b.zip"))
    // Three files are new or have other permissions; folders and links have no bytes to reuse.
    #expect(report.reused == report.entries - 3 - 7 - 2, "\(report)")
  }

  @Test func `differ where a file was changed and given its old date and size in the moment of the export`()
    async throws
  {
    try fixture.makePackage(["a.txt": "one"])
    let disk = PosixDisk()
    let package = try disk.openDirectory(at: fixture.folder.appending("Trip.pack"))
    var now = FileTime.now
    now.seconds += 3600
    try disk.setModified(now, of: "a.txt", in: package)
    try await fixture.export("a.zip")
    try disk.write(Array("two".utf8), to: disk.openFileForWriting("a.txt", in: package), at: 0)
    try disk.setModified(now, of: "a.txt", in: package)
    #expect(try await fixture.export("a.zip", updating: "a.zip").reused == 0)
    try await fixture.take("a.zip")
    #expect(try fixture.tree("Back.pack") == ["a.txt": "two"])
  }

  @Test(arguments: [1, 2, 3])
  func `differ where a file was changed and given its old date, if it was new in the export`(
    seconds: Int64
  ) async throws {
    try fixture.makePackage(["a.txt": "one"])
    let disk = PosixDisk()
    let package = try disk.openDirectory(at: fixture.folder.appending("Trip.pack"))
    let date = try disk.status(of: "a.txt", in: package).modified
    try await fixture.export("a.zip")
    // The export was made so many seconds after the file.
    let made = FileTime(seconds: date.seconds + seconds, nanoseconds: 0)
    try disk.setModified(made, of: "a.zip", in: disk.openDirectory(at: fixture.folder))
    let isOld = seconds > 2
    if !isOld {
      try disk.write(Array("two".utf8), to: disk.openFileForWriting("a.txt", in: package), at: 0)
      try disk.setModified(date, of: "a.txt", in: package)
    }
    #expect(try await fixture.export("a.zip", updating: "a.zip").reused == (isOld ? 1 : 0))
    try await fixture.take("a.zip")
    #expect(try fixture.tree("Back.pack") == ["a.txt": isOld ? "one" : "two"])
  }

  @Test func `with one date for all are compared by checksums`() async throws {
    try await fixture.makeArchive("a.zip", of: ["a.txt": "one", "b.txt": "one"], options: Self.reproducible)
    try fixture.makePackage(["a.txt": "two", "b.txt": "one"], named: "Other.pack")
    var options = Self.reproducible
    options.topFolder = .named("Trip.pack")
    let report = try await fixture.export("a.zip", of: "Other.pack", options: options, updating: "a.zip")
    #expect(report.reused == 1)
    try await fixture.export("b.zip", of: "Other.pack", options: options)
    #expect(try fixture.bytes("a.zip") == fixture.bytes("b.zip"))
  }

  @Test func `take nothing from one that was made at another level or by another program`() async throws {
    try fixture.makePackage()
    try await fixture.export("a.zip", options: with(.init()) { $0.level = 9 })
    #expect(try await fixture.export("a.zip", updating: "a.zip").reused == 0)
    try await fixture.export("b.zip")
    #expect(try fixture.bytes("a.zip") == fixture.bytes("b.zip"))
  }

  @Test(arguments: [0, 6])
  func `are not made from a damaged entry of one`(level: Int) async throws {
    let options = with(ExportOptions()) { $0.level = level }
    let text = (0..<500).map { "line \($0 &* 7919)\n" }.joined()
    let tree: TestTree = ["a.txt": .file(Array(text.utf8)), "b.txt": "whole"]
    try await fixture.makeArchive("a.zip", of: tree, options: options)
    let good = try fixture.bytes("a.zip")
    let name = try #require(good.range(of: Data("a.txt".utf8)))
    var bad = good
    bad[name.upperBound + 40] ^= 1
    try bad.write(to: fixture.url("a.zip"))
    #expect(try await fixture.export("a.zip", options: options, updating: "a.zip").reused == 1)
    #expect(try fixture.bytes("a.zip") == good)
  }

  @Test func `are not made from a damaged one`() async throws {
    try await fixture.makeArchive("a.zip")
    let bytes = try fixture.bytes("a.zip")
    try bytes.dropLast(9).write(to: fixture.url("a.zip"))
    await expect(\ArchiveError.code, .damaged) { try await fixture.export("a.zip", updating: "a.zip") }
    #expect(try fixture.bytes("a.zip") == bytes.dropLast(9))
  }
}
