import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("A hostile archive's entries", .temporaryDirectory)
struct HostileEntriesTests {
  // MARK: Kinds

  @Test(arguments: ["3", "4", "6"])
  func `cannot have devices and FIFOs`(type: Character) async throws {
    // An entry of another kind does not pass (EC3).
    try await expectRefused(Tar(.init("x"), .init("node", type: type)).bytes, .unsafeKind, naming: "node")
  }

  @Test(arguments: [UInt32(0o010644), 0o020644, 0o060644, 0o140644])
  func `cannot have devices, FIFOs and sockets in a zip`(mode: UInt32) async throws {
    try await expectRefused(Zip(.init("node", [], mode: mode)).bytes, .unsafeKind, naming: "node")
  }

  @Test(arguments: [UInt32(0o104755), 0o102755, 0o106755])
  func `makes no program that runs as somebody else, and says so`(mode: UInt32) async throws {
    let archives = [
      Zip(.init("program", [1], mode: mode)).bytes,
      Tar(.init("program", "\u{1}", mode: Int(mode & 0o7777))).bytes,
    ]
    for bytes in archives {
      try await withFixture { fixture in
        let report = try await fixture.take(bytes)
        #expect(report.privileged == ["program"])
        #expect(report.description.hasSuffix(", without set-user-ID and set-group-ID: program"))
        #expect(try fixture.tree("Back.pack") == ["program": .file([1], mode: 0o755)])
        let tree = try await FileWrapper.importArchive(at: fixture.url("a"))
        try tree.write(to: fixture.url("Memory.pack"), originalContentsURL: nil)
        #expect(try fixture.tree("Memory.pack") == ["program": .file([1], mode: 0o755)])
      }
    }
  }

  @Test(arguments: [".docpkg", ".DOCPKG"], ["", "Top/"])
  func `has its hidden folder left out, however it is written`(name: String, top: String) async throws {
    let inside = Tar(
      .init("\(top)a", "x"), .init("\(top)\(name)/log", "planted"),
      .init("\(top)\(name)/link", type: "2", link: "../../log")
    ).bytes
    let file = Zip(.init("\(top)a", [0x78]), .init("\(top)\(name)")).bytes
    let linked = Tar(.init("\(top)a", "x"), .init("\(top)\(name)", type: "2", link: "a")).bytes
    let zipped = Zip(.init("\(top)a", [0x78]), .link("\(top)\(name)", to: "../../etc")).bytes
    for (number, bytes) in [inside, file, linked, zipped].enumerated() {
      try await withFixture { fixture in
        let report = try await fixture.take(bytes, to: "Back.pack")
        #expect(try fixture.tree("Back.pack") == ["a": "x"])
        #expect(report.leftOut == [name], "\(number)")
        #expect(report.entries == 1 && report.bytes == 1, "\(number): \(report)")
        let checked = try await fixture.check("a")
        #expect(checked == report, "\(number)")
        let tree = try await FileWrapper.importArchive(at: fixture.url("a"))
        #expect(try tree.childNames() == ["a"])
      }
    }
  }

  @Test(
    arguments: ["A.pack/.docpkg", "Top/sub/A.pack/.DOCPKG", "Top/.docpkg-0123456789abcdef.old"],
    [true, false])
  func `has the hidden folders of documents in it left out, at any depth`(
    name: String, hasTwoTops: Bool
  ) async throws {
    var tar = Tar(
      .init("Top/a", "x"), .init("\(name)/history", "planted"),
      .init("\(name)/link", type: "2", link: "../../../../etc"), .init("Top/sub/A.pack/b", "y"))
    if hasTwoTops { tar.entries.append(.init("Other/a", "x")) }
    let report = try await fixture.take(tar.bytes)
    let top: TestTree = ["a": "x", "sub": ["A.pack": ["b": "y"]]]
    #expect(try fixture.tree("Back.pack") == (hasTwoTops ? ["Top": top, "Other": ["a": "x"]] : top))
    #expect(report.leftOut == [!hasTwoTops && name.hasPrefix("Top/") ? String(name.dropFirst(4)) : name])
    #expect(report.leftOutEntries == 2 && report.entries == (hasTwoTops ? 7 : 4))
    let tree = try await FileWrapper.importArchive(at: fixture.url("a"))
    #expect(try tree.childNames().count == 2)
    var options = ImportOptions()
    options.includesHistory = true
    options.allowsLinksOutside = true
    #expect(try await fixture.take("a", to: "Whole.pack", options: options).leftOut.isEmpty)
  }

