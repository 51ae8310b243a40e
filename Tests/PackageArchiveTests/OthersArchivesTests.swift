import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("Archives as other programs make them", .tags(.process), .temporaryDirectory)
struct OthersArchivesTests {
  /// Imports bytes as an archive.
  private func imported(
    _ bytes: [UInt8], options: ImportOptions = ImportOptions(),
    _ body: (TestTree, ImportReport) throws -> Void
  ) async throws {
    try await withFixture { fixture in
      let report = try await fixture.take(bytes, options: options)
      try body(fixture.tree("Back.pack"), report)
    }
  }

  // MARK: The folder around all entries

  @Test func `may have temporary files beside the folder that is the package`() async throws {
    let files = [".DS_Store", "Thumbs.db", "notes.txt~", "desktop.ini", "__MACOSX/._Trip"]
    let inner = ["Trip/a.txt", "Trip/.DS_Store"]
    var (zip, tar) = (Zip(), Tar())
    zip.entries = (files.prefix(2) + inner + files.dropFirst(2)).map { .init($0) }
    tar.entries = (files + inner).map { .init($0, "content") }
    for bytes in [zip.bytes, tar.bytes] {
      try await imported(bytes) { tree, report in
        #expect(tree == ["a.txt": "content", ".DS_Store": "content"])
        #expect(Set(report.leftOut) == Set(files) && report.leftOutEntries == 5 && report.entries == 2)
      }
    }
    // Beside a second folder, or if the folder is kept, they are children.
    let two = Zip(.init(".DS_Store"), .init("Trip/a"), .init("Other/b"))
    try await imported(two.bytes) { tree, report in
      #expect(tree.entries.count == 3 && report.leftOut.isEmpty)
    }
    try await imported(zip.bytes, options: ImportOptions(topFolder: .isKept)) { tree, report in
      #expect(tree.entries.count == 5 && report.leftOut == ["__MACOSX/._Trip"])
    }
  }

  // MARK: Names

  static let codePages: [(charset: String, raw: [UInt8], name: String)] = [
    ("CP1252", [0x68, 0xFC, 0x74, 0x74, 0x65], "h\u{FC}tte"), ("CP437", [0x81, 0x62], "\u{FC}b"),
    ("CP850", [0x9B], "\u{F8}"), ("CP932", [0x83, 0x5C, 0x95, 0x5C], "\u{30BD}\u{8868}"),
    ("EUC-KR", [0xC7, 0xD1, 0xB1, 0xDB], "\u{D55C}\u{AE00}"),
    ("GB18030", [0xCE, 0xC4, 0xBC, 0xFE], "\u{6587}\u{4EF6}"),
  ]

  @Test(arguments: codePages)
  func `may have names in a code page`(charset: String, raw: [UInt8], name: String) async throws {
    var options = ImportOptions()
    options.charset = charset
    var tar = Tar(.init("d/x", "content"), .init("link", type: "2"))
    tar.entries[0].name = Array("d/".utf8) + raw
    tar.entries[1].link = Array("d/".utf8) + raw
    let zip = Zip(.init(Array("d/".utf8) + raw), .init("link", Array("d/".utf8) + raw, mode: 0o120777))
    for bytes in [zip.bytes, tar.bytes] {
      try await imported(bytes, options: options) { tree, report in
        #expect(tree == ["d": [FileName(name): "content"], "link": .link(Array("d/\(name)".utf8))])
        #expect(report.undecodedNames == 0)
      }
      try await imported(bytes) { tree, report in
        #expect(tree["d"]?[FileName(bytes: raw)] == "content")
        #expect(report.undecodedNames == 1)
      }
    }
    options.charset = "no such"
    try await expectRefused(zip.bytes, .unsupported, options: options)
  }

