import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("A hostile archive", .temporaryDirectory)
struct HostileArchiveTests {
  // MARK: Names

  @Test(arguments: ["../canary", "a/../../canary", "../../etc/x", "a/..", "..", "a/b/../../../x"])
  func `cannot lead out of the package`(name: String) async throws {
    // No name leads out of the package (EC1).
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
    // On Windows, libarchive takes a backslash for a separator.
    var zip = Zip(.init("x"))
    zip.entries[0].name = Array("..\\canary".utf8)
    zip.entries[0].system = 0
    zip.entries[0].mode = 0
    try await expectRefused(zip.bytes, .unsafeName, naming: "..\\canary")
  }

  @Test func `cannot have two names for one entry`() async throws {
    // The entry's own header has the name of the directory (Z3).
    var zip = Zip(.init("harmless"))
    zip.entries[0].ownName = Array("../../x".utf8)
    try await expectRefused(zip.bytes, .damaged, naming: "harmless")
    zip.entries[0].ownName = Array("hermless".utf8)
    try await expectRefused(zip.bytes, .damaged, naming: "harmless")
  }

  @Test(arguments: ["../../x", "harmles", "HARMLESS", "harmless.exe", "harm/less"])
  func `cannot have another name in UTF-8`(other: String) async throws {
    for raw in [
      Array("harmless".utf8), Array("harml".utf8) + [0xEB] + Array("ss".utf8), Array("harm_less#Uvw".utf8),
    ] {
      var zip = Zip(.init(raw))
      let field = unicodePath(other, of: raw)
      zip.entries[0].extra = field
      try await expectRefused(zip.bytes, .damaged)
      (zip.entries[0].extra, zip.entries[0].ownExtra) = ([], field)
      try await expectRefused(zip.bytes, .damaged)
    }
  }