  @Test func `has what is left out counted by itself`() async throws {
    let noise = ArchiveFixture.noise(900, seed: 3)
    var options = ImportOptions()
    options.limits.bytes = 1000
    options.limits.entries = 2
    var tar = Tar(.init("Top/", type: "5"), .init("Top/.docpkg/x"), .init("Top/a"))
    for index in 1...2 { tar.entries[index].content = noise }
    try await withFixture { fixture in
      let report = try await fixture.take(tar.bytes, options: options)
      #expect(report.entries == 1 && report.bytes == 900)
      #expect(report.description.contains("left out: .docpkg"))
    }
    // The omitted share has a limit of its own, so that reading ends.
    tar = Tar(.init("Top/.docpkg/x"), .init("Top/.docpkg/y"), .init("Top/a", "x"))
    for index in 0...1 { tar.entries[index].content = noise }
    try await expectRefused(tar.bytes, .limitExceeded, options: options)
  }

  @Test func `of which nothing is left is refused`() async throws {
    let double: [UInt8] = [0, 5, 0x16, 7] + ArchiveFixture.noise(100, seed: 3)
    try await expectRefused(Zip(.init("__MACOSX/._a", double), .init("._b", double)).bytes, .empty)
    try await expectRefused(Tar(.init(".docpkg/log", "x")).bytes, .empty)
    try await expectRefused(Tar(.init("Top/.docpkg/log", "x")).bytes, .empty)
  }

