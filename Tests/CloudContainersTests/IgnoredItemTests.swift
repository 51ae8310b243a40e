import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("Items that a folder's rules ignore", .temporaryDirectory)
struct IgnoredItemTests {
  /// Rules, and the names that they match. A slash at the end of a name is that of a folder.
  static let patterns: [(rules: String, matched: [String], others: [String])] = [
    ("# no rule\n\n", ["none"], ["# no rule"]),
    ("*.tmp", ["a.tmp", "b/a.tmp", ".tmp"], ["a.tmp2", "tmp"]),
    ("/a.txt", ["a.txt"], ["b/a.txt"]),
    ("b/a.txt", ["b/a.txt"], ["c/b/a.txt", "a.txt"]),
    ("build/", ["build/", "c/build/", "build/a"], ["build"]),
    ("build", ["build", "build/", "build/a/b"], ["builds"]),
    ("**/a", ["a", "b/a", "b/c/a"], ["ab"]),
    ("b/**", ["b/a", "b/c/a"], ["b", "c/b/a"]),
    ("b/**/a", ["b/a", "b/c/a", "b/c/d/a"], ["a", "c/b/a"]),
    ("b/**/c/**/a", ["b/c/a", "b/c/d/c/a", "b/c/d/a"], ["b/a", "b/a/c"]),
    ("**/**", ["a", "b/a"], []),
    ("?.txt\n[a-c]1", ["a.txt", "b1"], ["ab.txt", "d1"]),
    ("*.log\n!keep.log", ["a.log"], ["keep.log", "b/keep.log"]),
    ("logs/\n!logs/keep.log", ["logs/keep.log"], ["keep.log"]),
    ("*\n!*/\n!*.md", ["a.txt", "b/a.txt"], ["a.md", "b/", "b/a.md"]),
    ("\\#a\n\\!b", ["#a", "!b"], ["a", "b"]),
    ("a  \nb\\ ", ["a", "b "], ["a  ", "b"]),
    ("a\r\nb\r\n", ["a", "b"], ["a\r"]),
    ("\u{FEFF}a", ["a"], ["\u{FEFF}a"]),
    ("a/\u{301}b\n/\u{301}c/", ["a/\u{301}b", "\u{301}c/", "\u{301}c/\u{301}d"], ["a"]),
    ("*\n!\u{301}a", ["a", "b/a"], ["\u{301}a"]),
  ]

