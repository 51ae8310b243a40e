import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

/// Imports an archive that is to be refused, and sees that nothing came of it: not in its place, not beside it, and not
/// where it may have wanted to write.
func expectRefused(
  _ bytes: [UInt8], _ code: ArchiveError.Code, naming entry: String? = nil,
  options: ImportOptions = ImportOptions(),
  location: SourceLocation = #_sourceLocation
) async throws {
  try await withWorkshop { workshop in
    try FileManager.default.createDirectory(
      at: workshop.url("inner/place"), withIntermediateDirectories: true)
    try Data("untouched".utf8).write(to: workshop.url("inner/canary"))
    try Data(bytes).write(to: workshop.url("hostile"))
    let before = try workshop.tree(".")
    let error = await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await PackageStore.importArchive(
        at: workshop.url("hostile"), to: workshop.url("inner/place/Trip.pack"), options: options)
    }
    #expect(error?.code == code, "\(error.map { "\($0)" } ?? "")", sourceLocation: location)
    if let entry {
      #expect(error?.entry == entry, sourceLocation: location)
      #expect(error?.description.contains("'\(entry)'") == true, sourceLocation: location)
    }
    #expect(try workshop.tree(".") == before, sourceLocation: location)
    // In memory nothing else is let through.
    await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await FileWrapper.importArchive(at: workshop.url("hostile"), options: options)
    }
    await #expect(throws: ArchiveError.self, sourceLocation: location) {
      try await ImportReport.checking(archiveAt: workshop.url("hostile"), options: options)
    }
  }
}

@Suite("A hostile archive")
struct HostileArchiveTests {
  private typealias Zip = ForgedZip
  private typealias Tar = ForgedTar

  // MARK: Names

  @Test(arguments: ["../canary", "a/../../canary", "../../etc/x", "a/..", "..", "a/b/../../../x"])
  func `cannot lead out of the package`(name: String) async throws {
    try await expectRefused(Zip(.init("ok"), .init(name)).bytes, .unsafeName, naming: name)
    try await expectRefused(Tar(.init("ok"), .init(name)).bytes, .unsafeName, naming: name)
    var long = Tar(.init("short"))
    long.entries[0].records = [("path", Array(name.utf8))]
    try await expectRefused(long.bytes, .unsafeName, naming: name)
    long.entries[0].records = []
    long.entries[0].gnu = [(UInt8(ascii: "L"), Array(name.utf8) + [0])]
    try await expectRefused(long.bytes, .unsafeName, naming: name)
  }

  @Test(arguments: ["/etc/passwd", "//x", "C:/x", "c:x"])
  func `cannot have absolute paths`(name: String) async throws {
    try await expectRefused(Zip(.init(name)).bytes, .unsafeName, naming: name)
    try await expectRefused(Tar(.init(name)).bytes, .unsafeName, naming: name)
  }

  @Test func `cannot lead out of the package on another system`() async throws {
    // Written on Windows, where libarchive takes it for a separator.
    var zip = Zip(.init("..\\canary"))
    var bytes = zip.bytes
    let place = bytes.count - 22 - 46 - zip.entries[0].name.count + 5
    bytes[place] = 0
    try await expectRefused(bytes, .damaged)
    zip.entries[0].name = Array("a//b".utf8)
    try await expectRefused(zip.bytes, .unsafeName, naming: "a//b")
  }

  @Test func `cannot have two names for one entry`() async throws {
    var zip = Zip(.init("harmless"))
    zip.entries[0].ownName = Array("../../x".utf8)
    try await expectRefused(zip.bytes, .damaged, naming: "harmless")
    zip.entries[0].ownName = Array("hermless".utf8)
    try await expectRefused(zip.bytes, .damaged, naming: "harmless")
    zip.entries[0].ownName = nil
    let path = Array("../../x".utf8)
    let field =
      little(UInt16(0x7075)) + little(UInt16(5 + path.count)) + [1] + little(checksum(zip.entries[0].name))
      + path
    zip.entries[0].extra = field
    try await expectRefused(zip.bytes, .damaged, naming: "harmless")
    zip.entries[0].extra = []
    zip.entries[0].ownExtra = field
    try await expectRefused(zip.bytes, .damaged, naming: "harmless")
  }