  @Test func `has files left out that a Mac made, and no others of such names`() async throws {
    let double: [UInt8] = [0, 5, 0x16, 7] + ArchiveFixture.noise(100, seed: 3)
    let zip = Zip(
      .init("._Top", double), .init("Top/a", [0x78]), .init("Top/._a", double), .init("Top/._b", [0x79]),
      .init("Top/._c", []), .init("Top/._d/e", [0x7A]), .link("Top/._f", to: "a"))
    let report = try await fixture.take(zip.bytes)
    #expect(
      try fixture.tree("Back.pack") == [
        "a": "x", "._b": "y", "._c": "", "._d": ["e": "z"], "._f": .link(Array("a".utf8)),
      ])
    #expect(report.leftOut == ["._Top", "Top/._a"])
    #expect(report.entries == 6 && report.bytes == 3)
    // The new package has no child that the import leaves out.
    var options = ImportOptions(topFolder: .isKept)
    options.checkingChildren = { #expect($0 == ["Top"]) }
    try await fixture.take("a", to: "Kept.pack", options: options)
    options.topFolder = .becomesPackage
    options.checkingChildren = { #expect($0 == ["a", "._b", "._c", "._d", "._f"]) }
    try await fixture.take("a", to: "Checked.pack", options: options)
  }

  // MARK: Numbers

  @Test(arguments: [false, true])
  func `counts folders that have no entry, too`(isZip: Bool) async throws {
    let path = "Top/a/b/c/file"
    let bytes = isZip ? Zip(.init(path)).bytes : Tar(.init(path)).bytes
    try await expectRefused(
      bytes, .limitExceeded, naming: path, options: with(ImportOptions()) { $0.limits.entries = 4 })
    try Data(bytes).write(to: fixture.url("a"))
    let report = try await fixture.take("a", options: with(ImportOptions()) { $0.limits.entries = 5 })
    #expect(report.entries == 4)
  }

  @Test func `counts a place once, however often it has an entry`() async throws {
    let tar = Tar(
      .init("Top/a/x"), .init("Top/a/", type: "5", mode: 0o755), .init("Top/a/", type: "5", mode: 0o755),
      .init("Top/", type: "5"), .init("Top/l", type: "2", link: "a"),
      .init("Top/l", type: "2", link: "a/x"))
    try Data(tar.bytes).write(to: fixture.url("a"))
    let report = try await fixture.take("a", options: with(ImportOptions()) { $0.limits.entries = 6 })
    #expect(report.entries == 3)
    #expect(try fixture.tree("Back.pack") == ["a": ["x": ""], "l": .link(Array("a/x".utf8))])
    // Each further entry takes time.
    try await expectRefused(
      tar.bytes, .limitExceeded, naming: "Top/l", options: with(ImportOptions()) { $0.limits.entries = 5 })
  }

  @Test func `has destinations of links counted like names`() async throws {
    let options = with(ImportOptions()) { $0.limits.nameBytes = 20 }
    let target = String(repeating: "t", count: 20)
    for bytes in [Tar(.init("l", type: "2", link: target)).bytes, Zip(.link("l", to: target)).bytes] {
      try await expectRefused(bytes, .limitExceeded, naming: "l", options: options)
    }
  }

  @Test func `cannot have an attribute that no disk holds, and the error names the folder`() async throws {
    var tar = Tar(.init("Top/a/", type: "5"))
    tar.entries[0].records = [("SCHILY.xattr.user.large", [UInt8](repeating: 0x78, count: 70_000))]
    try Data(tar.bytes).write(to: fixture.url("a"))
    let error = await #expect(throws: ArchiveError.self) { try await fixture.take("a") }
    #expect(error?.entry == "Top/a/")
    #expect(try fixture.names == ["a"])
  }

  @Test(.tags(.process))
  func `cannot leave a folder that its owner may not open, if the import fails`() async throws {
    let tar = Tar(.init("Top/a", "x"), .init("Top/closed/", type: "5", mode: 0))
    try Data(tar.bytes).write(to: fixture.url("a"))
    let path = fixture.folder.string
    chmod(path, 0o777)
    await #expect(processExitsWith: .success) { [path = path as String] in
      // The superuser may open every folder, so the child process runs as user 65534.
      if geteuid() == 0 { #expect(seteuid(65534) == 0) }
      var options = ImportOptions()
      // Another program takes the place meanwhile.
      options.checkingChildren = { _ in #expect(mkdir(path + "/Back.pack", 0o755) == 0) }
      await #expect(throws: ArchiveError.self) {
        try await PackageStore.importArchive(
          at: URL(filePath: path + "/a"), to: URL(filePath: path + "/Back.pack"), options: options)
      }
    }
    #expect(try fixture.names == ["a", "Back.pack"])
    try await fixture.take("a", to: "Whole.pack")
    let package = try PosixDisk().openDirectory(at: fixture.folder.appending("Whole.pack"))
    #expect(try PosixDisk().status(of: "closed", in: package).mode & 0o777 == 0)
    chmod(path + "/Whole.pack/closed", 0o755)
  }

  // MARK: Sizes

  @Test func `cannot become much larger than it is`() async throws {
    let zeros = [UInt8](repeating: 0, count: 40 << 20)
    try await expectRefused(Zip(.deflated("bomb", zeros)).bytes, .limitExceeded, naming: "bomb")
    let tar = gzip(Tar(.init("bomb", String(repeating: "\u{1}", count: 40 << 20))).bytes)
    try await expectRefused(tar, .limitExceeded)
    let options = with(ImportOptions()) { $0.limits.bytes = 1000 }
    let noise = ArchiveFixture.noise(1001, seed: 1)
    try await expectRefused(
      Zip(.init("large", noise)).bytes, .limitExceeded, naming: "large", options: options)
    var large = Tar(.init("large"))
    large.entries[0].content = noise
    try await expectRefused(large.bytes, .limitExceeded, naming: "large", options: options)
  }

  @Test func `cannot have more bytes of attributes than were allowed`() async throws {
    var tar = Tar(.init("a"), .init("b", type: "5"))
    for index in 0...1 {
      tar.entries[index].records = [("SCHILY.xattr.user.note", ArchiveFixture.noise(600, seed: 5))]
    }
    let options = with(ImportOptions()) { $0.limits.bytes = 1000 }
    try await expectRefused(tar.bytes, .limitExceeded, naming: "b", options: options)
  }

  @Test func `cannot have a hole that is larger than what was allowed`() async throws {
    // An old GNU sparse file has a map with one piece at 8 TiB.
    var tar = Tar(.init("sparse", "x"))
    tar.entries[0].records = [
      ("GNU.sparse.major", Array("0".utf8)), ("GNU.sparse.minor", Array("1".utf8)),
      ("GNU.sparse.name", Array("sparse".utf8)), ("GNU.sparse.size", Array("8796093022208".utf8)),
      ("GNU.sparse.numblocks", Array("1".utf8)), ("GNU.sparse.map", Array("0,1".utf8)),
    ]
    try await expectRefused(tar.bytes, .limitExceeded, naming: "sparse")
  }

  @Test func `cannot have more entries than were allowed`() async throws {
    let options = with(ImportOptions()) { $0.limits.entries = 2 }
    try await expectRefused(Zip(.init("a"), .init("b"), .init("c")).bytes, .limitExceeded, options: options)
    try await expectRefused(
      Tar(.init("a"), .init("b"), .init("c")).bytes, .limitExceeded, naming: "c", options: options)
  }

  @Test func `cannot lie about a size`() async throws {
    let content = [UInt8](repeating: 7, count: 1000)
    var zip = Zip(.deflated("liar", content))
    for size in [UInt32(10), 999, 1001, 100_000] {
      zip.entries[0].size = size
      try await expectRefused(zip.bytes, .damaged, naming: "liar")
    }
    zip.entries[0].size = 1000
    zip.entries[0].ownSize = 999
    try await expectRefused(zip.bytes, .damaged, naming: "liar")
    var stored = Zip(.init("liar", content))
    stored.entries[0].size = 10
    try await expectRefused(stored.bytes, .damaged, naming: "liar")
    var tar = Tar(.init("liar", "short"))
    tar.entries[0].size = 5000
    try await expectRefused(tar.bytes, .damaged)
  }

  @Test func `cannot have entries that share their bytes`() async throws {
    // Entries share no bytes (Z2).
    var zip = Zip(.init("a"), .init("b"))
    zip.entries[1].offset = 0
    zip.entries[1].name = Array("a".utf8)
    try await expectRefused(zip.bytes, .damaged)
    // This entry lies within the bytes of another one.
    let inner = Zip(.init("inner", ArchiveFixture.noise(50, seed: 4)))
    let innerHeader = Array(inner.bytes.prefix(30 + 5 + 50))
    var outer = Zip(.init("outer", innerHeader), .init("inner", ArchiveFixture.noise(50, seed: 4)))
    outer.entries[1].offset = 30 + 5
    try await expectRefused(outer.bytes, .damaged)
  }

  @Test func `with an archive of itself in it is a file like others`() async throws {
    try await withFixture { fixture in
      let inner = Zip(.init("r/r.zip", ArchiveFixture.noise(100, seed: 8))).bytes
      try Data(Zip(.init("r/r.zip", inner), .init("r/x")).bytes).write(to: fixture.url("a.zip"))
      try await fixture.take("a.zip")
      #expect(try fixture.tree("Back.pack")["r.zip"] == .file(inner))
    }
    // An import decodes one filter, and not a second one beneath it.
    try await expectRefused(gzip(gzip(Tar(.init("x")).bytes)), .damaged)
  }

  // MARK: Ends

  @Test func `cannot have two ends, or something around it`() async throws {
    // The end record is alone and at the end (Z1), and no gap looks like an entry (Z2).
    let zip = Zip(.init("a"))
    let other = with(Zip(.init("b"))) { $0.comment = Array(Zip().bytes) }
    try await expectRefused(other.bytes, .damaged)
    for (prefix, suffix) in [(0, 1), (0, 30), (1, 0), (700, 0)] {
      var around = zip
      around.prefix = [UInt8](repeating: 0x41, count: prefix)
      around.suffix = [UInt8](repeating: 0x41, count: suffix)
      try await expectRefused(around.bytes, prefix > 0 ? .notAnArchive : .damaged)
    }
    var gap = Zip(.init("a"), .init("b"))
    for index in 0...1 {
      // A program that reads from the beginning takes these bytes for an entry.
      gap.entries[index].trailer = [1, 2, 3] + Array(Zip(.init("hidden")).bytes.prefix(60))
      try await expectRefused(gap.bytes, .damaged, naming: index == 0 ? "a" : "b")
      gap.entries[index].trailer = []
    }
    var count = Zip(.init("a"), .init("b"))
    count.count = 1
    try await expectRefused(count.bytes, .damaged)
    count.count = 3
    try await expectRefused(count.bytes, .damaged)
    var tar = Tar(.init("a"))
    tar.end = [UInt8](repeating: 0, count: 1024) + Tar(.init("hidden")).bytes
    try await expectRefused(tar.bytes, .damaged)
  }

  @Test func `that is empty, or none, is refused`() async throws {
    try await expectRefused([], .empty)
    try await expectRefused(Zip().bytes, .empty)
    try await expectRefused([UInt8](repeating: 0, count: 10240), .empty)
    try await expectRefused(Array("This is a text, and no archive.".utf8), .notAnArchive)
    try await expectRefused(ArchiveFixture.noise(4096, seed: 6), .notAnArchive)
  }

  @Test func `of a format that was not asked for is refused`() async throws {
    try await expectRefused(
      [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + ArchiveFixture.noise(200, seed: 1), .unsupported)
    try await expectRefused(Array("070701".utf8) + ArchiveFixture.noise(200, seed: 1), .unsupported)
    try await expectRefused(Array("xar!".utf8) + ArchiveFixture.noise(384, seed: 1), .notAnArchive)
  }

  @Test func `that is encrypted needs a passphrase`() async throws {
    var zip = Zip(.init("open"), .init("secret"))
    zip.entries[1].flags = 1
    try await expectRefused(zip.bytes, .passphrase, naming: "secret")
  }

  @Test func `has different methods in its two headers`() async throws {
    var zip = Zip(.deflated("a", [1, 2, 3]))
    zip.entries[0].ownMethod = 0
    try await expectRefused(zip.bytes, .damaged, naming: "a")
    zip.entries[0].ownMethod = nil
    zip.entries[0].ownCRC = 5
    try await expectRefused(zip.bytes, .damaged, naming: "a")
    zip.entries[0].ownCRC = nil
    zip.entries[0].method = 77
    try await expectRefused(zip.bytes, .unsupported, naming: "a")
    zip.entries[0].method = 8
    zip.entries[0].crc = 5
    try await expectRefused(zip.bytes, .damaged, naming: "a")
  }
}
