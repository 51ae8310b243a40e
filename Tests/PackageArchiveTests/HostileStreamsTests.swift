import DurableIO
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("A hostile archive's stream", .tags(.process), .temporaryDirectory)
struct HostileStreamsTests {
  // MARK: Memory

  @Test func `cannot ask for a dictionary that is larger than was allowed`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    try await expectRefused(ForgedXZ(content: tar, dictionary: 40).bytes, .limitExceeded)
    // The limit also holds for a second stream.
    let second = ForgedXZ(content: tar, dictionary: 8).bytes + ForgedXZ(content: [], dictionary: 40).bytes
    try await expectRefused(second, .limitExceeded)
    for (name, dictionary) in [("small", UInt8(0)), ("as large as xz makes", 28)] {
      try await fixture.take(ForgedXZ(content: tar, dictionary: dictionary).bytes, to: name)
      #expect(try fixture.tree(name) == ["a": "text"])
    }
  }

  @Test func `in a zip cannot be xz, or ask for a dictionary that is larger than was allowed`() async throws {
    let content = Array("content".utf8)
    var zip = Zip(.init("large", content))
    zip.entries[0].method = 95
    zip.entries[0].data = ForgedXZ(content: content).bytes
    try await expectRefused(zip.bytes, .unsupported, naming: "large")
    zip.entries[0].method = 14
    zip.entries[0].data = [9, 20, 5, 0, 0x5D] + little(UInt32.max) + ArchiveFixture.noise(20, seed: 2)
    try await expectRefused(zip.bytes, .limitExceeded, naming: "large")
  }

  @Test func `cannot have a dictionary beyond another limit`() async throws {
    let options = with(ImportOptions()) { $0.limits.dictionaryBytes = 1 << 20 }
    let tar = Tar(.init("a", "text")).bytes
    try await withFixture { fixture in
      try await fixture.take(ForgedXZ(content: tar, dictionary: 16).bytes, options: options)
      #expect(try fixture.tree("Back.pack") == ["a": "text"])
    }
    try await expectRefused(ForgedXZ(content: tar, dictionary: 17).bytes, .limitExceeded, options: options)
  }

  // MARK: Ends

  @Test(arguments: [1, 100, 511, 512])
  func `cannot have something behind a tar's end`(count: Int) async throws {
    let tar = Tar(.init("a")).bytes
    try await expectRefused(tar + [UInt8](repeating: 0x41, count: count), .damaged)
    try await expectRefused(tar + [UInt8](repeating: 0, count: count - 1) + [1], .damaged)
    try await fixture.take(tar + [UInt8](repeating: 0, count: count))
  }

  @Test func `cannot have something behind its end`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    try Data(tar).write(to: fixture.url("a.tar"))
    var streams = [gzip(tar), ForgedXZ(content: tar).bytes]
    if Program.installed("zstd") != nil {
      try #require(try run("zstd", ["-k", "a.tar"], in: fixture.folder).status == 0)
      streams.append(Array(try fixture.bytes("a.tar.zst")))
    }
    for (number, stream) in streams.enumerated() {
      try await fixture.take(stream, to: "\(number)")
      #expect(try fixture.tree("\(number)") == ["a": "text"])
      for suffix in [
        [0x41], Array("junk".utf8), Zip(.init("other")).bytes, ArchiveFixture.noise(300_000, seed: 3),
      ] {
        try await expectRefused(stream + suffix, .damaged)
      }
    }
  }

  @Test func `may be several streams, one after the other`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    let (front, rear) = (Array(tar.prefix(600)), Array(tar.dropFirst(600)))
    let streams = [
      gzip(front) + gzip(rear),
      ForgedXZ(content: front).bytes + ForgedXZ(content: rear).bytes,
      // Zeros may follow an xz stream, four at a time.
      ForgedXZ(content: front).bytes + [0, 0, 0, 0] + ForgedXZ(content: rear).bytes + [
        0, 0, 0, 0, 0, 0, 0, 0,
      ],
    ]
    for (number, stream) in streams.enumerated() {
      try await fixture.take(stream, to: "\(number)")
      #expect(try fixture.tree("\(number)") == ["a": "text"])
    }
  }

  // MARK: Other formats

  @Test(arguments: [
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "7z x FILE"), (Array("Rar!\u{1A}\u{7}".utf8), "unrar x FILE"),
    (Array("070701".utf8), "cpio -id < FILE"), (Array("BZh9".utf8), "tar xjf FILE"),
    ([0x04, 0x22, 0x4D, 0x18], "bsdtar xf FILE"),
  ])
  func `that is not read names the program that unpacks it`(start: [UInt8], command: String) async throws {
    let error = await #expect(throws: ArchiveError.self) {
      try await fixture.take(start + [UInt8](repeating: 1, count: 600))
    }
    #expect(error?.code == .unsupported && error?.reason.hasSuffix("unpack it with '\(command)'") == true)
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

  @Test func `ends while a FIFO has no writer, if the task is cancelled`() async throws {
    let fifo = fixture.folder.appending("fifo")
    #expect(try Program(path: "/usr/bin/mkfifo").run([fifo.string]).status == 0)
    let task = Task { try await fixture.take("fifo") }
    // The import has opened it, and waits for bytes.
    try await waitUntil("open FIFO") {
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return open.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == fifo.string
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try fixture.names == ["fifo"])
  }
}