  @Test func `cannot have names with a NUL`() async throws {
    let name = Array("a.txt".utf8) + [0] + Array(".exe".utf8)
    try await expectRefused(Zip(.init(name)).bytes, .unsafeName)
    var tar = Tar(.init("x"))
    tar.entries[0].name = name
    try await expectRefused(tar.bytes, .unsafeName)
    tar.entries[0].name = Array("x".utf8)
    tar.entries[0].records = [("path", name)]
    try await expectRefused(tar.bytes, .unsafeName)
    tar.entries[0].records = []
    tar.entries[0].gnu = [(UInt8(ascii: "L"), name + [0])]
    try await expectRefused(tar.bytes, .unsafeName)
  }

  @Test(arguments: ["a\u{1B}[2Jb", "a\nb", "a\u{7F}"])
  func `cannot have control characters in names, unless they are allowed`(name: String) async throws {
    let shown = name.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F
        ? "\\x" + (scalar.value < 16 ? "0" : "")
          + String(scalar.value, radix: 16, uppercase: true) : String(scalar)
    }.joined()
    try await expectRefused(Zip(.init(name)).bytes, .unsafeName, naming: shown)
    try await expectRefused(Tar(.init(name)).bytes, .unsafeName, naming: shown)
    try await withWorkshop { workshop in
      try Data(Tar(.init(name, "x")).bytes).write(to: workshop.url("a"))
      var options = ImportOptions()
      options.allowsControlCharacters = true
      try await workshop.take("a", options: options)
      #expect(try workshop.tree("Back.pack").entries.keys.map(\.string) == [name])
    }
  }

  @Test func `cannot say that a name is UTF-8 when it is not`() async throws {
    var zip = Zip(.init(Array("bad".utf8) + [0xFF]))
    zip.entries[0].flags = 1 << 11
    try await expectRefused(zip.bytes, .unsafeName, naming: "bad\\xFF")
    var tar = Tar(.init("x"))
    tar.entries[0].records = [("path", Array("bad".utf8) + [0xFF])]
    try await expectRefused(tar.bytes, .unsafeName, naming: "bad\\xFF")
  }

  @Test func `cannot have names that are too long or too deep`() async throws {
    let long = String(repeating: "x", count: 256)
    try await expectRefused(Zip(.init(long)).bytes, .unsafeName, naming: long)
    let deep = String(repeating: "d/", count: 65) + "x"
    try await expectRefused(Zip(.init(deep)).bytes, .limitExceeded, naming: deep)
    var tar = Tar(.init("x"))
    tar.entries[0].records = [("path", Array(deep.utf8))]
    try await expectRefused(tar.bytes, .limitExceeded, naming: deep)
  }

  // MARK: Places

  @Test(arguments: [
    ("a.txt", "a.txt"), ("a.txt", "A.TXT"), ("\u{E9}.txt", "e\u{301}.txt"), ("stra\u{DF}e", "STRASSE"),
    ("Folder/a", "folder/b"), ("a", "./a"),
  ])
  func `cannot have two entries for one place`(first: String, second: String) async throws {
    try await expectRefused(Zip(.init(first), .init(second)).bytes, .duplicateName, naming: second)
    try await expectRefused(Tar(.init(first), .init(second)).bytes, .duplicateName, naming: second)
  }

  @Test func `may have names that only people take for the same, when that is allowed`() async throws {
    try await withWorkshop { workshop in
      try Data(Tar(.init("a", "1"), .init("A", "2"), .init("\u{E9}", "3"), .init("e\u{301}", "4")).bytes)
        .write(to: workshop.url("a.tar"))
      var options = ImportOptions()
      options.allowsSimilarNames = true
      try await workshop.take("a.tar", options: options)
      #expect(
        try workshop.tree("Back.pack") == ["a": "1", "A": "2", "\u{E9}": "3", "e\u{301}": "4"])
    }
  }

  @Test func `cannot write through a link, or beneath a file`() async throws {
    try await expectRefused(
      Zip(.link("a", to: ".."), .init("a/canary")).bytes, .unsafeLink, naming: "a/canary")
    try await expectRefused(
      Tar(.init("a", type: "2", link: "/tmp"), .init("a/x")).bytes, .unsafeLink, naming: "a/x")
    try await expectRefused(
      Tar(.init("d/a", type: "2", link: "."), .init("d/a/x")).bytes, .unsafeLink, naming: "d/a/x")
    try await expectRefused(Tar(.init("a", "file"), .init("a/x")).bytes, .unsafeLink, naming: "a/x")
    // A link in the place of a folder, and a folder in that of a link.
    try await expectRefused(
      Tar(.init("a/x"), .init("a", type: "2", link: "..")).bytes, .duplicateName, naming: "a")
    try await expectRefused(
      Tar(.init("a", type: "2", link: ".."), .init("a/", type: "5")).bytes, .duplicateName, naming: "a/")
  }

  @Test(arguments: ["../canary", "/etc/passwd", "a/../../x", "..", "a/..", "./../x", "//x"])
  func `cannot have links that lead out of the package, or might`(target: String) async throws {
    try await expectRefused(Zip(.init("x"), .link("link", to: target)).bytes, .unsafeLink, naming: "link")
    try await expectRefused(
      Tar(.init("x"), .init("link", type: "2", link: target)).bytes, .unsafeLink, naming: "link")
  }

  @Test func `cannot have links that lead out of the package by way of another, or of the top folder`()
    async throws
  {
    try await expectRefused(
      Tar(
        .init("x"), .init("a/b/up", type: "2", link: "../.."),
        .init("link", type: "2", link: "a/b/up/../canary")
      ).bytes, .unsafeLink, naming: "link")
    // Within the archive, and not within the package.
    try await expectRefused(
      Tar(.init("Top/x"), .init("Top/link", type: "2", link: "../y")).bytes, .unsafeLink, naming: "Top/link")
  }

  @Test func `may have links that lead out, when that is allowed`() async throws {
    try await withWorkshop { workshop in
      try Data(Tar(.init("x"), .init("link", type: "2", link: "/etc/hosts")).bytes).write(
        to: workshop.url("a"))
      var options = ImportOptions()
      options.allowsLinksOutside = true
      try await workshop.take("a", options: options)
      #expect(try workshop.tree("Back.pack")["link"] == .link(Array("/etc/hosts".utf8)))
    }
  }

  @Test(arguments: ["../canary", "/etc/passwd", "nothing", "link", "folder", "symbolic", "later"])
  func `cannot have second names for what is not a file before them`(target: String) async throws {
    try await expectRefused(
      Tar(
        .init("folder/", type: "5"), .init("symbolic", type: "2", link: "folder"),
        .init("link", type: "1", link: target), .init("later", "x")
      ).bytes, .unsafeLink, naming: "link")
  }

  @Test func `has copies where it has second names`() async throws {
    try await withWorkshop { workshop in
      try Data(Tar(.init("d/a", "text"), .init("b", type: "1", link: "./d/a")).bytes).write(
        to: workshop.url("a"))
      try await workshop.take("a")
      #expect(try workshop.tree("Back.pack") == ["d": ["a": "text"], "b": "text"])
      var status = stat()
      #expect(stat(workshop.folder.appending("Back.pack/b").string, &status) == 0 && status.st_nlink == 1)
    }
  }

  @Test func `cannot have second names with bytes of their own`() async throws {
    var tar = Tar(.init("a", "text"), .init("b", "other", type: "1", link: "a"))
    try await expectRefused(tar.bytes, .damaged, naming: "b")
    tar = Tar(.init("a", "text"), .init("b", "other", type: "2", link: "a"))
    try await expectRefused(tar.bytes, .damaged, naming: "b")
  }

  // MARK: Kinds

  @Test(arguments: ["3", "4", "6"])
  func `cannot have devices and FIFOs`(type: Character) async throws {
    try await expectRefused(Tar(.init("x"), .init("node", type: type)).bytes, .unsafeKind, naming: "node")
  }

  @Test(arguments: [UInt32(0o010644), 0o020644, 0o060644, 0o140644])
  func `cannot have devices, FIFOs and sockets in a zip`(mode: UInt32) async throws {
    try await expectRefused(Zip(.init("node", [], mode: mode)).bytes, .unsafeKind, naming: "node")
  }

  @Test(arguments: [UInt32(0o104755), 0o102755, 0o106755])
  func `cannot have programs that run as somebody else`(mode: UInt32) async throws {
    try await expectRefused(Zip(.init("program", mode: mode)).bytes, .unsafeKind, naming: "program")
    try await expectRefused(
      Tar(.init("program", mode: Int(mode & 0o7777))).bytes, .unsafeKind, naming: "program")
  }

  @Test func `has its hidden folder left out, however it is written`() async throws {
    try await withWorkshop { workshop in
      for (number, name) in [".docpkg", ".DOCPKG"].enumerated() {
        for top in ["", "Top/"] {
          try Data(
            Tar(
              .init("\(top)a", "x"), .init("\(top)\(name)/journal", "planted"),
              .init("\(top)\(name)/link", type: "2", link: "journal")
            ).bytes
          ).write(to: workshop.url("a"))
          let report = try await workshop.take("a", to: "\(number)\(top.count)")
          #expect(try workshop.tree("\(number)\(top.count)") == ["a": "x"])
          #expect(report.leftOut == [".docpkg"])
        }
      }
    }
  }

  // MARK: Sizes

  @Test func `cannot become much larger than it is`() async throws {
    let zeros = [UInt8](repeating: 0, count: 40 << 20)
    let zip = Zip(.deflated("bomb", zeros))
    try await expectRefused(zip.bytes, .limitExceeded, naming: "bomb")
    let tar = gzip(Tar(.init("bomb", String(repeating: "\u{1}", count: 40 << 20))).bytes)
    try await expectRefused(tar, .limitExceeded)
    var options = ImportOptions()
    options.limits.bytes = 1000
    let noise = Workshop.noise(1001, seed: 1)
    try await expectRefused(
      Zip(.init("large", noise)).bytes, .limitExceeded, naming: "large", options: options)
    var large = Tar(.init("large"))
    large.entries[0].content = noise
    try await expectRefused(large.bytes, .limitExceeded, naming: "large", options: options)
  }

  @Test func `cannot have a hole that is larger than what was allowed`() async throws {
    // GNU's sparse files of the old kind: a map with one piece at 8 TiB.
    var tar = Tar(.init("sparse", "x"))
    tar.entries[0].records = [
      ("GNU.sparse.major", Array("0".utf8)), ("GNU.sparse.minor", Array("1".utf8)),
      ("GNU.sparse.name", Array("sparse".utf8)), ("GNU.sparse.size", Array("8796093022208".utf8)),
      ("GNU.sparse.numblocks", Array("1".utf8)), ("GNU.sparse.map", Array("0,1".utf8)),
    ]
    try await expectRefused(tar.bytes, .limitExceeded, naming: "sparse")
  }

  @Test func `cannot have more entries than were allowed`() async throws {
    var options = ImportOptions()
    options.limits.entries = 2
    try await expectRefused(
      Zip(.init("a"), .init("b"), .init("c")).bytes, .limitExceeded, options: options)
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
    var zip = Zip(.init("a"), .init("b"))
    zip.entries[1].offset = 0
    zip.entries[1].name = Array("a".utf8)
    try await expectRefused(zip.bytes, .damaged)
    // An entry within the bytes of another.
    let inner = Zip(.init("inner", Workshop.noise(50, seed: 4)))
    let innerHeader = Array(inner.bytes.prefix(30 + 5 + 50))
    var outer = Zip(.init("outer", innerHeader), .init("inner", Workshop.noise(50, seed: 4)))
    outer.entries[1].offset = 30 + 5
    try await expectRefused(outer.bytes, .damaged)
  }

  @Test func `with an archive of itself in it is a file like others`() async throws {
    try await withWorkshop { workshop in
      let inner = Zip(.init("r/r.zip", Workshop.noise(100, seed: 8))).bytes
      try Data(Zip(.init("r/r.zip", inner), .init("r/x")).bytes).write(to: workshop.url("a.zip"))
      try await workshop.take("a.zip")
      #expect(try workshop.tree("Back.pack")["r.zip"] == .file(inner))
    }
    // One filter is taken off, and not what is beneath it.
    try await expectRefused(gzip(gzip(Tar(.init("x")).bytes)), .damaged)
  }

  // MARK: Ends

  @Test func `cannot have two ends, or something around it`() async throws {
    let zip = Zip(.init("a"))
    var other = Zip(.init("b"))
    other.comment = Array(Zip().bytes)
    try await expectRefused(other.bytes, .damaged)
    for (prefix, suffix) in [(0, 1), (0, 30), (1, 0), (700, 0)] {
      var around = zip
      around.prefix = [UInt8](repeating: 0x41, count: prefix)
      around.suffix = [UInt8](repeating: 0x41, count: suffix)
      try await expectRefused(around.bytes, prefix > 0 ? .notAnArchive : .damaged)
    }
    var gap = Zip(.init("a"), .init("b"))
    gap.entries[0].trailer = [1, 2, 3]
    try await expectRefused(gap.bytes, .damaged, naming: "a")
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
    try await expectRefused(Workshop.noise(4096, seed: 6), .notAnArchive)
  }

  @Test func `of a format that was not asked for is refused`() async throws {
    try await expectRefused(
      [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C] + Workshop.noise(200, seed: 1), .notAnArchive)
    try await expectRefused(Array("070701".utf8) + Workshop.noise(200, seed: 1), .notAnArchive)
    try await expectRefused(Array("xar!".utf8) + Workshop.noise(384, seed: 1), .notAnArchive)
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
