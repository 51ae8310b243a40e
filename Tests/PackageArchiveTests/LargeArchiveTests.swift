import DurableIO
import FilePackages
import Foundation
import PackageArchive
import TestSupport
import Testing

/// Whether `LARGE_ARCHIVES=1` asks for tests that take minutes and gigabytes.
private let allLarge = ProcessInfo.processInfo.environment["LARGE_ARCHIVES"] == "1"

@Suite("Archives beyond what 16 and 32 bits count", .tags(.process, .scale), .serialized, .temporaryDirectory)
struct LargeArchiveTests {
  /// Tests a file of 3 GB with ten bytes in it, in archives of some kilobytes.
  @Test(arguments: allLarge ? RoundTripTests.survivals.map(\.format) : [.tarZstd])
  func `have a file of 3 GB that is nearly all hole`(_ format: ArchiveFormat) async throws {
    try fixture.makePackage(["a.txt": "a"])
    let size: UInt64 = 3 << 30
    let place: UInt64 = 2_500_000_000
    let file = try FileHandle(forUpdating: Self.made(fixture.url("Trip.pack/hole.bin")))
    try file.seek(toOffset: place)
    try file.write(contentsOf: Data("in between".utf8))
    try file.truncate(atOffset: size)
    let report = try await fixture.export("a", as: format)
    #expect(report.bytes == size + 1 && (format == .tar || report.archiveBytes < 16 << 20))
    try await fixture.take("a", options: with(.init()) { $0.limits.ratio = .max })
    let back = try FileHandle(forReadingFrom: fixture.url("Back.pack/hole.bin"))
    #expect(try back.seekToEnd() == size)
    try back.seek(toOffset: place)
    #expect(try back.read(upToCount: 10) == Data("in between".utf8))
    let status = try run("du", ["-k", "Back.pack/hole.bin"], in: fixture.folder)
    #expect(Int(status.output.prefix { $0.isNumber }).map { $0 < 4096 } == true, "\(status.output)")
    let same = try run("cmp", ["Trip.pack/hole.bin", "Back.pack/hole.bin"], in: fixture.folder)
    #expect(same.status == 0, "\(same.output)")
  }

  @Test(.enabled(if: allLarge, "LARGE_ARCHIVES=1 runs it"))
  func `have more than 65,535 entries`() async throws {
    let files = (0..<66_000).map { (FileName("\($0)"), TestTree.file(Array("\($0)".utf8))) }
    try fixture.makePackage(.directory(Dictionary(uniqueKeysWithValues: files)))
    try await check(fixture, entries: 66_001)
  }

  @Test(.enabled(if: allLarge, "LARGE_ARCHIVES=1 runs it"))
  func `have entries, and their directory, beyond 4 GiB`() async throws {
    try fixture.makePackage(["z.txt": "the last one"])
    let file = try FileHandle(forUpdating: Self.made(fixture.url("Trip.pack/large.bin")))
    try file.truncate(atOffset: 9 << 29)
    try await check(fixture, entries: 3, with(ExportOptions()) { $0.level = 0 })
  }

  private static func made(_ url: URL) throws -> URL {
    try Data().write(to: url)
    return url
  }

  /// Exports to a zip, reads it with every program that reads zips, and imports it.
  private func check(
    _ fixture: ArchiveFixture, entries: Int, _ options: ExportOptions = ExportOptions()
  ) async throws {
    #expect(try await fixture.export("a.zip", options: options).entries == entries)
    for reader in OtherProgramsTests.readers where reader.format == .zip {
      let result = try run(reader.program, reader.arguments + ["a.zip"], in: fixture.folder)
      #expect(result.status == 0, "\(reader.program): \(result.output.suffix(500))")
    }
    var taken = ImportOptions()
    taken.limits.ratio = .max
    taken.limits.bytes = .max
    #expect(try await fixture.take("a.zip", options: taken).entries == entries - 1)
    let same = try run("diff", ["-r", "Trip.pack", "Back.pack"], in: fixture.folder)
    #expect(same.status == 0, "\(same.output)")
  }
}
