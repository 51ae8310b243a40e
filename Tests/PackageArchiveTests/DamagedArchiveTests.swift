import DurableIO
import FilePackages
import Foundation
import PackageArchive
import TestSupport
import Testing

@Suite("A damaged archive", .tags(.scale), .temporaryDirectory)
struct DamagedArchiveTests {
  private static let tree: TestTree = [
    "Text.txt": .file(Array(String(repeating: "Some text. ", count: 30).utf8)),
    "noise": .file(ArchiveFixture.noise(300, seed: 3)), "Folder": ["empty": [:]],
    "link": .link(Array("noise".utf8)),
  ]

  @Test(arguments: [ArchiveFormat.zip, .tar, .tarGzip, .tarXZ, .tarZstd])
  func `that is cut short anywhere is refused, and nothing is left`(_ format: ArchiveFormat) async throws {
    try await fixture.makeArchive("whole", of: Self.tree, as: format)
    let whole = try fixture.bytes("whole")
    // The last of a tar's two empty blocks carries no information.
    let needed = format == .tar ? whole.count - 512 : whole.count
    for count in stride(from: 0, to: needed, by: format == .tar ? 101 : 23) {
      try whole.prefix(count).write(to: fixture.url("cut"))
      await #expect(throws: ArchiveError.self, "\(count) of \(whole.count)") { try await fixture.take("cut") }
    }
    #expect(try fixture.names == ["Trip.pack", "whole", "cut"])
  }

  /// A plain tar has no checksum of contents.
  @Test(arguments: [ArchiveFormat.zip, .tarGzip, .tarXZ, .tarZstd])
  func `with one bit changed is refused, or nothing in it is other than it was`(_ format: ArchiveFormat)
    async throws
  {
    try await fixture.makeArchive("whole", of: Self.tree, as: format)
    let whole = try fixture.bytes("whole")
    let expected = try fixture.tree("Trip.pack")
    var refused = 0
    // These positions hit each field, and each in another bit.
    let positions = stride(from: 0, to: whole.count, by: 7)
    for position in positions {
      var flipped = whole
      flipped[position] ^= 1 << (position % 8)
      try flipped.write(to: fixture.url("flipped"))
      do {
        let tree = try await FileWrapper.importArchive(at: fixture.url("flipped"))
        try tree.write(to: fixture.url("Back.pack"), options: .atomic, originalContentsURL: nil)
        let back = try fixture.tree("Back.pack")
        // A zip has no checksum for permissions and for flags of a name.
        #expect(format == .zip ? back.contents == expected.contents : back == expected, "byte \(position)")
      } catch is ArchiveError {
        refused += 1
      }
    }
    #expect(refused * 14 > whole.count, "\(refused) of \(whole.count / 7)")
  }

  @Test func `that an export updates makes no other bytes than a fresh export, or is refused`() async throws {
    try await fixture.makeArchive("whole.zip", of: Self.tree)
    let whole = try fixture.bytes("whole.zip")
    var made = 0
    for position in stride(from: 0, to: whole.count, by: 5) {
      var flipped = whole
      flipped[position] ^= 1 << (position % 8)
      try flipped.write(to: fixture.url("a.zip"))
      do {
        try await fixture.export("a.zip", updating: "a.zip")
        #expect(try fixture.bytes("a.zip") == whole, "byte \(position)")
        made += 1
      } catch is ArchiveError {}
    }
    #expect(made * 10 > whole.count)
  }

  @Test(arguments: ArchiveFormat.allCases.filter(\.isReadable))
  func `of a beginning and then noise ends nothing`(_ format: ArchiveFormat) async throws {
    try await fixture.makeArchive("whole", of: Self.tree, as: format)
    // A tar has its mark in the first block, and the others have theirs in the first bytes.
    let beginning = try fixture.bytes("whole").prefix(format == .tar ? 512 : 6)
    for seed in 0..<8 {
      let noise = ArchiveFixture.noise(2900 * seed, seed: UInt64(seed))
      try Data(beginning + noise).write(to: fixture.url("noise"))
      await #expect(throws: ArchiveError.self) { try await fixture.take("noise") }
    }
    #expect(try fixture.names == ["Trip.pack", "whole", "noise"])
  }
}

extension TestTree {
  /// The bytes of all files, without their permissions.
  fileprivate var contents: [[UInt8]] {
    switch self {
    case .file(let bytes, _): [bytes]
    case .link(let target): [target]
    case .directory(let entries): entries.sorted { $0.key < $1.key }.flatMap(\.value.contents)
    case .other: []
    }
  }
}
