import DurableIO
import FilePackages
import Foundation
import PackageArchive
import TestSupport
import Testing

@Suite("A tar.zst", .temporaryDirectory)
struct TarZstdTests {
  /// Sizes around those of a tar's records, of one block and of one piece that a thread compresses.
  private static let sizes = [0, 1, 511, 512, 513, 131_071, 131_072, 131_073, 8_388_607, 8_388_609]

  private static var tree: TestTree {
    var tree: TestTree = ["Folder": ["empty": [:]], "link": .link(Array("Folder".utf8))]
    for size in sizes {
      tree[FileName("noise \(size)")] = .file(ArchiveFixture.noise(size, seed: UInt64(size)))
      tree[FileName("zeros \(size)")] = .file([UInt8](repeating: 0, count: size))
    }
    // Text of several pieces.
    let text = (0..<900_000).map { "line \($0 &* 7919)\n" }.joined()
    tree["large text"] = .file(Array(text.utf8))
    return tree
  }

  @Test func `comes back as it was`() async throws {
    let report = try await fixture.makeArchive("a.tar.zst", of: Self.tree)
    let noise = Self.sizes.reduce(0, +)
    #expect(report.archiveBytes > noise && report.archiveBytes < report.bytes * 2 / 3)
    try await fixture.take("a.tar.zst")
    #expect(try fixture.tree("Back.pack") == fixture.tree("Trip.pack"))
    #expect(try fixture.dates("Back.pack") == fixture.dates("Trip.pack"))
  }

  private static let programs = Program.installed("zstd") == nil ? ["bsdtar"] : ["bsdtar", "tar"]

  @Test(arguments: programs)
  func `is unpacked by other programs`(_ program: String) async throws {
    try await fixture.makeArchive("a.tar.zst", of: Self.tree)
    try FileManager.default.createDirectory(at: fixture.url("Out"), withIntermediateDirectories: false)
    let result = try run(program, ["-xpf", "a.tar.zst", "-C", "Out"], in: fixture.folder)
    #expect(result.status == 0, "\(result.output.suffix(500))")
    #expect(try fixture.tree("Out/Trip.pack") == fixture.tree("Trip.pack"))
  }

  @Test func `has the tar that an export without compression makes`() async throws {
    try await fixture.makeArchive("a.tar.zst", of: Self.tree)
    try await fixture.export("a.tar")
    guard Program.installed("zstd") != nil else { return }
    #expect(try run("zstd", ["-qd", "a.tar.zst", "-o", "b.tar"], in: fixture.folder).status == 0)
    #expect(try fixture.bytes("a.tar") == fixture.bytes("b.tar"))
  }

  @Test(arguments: [nil, 12])
  func `with one byte changed anywhere is refused`(level: Int?) async throws {
    let text = (0..<9_000).map { "line \($0 &* 7919)\n" }.joined()
    try fixture.makePackage([
      "noise": .file(ArchiveFixture.noise(300_000, seed: 3)), "text": .file(Array(text.utf8)),
    ])
    try await fixture.export("whole.tar.zst", options: with(.init()) { $0.level = level })
    let whole = try fixture.bytes("whole.tar.zst")
    var generator = SeededGenerator(seed: 32)
    for _ in 0..<60 {
      let position = Int.random(in: 0..<whole.count, using: &generator)
      var changed = whole
      changed[position] ^= UInt8.random(in: 1...255, using: &generator)
      try changed.write(to: fixture.url("changed.tar.zst"))
      await #expect(throws: ArchiveError.self, "byte \(position) of \(whole.count)") {
        try await FileWrapper.importArchive(at: fixture.url("changed.tar.zst"))
      }
    }
    #expect(try await fixture.take("whole.tar.zst").entries == 2)
  }

  @Test(arguments: [0, 23, .max])
  func `has no other levels than 1 to 22`(level: Int) async throws {
    try fixture.makePackage(["a": "a"])
    let options = with(ExportOptions()) { $0.level = level }
    await expect(\ArchiveError.code, .unsupported) { try await fixture.export("a.tar.zst", options: options) }
  }

  @Test(arguments: [300_000, 400_000, 500_000])
  func `is not made if a child changed`(_ count: Int) async throws {
    try Data(ArchiveFixture.noise(400_000, seed: 1)).write(to: fixture.url("original"))
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    let child = try FileWrapper(regularFileWithContentsOf: fixture.url("original"))
    child.preferredFilename = "picture"
    tree.addFileWrapper(child)
    let snapshot = tree.snapshot()
    try Data(ArchiveFixture.noise(count, seed: 2)).write(to: fixture.url("original"))
    await expect(\FilePackageError.code, .changedOnDisk) {
      try await snapshot.export(to: fixture.url("a.tar.zst"))
    }
    #expect(try fixture.names == ["original"])
  }
}