  @Test(arguments: patterns)
  func `are those of git`(rules: String, matched: [String], others: [String]) {
    let patterns = PathPatterns(rules)
    func matches(_ name: String) -> Bool {
      patterns.matchesAnyPart(
        of: name.hasSuffix("/") ? String(name.dropLast()) : name, isDirectory: name.hasSuffix("/"))
    }
    for name in matched where name != "none" { #expect(matches(name), "\(name)") }
    for name in others { #expect(!matches(name), "\(name)") }
  }

  @Test func `are found in a short time, however many stars a rule has`() {
    let name = String(repeating: "a/", count: 60) + "a"
    let rule = String(repeating: "**/a/", count: 30)
    #expect(!PathPatterns(rule + "b").matches(name, isDirectory: false))
    #expect(PathPatterns(rule + "a").matches(name, isDirectory: false))
    #expect(PathPatterns(rule + "**").matches(name, isDirectory: false))
  }

  private func makeOne() async throws -> (DeviceFixture, MemoryStore) {
    let store = MemoryStore()
    return (try await DeviceFixture("a", store), store)
  }

  @Test func `are not uploaded, and are counted`() async throws {
    let (a, _) = try await makeOne()
    try a.write("*.tmp\nbuild/\n!build/keep.txt\n", to: ".docpkgignore")
    for name in ["a.txt", "a.tmp", "build/1.o", "build/keep.txt", "Travel/b.tmp", "Travel/b.txt"] {
      try a.write("text", to: name)
    }
    #expect(try await a.sync().documents.map(\.name) == ["Travel/b.txt", "a.txt"])
    let listing = try await a.container.listing()
    #expect(listing.ignored == 3 && listing.leftOut.isEmpty)
    #expect(listing.items.map(\.name) == ["Travel/b.txt", "a.txt"])
  }

  @Test func `are also the temporary files that the container does not have`() async throws {
    let (a, store) = try await makeOne()
    for name in ["a.txt", "b.txt", "Thumbs.db", "sub/~$a.docx", "a.txt~"] { try a.write("one", to: name) }
    #expect(try await a.sync().documents.map(\.name) == ["a.txt", "b.txt"])
    #expect(try await a.container.listing().ignored == 3)
    // An editor renames a document before it writes it anew: no machine loses it meanwhile.
    try a.rename("b.txt", to: "b.txt~")
    #expect("\(try await a.sync())".contains("b.txt~"))
    let b = try await DeviceFixture("b", store)
    try await b.sync()
    #expect(try await b.container.names() == ["a.txt", "b.txt~"])
    try a.write("two", to: "b.txt~")
    #expect("\(try await a.sync())" == "uploaded b.txt~")
  }

  @Test func `are also the backup that an editor makes of a document by renaming it`() async throws {
    let (a, _) = try await makeOne()
    try await a.upload("one", to: "a.txt")
    try a.rename("a.txt", to: "a.txt~")
    try a.write("two", to: "a.txt")
    for expected in [["uploaded a.txt"], []] {
      #expect(try await a.sync().documents.map(\.description) == expected)
      let listing = try await a.container.listing()
      #expect(listing.items.map(\.name) == ["a.txt"] && listing.ignored == 1)
    }
    // NFS gives this name to a file that was deleted while a program had it open.
    try a.rename("a.txt", to: ".nfs0000000001")
    #expect(try await a.sync().documents.map(\.description) == ["deleted a.txt"])
  }

  @Test func `are no documents of the container, which stay in it under each new rule`() async throws {
    let (a, store) = try await makeOne()
    for name in ["a.txt", "old/b.txt", "old/c.txt"] { try a.write("one", to: name) }
    try await a.uploadPackage("old/Trip.imageNotes", ["Text.txt": "one"])
    try a.write("*.txt\nold/\n", to: ".docpkgignore")
    #expect(try await a.sync().documents.isEmpty)
    try a.write("two", to: "old/b.txt")
    try a.write("new", to: "old/new.txt")
    #expect("\(try await a.sync())" == "uploaded old/b.txt")
    // A new name is no deletion, also if the rules match it.
    try a.rename("old/c.txt", to: "old/d.txt")
    try await a.sync()
    try await a.edit("old/Trip.imageNotes", ["Text.txt": "two"])
    try a.remove("a.txt")
    let events = try await a.sync().documents.map(\.description)
    #expect(Set(events) == ["uploaded old/Trip.imageNotes", "deleted a.txt"])
    let b = try await DeviceFixture("b", store)
    try await b.sync()
    #expect(try await b.container.names() == ["old/Trip.imageNotes", "old/b.txt", "old/d.txt"])
  }

  @Test func `of another machine come here, and their edits go back`() async throws {
    let (a, store) = try await makeOne()
    let b = try await DeviceFixture("b", store)
    try b.write("*.tmp", to: ".docpkgignore")
    try await a.share("one", as: "a.tmp", with: b)
    try b.write("two", to: "a.tmp")
    #expect("\(try await b.sync())" == "uploaded a.tmp")
    // The rules stay on their machine.
    #expect(try await a.container.names() == ["a.tmp"])
  }

  @Test func `are not guessed if the rules cannot be read`() async throws {
    let (a, _) = try await makeOne()
    try createFolder(at: a.url.appending(path: ".docpkgignore"))
    try a.write("text", to: "a.txt")
    let error = await #expect(throws: FilePackageError.self) { try await a.container.sync() }
    #expect("\(try #require(error))".contains(".docpkgignore"))
  }
}