  @Test func `cannot have a name in UTF-8 that belongs to another, or two of them`() async throws {
    let raw = Array("harml".utf8) + [0xEB] + Array("ss".utf8)
    var zip = Zip(.init(raw))
    zip.entries[0].extra = unicodePath("harml\u{EB}ss", of: Array("other".utf8))
    try await expectRefused(zip.bytes, .damaged)
    zip.entries[0].extra = unicodePath("harml\u{EB}ss", of: raw)
    zip.entries[0].ownExtra = unicodePath("harml\u{E9}ss", of: raw)
    try await expectRefused(zip.bytes, .damaged)
    zip.entries[0].ownExtra = []
    zip.entries[0].extra += zip.entries[0].extra
    try await expectRefused(zip.bytes, .damaged)
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
    try await fixture.take(
      Tar(.init(name, "x")).bytes, options: with(.init()) { $0.allowsControlCharacters = true })
    #expect(try fixture.tree("Back.pack").entries.keys.map(\.string) == [name])
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
    // Names beyond the limits do not pass (EC4).
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
    ("a.txt", "A.TXT"), ("\u{E9}.txt", "e\u{301}.txt"), ("stra\u{DF}e", "STRASSE"),
    ("Folder/a", "folder/b"),
  ])
  func `cannot have two entries for one place`(first: String, second: String) async throws {
    // The names differ only in case or encoding (EC2).
    try await expectRefused(Zip(.init(first), .init(second)).bytes, .duplicateName, naming: second)
    try await expectRefused(Tar(.init(first), .init(second)).bytes, .duplicateName, naming: second)
  }

  @Test(arguments: ["a.txt", "./a.txt", ".//a.txt"])
  func `cannot have two entries of one name, but in a tar, where the later one stands`(name: String)
    async throws
  {
    try await expectRefused(Zip(.init("a.txt"), .init(name)).bytes, .duplicateName, naming: name)
    try await withFixture { fixture in
      let tar = Tar(
        .init("a.txt", "first"), .init("f/", type: "5"), .init("l", type: "2", link: "f"),
        .init("copy", type: "1", link: "a.txt"), .init("l", type: "2", link: "a.txt"),
        .init("f/", type: "5"), .init(name, "later"))
      let report = try await fixture.take(tar.bytes)
      #expect(
        try fixture.tree("Back.pack") == [
          "a.txt": "later", "copy": "first", "f": [:], "l": .link(Array("a.txt".utf8)),
        ])
      #expect(report.bytes == 10)
      let tree = try await FileWrapper.importArchive(at: fixture.url("a"))
      #expect(try tree.child(named: "a.txt")?.regularFileContents == Data("later".utf8))
      #expect(try await fixture.check("a") == report)
    }
    // An entry of another kind, or a second name for itself, does not replace an earlier entry.
    try await expectRefused(
      Tar(.init("a.txt"), .init(name, type: "2", link: "b")).bytes, .duplicateName, naming: name)
    try await expectRefused(
      Tar(.init("a.txt"), .init(name, type: "1", link: "a.txt")).bytes, .duplicateName, naming: name)
  }

  @Test func `may have names that only people take for the same, when that is allowed`() async throws {
    let tar = Tar(.init("a", "1"), .init("A", "2"), .init("\u{E9}", "3"), .init("e\u{301}", "4"))
    try await fixture.take(tar.bytes, options: with(.init()) { $0.allowsSimilarNames = true })
    #expect(try fixture.tree("Back.pack") == ["a": "1", "A": "2", "\u{E9}": "3", "e\u{301}": "4"])
  }

  @Test func `cannot write through a link, or beneath a file`() async throws {
    // A path leads through folders only (EC1).
    try await expectRefused(
      Zip(.link("a", to: ".."), .init("a/canary")).bytes, .unsafeLink, naming: "a/canary")
    try await expectRefused(
      Tar(.init("a", type: "2", link: "/tmp"), .init("a/x")).bytes, .unsafeLink, naming: "a/x")
    try await expectRefused(
      Tar(.init("d/a", type: "2", link: "."), .init("d/a/x")).bytes, .unsafeLink, naming: "d/a/x")
    try await expectRefused(Tar(.init("a", "file"), .init("a/x")).bytes, .unsafeLink, naming: "a/x")
    // A link in the place of a folder, and a folder in the place of a link.
    try await expectRefused(
      Tar(.init("a/x"), .init("a", type: "2", link: "..")).bytes, .duplicateName, naming: "a")
    try await expectRefused(
      Tar(.init("a", type: "2", link: ".."), .init("a/", type: "5")).bytes, .duplicateName, naming: "a/")
  }

  @Test(arguments: ["../canary", "/etc/passwd", "a/../../x", "..", "a/..", "./../x", "//x"])
  func `cannot have links that lead out of the package, or might`(target: String) async throws {
    // A link that leaves the package does not pass (EC3).
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
    // This link stays within the archive, but leaves the package.
    try await expectRefused(
      Tar(.init("Top/x"), .init("Top/link", type: "2", link: "../y")).bytes, .unsafeLink, naming: "Top/link")
  }

  @Test func `may have links that lead out, when that is allowed`() async throws {
    try await fixture.take(
      Tar(.init("x"), .init("link", type: "2", link: "/etc/hosts")).bytes,
      options: with(.init()) { $0.allowsLinksOutside = true })
    #expect(try fixture.tree("Back.pack")["link"] == .link(Array("/etc/hosts".utf8)))
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
    try await fixture.take(Tar(.init("d/a", "text"), .init("b", type: "1", link: "./d/a")).bytes)
    #expect(try fixture.tree("Back.pack") == ["d": ["a": "text"], "b": "text"])
    var status = stat()
    #expect(stat(fixture.folder.appending("Back.pack/b").string, &status) == 0 && status.st_nlink == 1)
  }

  @Test func `cannot have second names with bytes of their own`() async throws {
    var tar = Tar(.init("a", "text"), .init("b", "other", type: "1", link: "a"))
    try await expectRefused(tar.bytes, .damaged, naming: "b")
    tar = Tar(.init("a", "text"), .init("b", "other", type: "2", link: "a"))
    try await expectRefused(tar.bytes, .damaged, naming: "b")
  }
}

/// Returns a Unicode Path field with the name in UTF-8, for an entry whose header has `raw`.
func unicodePath(_ name: String, of raw: [UInt8]) -> [UInt8] {
  little(UInt16(0x7075)) + little(UInt16(5 + name.utf8.count)) + [1] + little(checksum(raw))
    + Array(name.utf8)
}