  @Test func `has no name decoded that is UTF-8, and none refused that is not in the code page`() async throws
  {
    var options = ImportOptions()
    options.charset = "CP932"
    var zip = Zip(.init("h\u{FC}tte"))
    zip.entries[0].flags = 1 << 11
    try await imported(zip.bytes, options: options) { tree, _ in #expect(tree == ["h\u{FC}tte": "content"]) }
    var tar = Tar(.init("x"))
    tar.entries[0].records = [("path", Array("h\u{FC}tte".utf8))]
    try await imported(tar.bytes, options: options) { tree, _ in #expect(tree == ["h\u{FC}tte": ""]) }
    try await expectRefused(Zip(.init([0x83, 0xFF])).bytes, .unsafeName, options: options)
    options.charset = "UTF-7"
    try await expectRefused(Zip(.init([0xFF, 0x2E])).bytes, .unsafeName, options: options)
  }

  @Test func `have no name that has a separator only in a code page`() async throws {
    var options = ImportOptions()
    // In this code page, `a` is the slash.
    options.charset = "IBM037"
    try await expectRefused(Zip(.init([0xC1, 0x61, 0xC2])).bytes, .unsafeName, options: options)
  }

  @Test func `may have names in UTF-8 beside those in a code page`() async throws {
    let raw = Array("d/h".utf8) + [0xFC] + Array("tte.txt".utf8)
    let field = unicodePath("d/h\u{FC}tte.txt", of: raw)
    for (extra, own) in [(field, field), (field, []), ([], field)] {
      var zip = Zip(.init(raw))
      (zip.entries[0].extra, zip.entries[0].ownExtra) = (extra, own)
      try await imported(zip.bytes) { tree, report in
        #expect(tree == ["h\u{FC}tte.txt": "content"])
        #expect(report.undecodedNames == 0)
      }
    }
    // The second byte of a character may be a letter.
    let shiftJIS: [UInt8] = [0x83, 0x41, 0x41, 0x2E, 0x83, 0x5C]
    var zip = Zip(.init(shiftJIS))
    zip.entries[0].extra = unicodePath("\u{30A2}A.\u{30BD}", of: shiftJIS)
    try await imported(zip.bytes) { tree, _ in #expect(tree == ["\u{30A2}A.\u{30BD}": "content"]) }
    // Info-ZIP and WinZip write these names for a character that their own code page lacks.
    for raw in ["#U30bd.txt", "?.txt", "_.txt"].map({ Array($0.utf8) }) {
      var zip = Zip(.init(raw))
      zip.entries[0].extra = unicodePath("\u{30BD}.txt", of: raw)
      try await imported(zip.bytes) { tree, _ in #expect(tree == ["\u{30BD}.txt": "content"]) }
    }
    // Some of many underscores stand for such characters.
    for count in [62, 63, 64, 130] {
      let raw = [UInt8](repeating: 0x5F, count: count + 3)
      let name = "\u{30BD}" + String(repeating: "_", count: count) + "\u{30BD}"
      var zip = Zip(.init(raw))
      zip.entries[0].extra = unicodePath(name, of: raw)
      try await imported(zip.bytes) { tree, _ in #expect(tree == [FileName(name): "content"]) }
      zip.entries[0].extra = unicodePath(name + "____", of: raw)
      try await expectRefused(zip.bytes, .damaged)
    }
  }

  @Test(arguments: ["d//a", "./d/a", "d/./a", "d/.//a"])
  func `may have a path with names that are none`(path: String) async throws {
    for bytes in [
      Zip(.init("x"), .init(path, Array("text".utf8))).bytes, Tar(.init("x"), .init(path, "text")).bytes,
    ] {
      try await imported(bytes) { tree, _ in #expect(tree["d"] == ["a": "text"]) }
    }
  }

  @Test func `may have a name like a drive's, when that is allowed`() async throws {
    let options = with(ImportOptions()) { $0.allowsDriveLetters = true }
    for bytes in [Zip(.init("x"), .init("C:/a")).bytes, Tar(.init("x"), .init("C:/a", "content")).bytes] {
      try await imported(bytes, options: options) { tree, _ in #expect(tree["C:"] == ["a": "content"]) }
    }
  }

  @Test func `may have an entry for the top, which gives the package its permissions and date`() async throws
  {
    let tar = Tar(.init("./", type: "5", mode: 0o700), .init("./a", "text"))
    try Data(tar.bytes).write(to: fixture.url("a.tar"))
    try await fixture.take("a.tar")
    let package = try PosixDisk().openDirectory(at: fixture.folder.appending("Back.pack"))
    #expect(try PosixDisk().status(of: package).mode & 0o777 == 0o700)
    #expect(try fixture.dates("Back.pack")[""] == FileTime(seconds: 1_600_000_000, nanoseconds: 0))
  }

  @Test func `may have an entry for the top, as a slash`() async throws {
    var tar = Tar(.init("x", type: "5", mode: 0o755), .init("d/a", "content"))
    tar.entries[0].name = Array("/".utf8)
    for bytes in [Zip(.init("/", [], mode: 0o040755), .init("d/a")).bytes, tar.bytes] {
      try await imported(bytes) { tree, report in
        #expect(tree == ["d": ["a": "content"]])
        #expect(report.entries == 2)
      }
    }
    for name in ["/a", "//", "/./"] {
      try await expectRefused(
        Zip(.init("x"), .init(name, name == "/a" ? [1] : [])).bytes, .unsafeName, naming: name)
    }
  }

  @Test func `may have backslashes between folders, when that is asked for`() async throws {
    var options = ImportOptions()
    options.readsBackslashes = true
    for attributes in [UInt32(0), 0x10] {
      var zip = Zip(.init("d\\e\\", []), .init("d\\a.txt"))
      for index in zip.entries.indices { (zip.entries[index].system, zip.entries[index].mode) = (0, 0) }
      zip.entries[0].attributes = attributes
      try await imported(zip.bytes, options: options) { tree, _ in
        #expect(tree == ["e": [:], "a.txt": "content"])
      }
      try await expectRefused(zip.bytes, .unsafeName, naming: "d\\e\\")
      zip.entries.removeFirst()
      try await expectRefused(zip.bytes, .unsafeName, naming: "d\\a.txt")
      zip.entries = [.init("..\\x"), .init("y")]
      try await expectRefused(zip.bytes, .unsafeName, naming: "../x", options: options)
    }
    // The second byte of a character in a code page is no backslash.
    options.charset = "CP932"
    try await imported(Zip(.init([0x83, 0x5C]), .init("y")).bytes, options: options) { tree, _ in
      #expect(tree == ["\u{30BD}": "content", "y": "content"])
    }
  }

  // MARK: Zips

  @Test(.enabled(if: Program.installed("zip") != nil, "needs zip"))
  func `may come from a pipe`() async throws {
    try await withFixture { fixture in
      let made = try run("sh", ["-c", "echo text | zip -q a.zip -"], in: fixture.folder)
      try #require(made.status == 0, "\(made.output)")
      try await fixture.take("a.zip")
      #expect(try fixture.tree("Back.pack") == ["-": .file(Array("text\n".utf8), mode: 0o600)])
    }
    // With any other name the entry is a FIFO.
    try await expectRefused(Zip(.init("pipe", [], mode: 0o010600)).bytes, .unsafeKind, naming: "pipe")
  }

  @Test func `may have a comment of any length`() async throws {
    var zip = Zip(.init("a"))
    for count in [0, 100, 20_000, 65_535] {
      zip.comment = [UInt8](repeating: 0x20, count: count)
      try await imported(zip.bytes) { tree, _ in #expect(tree == ["a": "content"]) }
    }
  }

  @Test(arguments: [0, 1])
  func `may say that there is no part, or one`(parts: UInt32) async throws {
    var zip = Zip(.init("a"))
    zip.parts = parts
    try await imported(zip.bytes) { tree, _ in #expect(tree == ["a": "content"]) }
    zip.parts = 2
    try await expectRefused(zip.bytes, .damaged)
  }

  @Test(arguments: ["PK00", "PK\u{7}\u{8}"])
  func `may begin with the mark of one that was to be split`(mark: String) async throws {
    var zip = Zip(.init("a"))
    zip.prefix = Array(mark.utf8)
    try await imported(zip.bytes) { tree, _ in #expect(tree == ["a": "content"]) }
    zip.prefix += [0]
    try await expectRefused(zip.bytes, .notAnArchive)
  }

  @Test func `may have gaps without entries`() async throws {
    var zip = Zip(.init("a"), .init("b"))
    zip.entries[0].flags = 8
    zip.entries[0].descriptor =
      [0x50, 0x4B, 7, 8] + little(zip.entries[0].crc) + little(UInt32(7)) + little(UInt32(7))
    for trailer in [[0], Array("deleted by some program".utf8)] {
      zip.entries[0].trailer = trailer
      zip.entries[1].trailer = trailer
      try await imported(zip.bytes) { tree, _ in #expect(tree == ["a": "content", "b": "content"]) }
    }
  }

  @Test(arguments: 1...3)
  func `have no entry in a gap, wherever it begins`(_ place: Int) async throws {
    var zip = Zip(.init("a"), .init("b"))
    // A gap is read a megabyte at a time.
    zip.entries[0].trailer =
      [UInt8](repeating: 0, count: (1 << 20) - place) + [0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 30)
    try await expectRefused(zip.bytes, .damaged, naming: "a")
  }

  @Test func `cannot be of another kind to other programs`() async throws {
    for system in [UInt16(0), 2, 5, 11, 14, 16, 30] {
      var zip = Zip(.init("a"), .link("link", to: "a"))
      zip.entries[1].system = system
      try await expectRefused(zip.bytes, .damaged, naming: "link")
      zip = Zip(.init("x"), .init("folder", []))
      (zip.entries[1].system, zip.entries[1].mode, zip.entries[1].attributes) = (system, 0, 0x10)
      try await expectRefused(zip.bytes, .damaged, naming: "folder")
    }
    try await expectRefused(Zip(.init("x"), .init("folder", [], mode: 0o040755)).bytes, .damaged)
    for name in ["a.txt/.", "./."] {
      try await expectRefused(Zip(.init("x"), .init(name)).bytes, .unsafeName, naming: name)
      try await expectRefused(Tar(.init("x"), .init(name)).bytes, .unsafeName, naming: name)
    }
  }

  @Test func `cannot need a later version, or be a change to another file`() async throws {
    var zip = Zip(.init("a"))
    zip.entries[0].version = 99
    try await expectRefused(zip.bytes, .unsupported, naming: "a")
    zip.entries[0].version = 20
    zip.entries[0].flags = 1 << 5
    try await expectRefused(zip.bytes, .unsupported, naming: "a")
  }

  // MARK: Tars

  @Test(.enabled(if: Program.installed("tar") != nil, "needs tar"))
  func `may have a label, and files that were appended twice`() async throws {
    for command in [
      "echo first > a", "tar -c -V Label -f a.tar a", "echo second > a", "tar -rf a.tar a",
    ] {
      try #require(try run("sh", ["-c", command], in: fixture.folder).status == 0)
    }
    let report = try await fixture.take("a.tar")
    #expect(try fixture.tree("Back.pack") == ["a": "second\n"])
    #expect(report.entries == 1 && report.bytes == 7)
  }

  @Test func `may have a header of star's`() async throws {
    var tar = Tar(.init("d/name", "text"))
    tar.entries[0].starDates = true
    try await imported(tar.bytes) { tree, _ in #expect(tree == ["name": "text"]) }
  }

  @Test func `may be filled up with zeros, but not for ever`() async throws {
    let tar = Tar(.init("a", "text")).bytes
    let zeros = [UInt8](repeating: 0, count: 700_000)
    for bytes in [tar + zeros, gzip(tar) + zeros, gzip(tar) + [0]] {
      try await imported(bytes) { tree, _ in #expect(tree == ["a": "text"]) }
    }
    try await expectRefused(gzip(tar) + zeros + [1], .damaged)
    let many = [UInt8](repeating: 0, count: 17 << 20)
    for bytes in [tar + many, many, gzip(tar) + many] { try await expectRefused(bytes, .limitExceeded) }
    var headers = Tar(.init("a"))
    headers.entries[0].gnu = (0..<9).map { _ in (UInt8(ascii: "g"), []) }
    try await expectRefused(headers.bytes, .damaged)
  }

  @Test func `that never ends is refused`() async throws {
    var options = ImportOptions()
    options.limits.bytes = 1 << 20
    options.limits.entries = 10
    let zeros = try FileDescriptor.open("/dev/zero", .readOnly)
    defer { try? zeros.close() }
    await expect(\ArchiveError.code, .limitExceeded) {
      try await PackageStore.importArchive(from: zeros, to: fixture.url("Back.pack"), options: options)
    }
    #expect(try fixture.names == [])
  }

  @Test func `that is a stream is read no further than its limits`() async throws {
    try await fixture.makeArchive("a.tar.zst", of: ["a": "text"])
    // Frames without content follow, which no other limit counts.
    let frame = [0x50, 0x2A, 0x4D, 0x18] + little(UInt32(60_000)) + [UInt8](repeating: 0, count: 60_000)
    let bytes = try [0] + fixture.bytes("a.tar.zst") + Array(repeating: frame, count: 60).joined()
    try Data(bytes).write(to: fixture.url("stream"))
    // A descriptor that is not at the beginning of its file counts as a stream.
    let stream = try FileDescriptor.open(fixture.folder.appending("stream"), .readOnly)
    defer { try? stream.close() }
    var options = ImportOptions()
    (options.limits.bytes, options.limits.entries) = (1 << 20, 10)
    try stream.seek(offset: 1, from: .start)
    await expect(\ArchiveError.code, .limitExceeded) {
      try await PackageStore.importArchive(from: stream, to: fixture.url("Back.pack"), options: options)
    }
    try stream.seek(offset: 1, from: .start)
    try await PackageStore.importArchive(from: stream, to: fixture.url("Back.pack"))
    #expect(try fixture.tree("Back.pack")["a"] == "text")
  }

  @Test(.enabled(if: Program.installed("zstd") != nil, "needs zstd"))
  func `may begin with a frame of Zstandard's that is skipped`() async throws {
    try Data(Tar(.init("a", "text")).bytes).write(to: fixture.url("a.tar"))
    try #require(try run("zstd", ["-q", "a.tar"], in: fixture.folder).status == 0)
    let frame: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]
    try await imported(frame + frame + Array(fixture.bytes("a.tar.zst"))) { tree, _ in
      #expect(tree == ["a": "text"])
    }
  }

  // MARK: This library's own

  @Test(arguments: ArchiveFormat.readable)
  func `that we made come back`(format: ArchiveFormat) async throws {
    let tree: TestTree = [
      "._x": "no Mac made it", "a\\b": "backslash", "C:": ["x": "drive"], "dir": ["._y": "", "a": "x"],
      ".d": ["docpkg": "x"],
    ]
    try fixture.makePackage(tree, named: "Q: a")
    for isFlat in [false, true] {
      var (options, taking) = (ExportOptions(), ImportOptions())
      if isFlat { options.topFolder = .none }
      // A zip names this library as its writer.
      taking.allowsDriveLetters = format != .zip
      try await fixture.export("a", of: "Q: a", as: format, options: options)
      try await fixture.take("a", to: "\(isFlat)", options: taking)
      #expect(try fixture.tree("\(isFlat)") == tree)
    }
  }

  @Test func `say what would let them through`() async throws {
    func allowance(_ bytes: [UInt8], _ change: (inout ImportOptions) -> Void = { _ in }) async throws
      -> ArchiveError.Allowance?
    {
      var options = ImportOptions()
      change(&options)
      var allowance: ArchiveError.Allowance?
      try await withFixture { fixture in
        let error = await #expect(throws: ArchiveError.self) {
          try await fixture.take(bytes, options: options)
        }
        allowance = error?.allowance
      }
      return allowance
    }
    #expect(try await allowance(Tar(.init("a\nb")).bytes) == .controlCharacters)
    #expect(try await allowance(Tar(.init("a", type: "2", link: "a\nb")).bytes) == .controlCharacters)
    #expect(try await allowance(Tar(.init("x"), .init("a", type: "2", link: "../x")).bytes) == .outsideLinks)
    #expect(try await allowance(Tar(.init("a"), .init("A")).bytes) == .similarNames)
    #expect(try await allowance(Tar(.init("a/x"), .init("A/y")).bytes) == .similarNames)
    #expect(try await allowance(Tar(.init("c:x")).bytes) == .driveLetters)
    var windows = Zip(.init("d\\a"))
    (windows.entries[0].system, windows.entries[0].mode) = (0, 0)
    #expect(try await allowance(windows.bytes) == .backslashes)
    #expect(try await allowance(Tar(.init("a", "text")).bytes) { $0.limits.bytes = 1 } == .bytes)
    #expect(try await allowance(Tar(.init("a"), .init("b")).bytes) { $0.limits.entries = 1 } == .entries)
    #expect(try await allowance(Zip(.init("a"), .init("b")).bytes) { $0.limits.entries = 1 } == .entries)
    #expect(try await allowance(Tar(.init("a/b/c")).bytes) { $0.limits.depth = 2 } == .depth)
    #expect(try await allowance(ForgedXZ(content: [1], dictionary: 40).bytes) == .dictionaryBytes)
    #expect(try await allowance(Tar(.init(".docpkg/x")).bytes) == .history)
    #expect(try await allowance(Tar(.init("__MACOSX/x")).bytes) == .appleDouble)
    #expect(try await allowance(Array("a text".utf8)) == nil)
    #expect(try await allowance(Tar(.init("../x")).bytes) == nil)
  }
}
