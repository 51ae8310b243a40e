import DurableIO
import Foundation
import PackageArchive
import TestSupport
import Testing

@Suite("A hostile archive's stream", .tags(.process))
struct HostileStreamsTests {
  private typealias Zip = ForgedZip
  private typealias Tar = ForgedTar

  // MARK: Memory

  @Test func `cannot ask for a dictionary that is larger than was allowed`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    try await expectRefused(ForgedXZ(content: tar, dictionary: 40).bytes, .limitExceeded)
    // The limit also holds for a second stream.
    let second = ForgedXZ(content: tar, dictionary: 8).bytes + ForgedXZ(content: [], dictionary: 40).bytes
    try await expectRefused(second, .limitExceeded)
    try await withFixture { fixture in
      for (name, dictionary) in [("small", UInt8(0)), ("as large as xz makes", 28)] {
        try Data(ForgedXZ(content: tar, dictionary: dictionary).bytes).write(to: fixture.url("a"))
        try await fixture.take("a", to: name)
        #expect(try fixture.tree(name) == ["a": "text"])
      }
    }
  }

  @Test func `in a zip cannot ask for a dictionary that is larger than was allowed`() async throws {
    let content = Array("content".utf8)
    var zip = Zip(.init("large", content))
    zip.entries[0].method = 95
    zip.entries[0].data = ForgedXZ(content: content, dictionary: 40).bytes
    try await expectRefused(zip.bytes, .limitExceeded, naming: "large")
    zip.entries[0].data = ForgedXZ(content: content, dictionary: 8).bytes
    try await withFixture { fixture in
      try Data(zip.bytes).write(to: fixture.url("a"))
      try await fixture.take("a")
      #expect(try fixture.tree("Back.pack") == ["large": "content"])
    }
    zip.entries[0].method = 14
    zip.entries[0].data = [9, 20, 5, 0, 0x5D] + little(UInt32.max) + ArchiveFixture.noise(20, seed: 2)
    try await expectRefused(zip.bytes, .limitExceeded, naming: "large")
  }

  @Test(.enabled(if: Program.installed("7z") != nil, "needs 7z"), arguments: ["off", "on"])
  func `of 7z cannot ask for a dictionary that is larger than was allowed`(compressedHeader: String)
    async throws
  {
    var options = ImportOptions()
    options.format = .sevenZip
    try await withFixture { fixture in
      try Data(ArchiveFixture.noise(2 << 20, seed: 7)).write(to: fixture.url("a"))
      let made = try run(
        "7z", ["a", "-md=2m", "-mhc=\(compressedHeader)", "a.7z", "a"], in: fixture.folder)
      try #require(made.status == 0)
      try await fixture.take("a.7z", options: options)
      let bytes = Array(try fixture.bytes("a.7z"))
      options.limits.dictionaryBytes = 1 << 20
      try await expectRefused(bytes, .limitExceeded, options: options)
      options.limits.dictionaryBytes = 2 << 20
      try await fixture.take("a.7z", to: "Again.pack", options: options)
      for suffix in [[0], Array("junk".utf8)] {
        try await expectRefused(bytes + suffix, .damaged, options: options)
      }
      try await expectRefused(Array(bytes.dropLast()), .damaged, options: options)
    }
  }

  // MARK: Ends

  @Test(arguments: [1, 100, 511, 512])
  func `cannot have something behind a tar's end`(count: Int) async throws {
    let tar = Tar(.init("a")).bytes
    try await expectRefused(tar + [UInt8](repeating: 0x41, count: count), .damaged)
    try await expectRefused(tar + [UInt8](repeating: 0, count: count - 1) + [1], .damaged)
    try await withFixture { fixture in
      try Data(tar + [UInt8](repeating: 0, count: count)).write(to: fixture.url("a"))
      try await fixture.take("a")
    }
  }

  @Test func `cannot have something behind its end`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    try await withFixture { fixture in
      try Data(tar).write(to: fixture.url("a.tar"))
      var streams = [gzip(tar), ForgedXZ(content: tar).bytes, forgedLZ4(tar)]
      for (name, end) in [("bzip2", "bz2"), ("zstd", "zst")] where Program.installed(name) != nil {
        try #require(try run(name, ["-k", "a.tar"], in: fixture.folder).status == 0)
        streams.append(Array(try fixture.bytes("a.tar.\(end)")))
      }
      for (number, stream) in streams.enumerated() {
        try Data(stream).write(to: fixture.url("whole"))
        try await fixture.take("whole", to: "\(number)")
        #expect(try fixture.tree("\(number)") == ["a": "text"])
        for suffix in [
          [0x41], Array("junk".utf8), Zip(.init("other")).bytes, ArchiveFixture.noise(300_000, seed: 3),
        ] {
          try await expectRefused(stream + suffix, .damaged)
        }
      }
    }
  }

  @Test func `may be several streams, one after the other`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    let (front, rear) = (Array(tar.prefix(600)), Array(tar.dropFirst(600)))
    try await withFixture { fixture in
      let streams = [
        gzip(front) + gzip(rear), forgedLZ4(front) + forgedLZ4(rear),
        ForgedXZ(content: front).bytes + ForgedXZ(content: rear).bytes,
        // Zeros may follow an xz stream, four at a time.
        ForgedXZ(content: front).bytes + [0, 0, 0, 0] + ForgedXZ(content: rear).bytes + [
          0, 0, 0, 0, 0, 0, 0, 0,
        ],
      ]
      for (number, stream) in streams.enumerated() {
        try Data(stream).write(to: fixture.url("a"))
        try await fixture.take("a", to: "\(number)")
        #expect(try fixture.tree("\(number)") == ["a": "text"])
      }
    }
  }

  // MARK: cpio

  /// Returns an entry in the form newc, or crc if there is a checksum.
  private func cpio(_ name: [UInt8], _ content: [UInt8], checksum: UInt32? = nil, mode: Int = 0o100644)
    -> [UInt8]
  {
    func hex(_ number: Int) -> [UInt8] {
      let text = String(number, radix: 16)
      return Array((String(repeating: "0", count: 8 - text.count) + text).utf8)
    }
    func padded(_ bytes: [UInt8]) -> [UInt8] {
      bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
    var header = Array((checksum == nil ? "070701" : "070702").utf8)
    for field in [1, mode, 0, 0, 1, 1_600_000_000, content.count, 0, 0, 0, 0, name.count + 1] {
      header += hex(field)
    }
    header += hex(Int(checksum ?? 0))
    return padded(header + name + [0]) + padded(content)
  }

  @Test func `of cpio is what its headers say, and nothing else`() async throws {
    var options = ImportOptions()
    options.format = .cpio
    let (name, content) = (Array("a".utf8), Array("text".utf8))
    let end = cpio(Array("TRAILER!!!".utf8), [])
    let sum = content.reduce(UInt32(0)) { $0 + UInt32($1) }
    for archive in [cpio(name, content) + end, cpio(name, content, checksum: sum) + end + [0, 0, 0]] {
      try await withFixture { fixture in
        try Data(archive).write(to: fixture.url("a"))
        try await fixture.take("a", options: options)
        #expect(try fixture.tree("Back.pack") == ["a": "text"])
      }
      try await expectRefused(archive + Array("junk".utf8), .damaged, options: options)
      try await expectRefused(archive + archive, .damaged, options: options)
    }
    try await expectRefused(
      cpio(name, content, checksum: sum + 1) + end, .damaged, naming: "a", options: options)
    try await expectRefused(cpio(name, content), .damaged, options: options)
    try await expectRefused(cpio(name + [0] + name, content) + end, .unsafeName, options: options)
    try await expectRefused(
      cpio(name, content) + Array("junk".utf8) + cpio(Array("b".utf8), content) + end, .damaged,
      options: options)
  }

  @Test(.enabled(if: Program.installed("bsdtar") != nil, "needs bsdtar"), arguments: ["newc", "odc", "bin"])
  func `of cpio is read in all its forms`(form: String) async throws {
    try await withFixture { fixture in
      var tree = ArchiveFixture.tree
      tree["Folder"]?[FileName("U\u{308}bung 2.txt")] = nil
      try fixture.makePackage(tree)
      let made = try run("bsdtar", ["--format", form, "-cf", "a.cpio", "Trip.pack"], in: fixture.folder)
      try #require(made.status == 0, "\(made.output)")
      var options = ImportOptions()
      options.format = .cpio
      try await fixture.take("a.cpio", options: options)
      #expect(try fixture.tree("Back.pack") == tree)
    }
  }

  // MARK: Names

  @Test func `cannot give one name in two headers`() async throws {
    let (gnu, pax) = (Array("gnu".utf8) + [0], Array("pax".utf8))
    let (name, link) = (UInt8(ascii: "L"), UInt8(ascii: "K"))
    var tar = Tar(.init("short"))
    tar.entries[0].gnu = [(name, gnu)]
    tar.entries[0].records = [("path", pax)]
    try await expectRefused(tar.bytes, .damaged, naming: "gnu")
    tar.entries[0].records = []
    tar.entries[0].gnu = [(name, gnu), (name, pax + [0])]
    try await expectRefused(tar.bytes, .damaged)
    tar = Tar(.init("a"), .init("link", type: "2", link: "a"))
    tar.entries[1].gnu = [(link, Array("a".utf8) + [0])]
    tar.entries[1].records = [("linkpath", Array("short".utf8))]
    try await expectRefused(tar.bytes, .damaged)
    tar = Tar(.init("short"))
    tar.entries[0].records = [("path", pax), ("path", Array("other".utf8))]
    try await expectRefused(tar.bytes, .damaged)
  }
}
