import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A conflict copy with any name")
struct ConflictEvidenceTests {
  /// Names of copies: `{b}` is the base of the original's name, `{e}` its extension, `{s}` a second of each copy.
  static let names = [
    // Of programs that people use.
    "{b} (SFConflict ana@example.org 2026-11-21-10-11-{s}){e}", "{b}{e}.conflict1",
    "{b} (conflicting copy){e}",
    "{b} (Ana's conflicted copy 2026-11-21 (1)){e}", "{b} (In Konflikt stehende Kopie von Ana 2026-11-21){e}",
    "{b}_conflict-ana-20261121-1011{s}{e}", "{b} (copie en conflit de Ana 2026-11-21){e}",
    "{b} (copia en conflicto de Ana 2026-11-21){e}", "{b} (Ana 的冲突副本 2026-11-21){e}", "{b}.conflict2{e}",
    // Of programs that do not exist.
    "{b}~laptop{e}", "{b}{e}~2", "{b}{e}.theirs", "{b}@2026-11-21T10:11:{s}{e}", "conflict of {b}{e}",
    "[old] {b}{e}", "{b} [2]{e}", "{b} — Ana{e}", "{b}.mine{e}", "{b}{e}.1", "{b} copy{e}", "{b}__desktop{e}",
    "{b}{e};3", "{b}#conflict{e}", "{b} (1){e}", "{b}{e}.20261121-1011{s}.other", "~{b}{e}", "{b}=dup={e}",
    "{b} Kopie{e}", "{b}.{s}.2026{e}",
  ]

  private static func name(_ pattern: String, of original: FileName) -> FileName {
    let (base, end) = SyncedFolders.split(original)
    let second = String(original.bytes.count % 50 + 10)
    return FileName(
      pattern.replacing("{b}", with: base).replacing("{e}", with: end).replacing("{s}", with: second))
  }

  @Test(arguments: names, [true, false])
  func `is found by the metadata that came with it`(pattern: String, keepsHistory: Bool) async throws {
    let disk = try CrashDisk()
    _ = try await ConflictTests.apart(
      ["a.txt": "one", "Deep/b.txt": "b", "c.txt": "c"], first: ["a.txt": "ours", "Deep/b.txt": "mine"],
      second: ["a.txt": "theirs", "Deep/b.txt": "his"], keepsHistory: keepsHistory,
      naming: { original, _ in Self.name(pattern, of: original) }, on: disk)
    for path in [ConflictTests.first, ConflictTests.second] {
      let store = try await PackageStore.open(path, on: disk)
      #expect(try await store.hasConflicts())
      let versions = try await store.conflictVersions()
      #expect(versions.count == 1 && versions.allSatisfy(\.isWhole), "\(versions)")
      let texts = try await ConflictTests.texts(store.contents(ofConflict: versions.first?.id))
      #expect(texts == ["a.txt": "ours", "Deep/b.txt": "mine", "c.txt": "c", "begun.txt": "begun"])
      try await store.close()
    }
  }

  @Test func `is found under each name in Docs/Conflicts.md`() async throws {
    let page = try Data(contentsOf: projectFolder.appending(path: "Docs/Conflicts.md"))
    let section = String(decoding: page, as: UTF8.self).split(separator: "\n## ")
      .first { $0.hasPrefix("Names of conflict copies") }
    let prose = try #require(section).split(separator: "```").enumerated().filter { $0.offset % 2 == 0 }
    let words = prose.flatMap { $0.element.split(separator: "`") }.map(String.init)
    let names = words.filter { $0.contains("Text") && $0.contains(".txt") && $0 != "Text.txt" }
    #expect(names.count >= 12)
    for name in Set(names) {
      let disk = try CrashDisk()
      let pattern = name.replacing("Text", with: "{b}").replacing(".txt", with: "{e}")
      _ = try await ConflictTests.apart(
        ["a.txt": "one", "c.txt": "c"], first: ["a.txt": "ours"], second: ["a.txt": "theirs"],
        naming: { original, _ in Self.name(pattern, of: original) }, on: disk)
      let store = try await PackageStore.open(ConflictTests.first, on: disk)
      let versions = try await store.conflictVersions()
      #expect(versions.count == 1 && versions.allSatisfy(\.isWhole), "\(name): \(versions)")
      try await store.resolveConflicts(versions, keeping: versions.first?.id)
      #expect(try await store.conflictVersions().isEmpty, "\(name)")
      try await store.close()
    }
  }

  @Test(arguments: [true, false])
  func `is none among notes and their old copies`(isDocument: Bool) async throws {
    let disk = try CrashDisk()
    let names = [
      "Note.md", "Note copy.md", "Note copy 2.md", "Note (1).md", "Note 2.md", "Note.bak", "Note.md.bak",
      "Note.md~",
      "Note.old.md", "Note-old.md", "Copy of Note.md", "Note - Copy.md", "Note (copy).md",
      "Note 2026-11-21.md",
      "Note.md.orig", "Note_v2.md", "old Note.md", "Note Kopie.md", "Note-LAPTOP.md", "Note [2].md",
      "Note.md.1",
    ]
    let path = ConflictTests.first
    let store: PackageStore
    if isDocument {
      store = try await ConflictTests.make(Dictionary(uniqueKeysWithValues: zip(names, names)), on: disk)
      try await store.change(["Note.md": "new"])
      try await store.save()
    } else {
      let notes = TestTree.directory(
        Dictionary(uniqueKeysWithValues: names.map { (FileName($0), TestTree.file(Array($0.utf8))) }))
      try notes.write(to: "A.pages", in: disk.openDirectory(at: "/"), of: disk)
      store = try await PackageStore.open(path, on: disk)
    }
    #expect(try await !store.hasConflicts())
    #expect(try await store.conflictVersions().isEmpty)
    #expect(try await store.possibleCopies().isEmpty)
    #expect(try await store.verify().isWhole)
    try await store.close()
  }

  /// Work that grows with the square of their number would take hours.
  @Test(.timeLimit(.minutes(60))) func `is found among thousands of one file`() async throws {
    let disk = try CrashDisk()
    let store = try await ConflictTests.make(["Text.txt": "ours", "Other.txt": "ours"], on: disk)
    let folder = try disk.openDirectory(at: ConflictTests.first)
    for number in 0..<30_000 {
      let name = FileName("Text.sync-conflict-20261121-\(100_000 + number)-ABCDEFG.txt")
      try disk.makeFile(name, Array("theirs \(number)".utf8), in: folder, mode: 0o644)
    }
    let other: FileName = "Other.sync-conflict-20261121-101112-ABCDEFG.txt"
    try disk.makeFile(other, Array("theirs".utf8), in: folder, mode: 0o644)
    let versions = try await store.conflictVersions()
    #expect(versions.count == 30_000 && versions.filter { $0.differences.count == 2 }.count == 1)
    try await store.close()
  }

  @Test func `is none without such metadata`() async throws {
    let disk = try CrashDisk()
    let names = [
      "Text.txt", "Text (1).txt", "Text copy.txt", "Text.txt.bak", "Text.txt~", "Text.txt.conflict1",
      "Metadata (1).plist", "Metadata-notes.txt", "Text 2.txt", "Text-LAPTOP.txt",
      "Text [conflict of interest].txt", "Gone.sync-conflict-20261121-101112-ABCDEFG.txt",
    ]
    let texts = Dictionary(uniqueKeysWithValues: names.map { ($0, "a note") })
    let store = try await ConflictTests.make(texts, on: disk)
    #expect(try await !store.hasConflicts())
    #expect(try await store.conflictVersions().isEmpty)
    // The metadata of another document, and those of this very state, are no evidence.
    let folder = try disk.openDirectory(at: ConflictTests.first)
    let own = try disk.contents(of: "Metadata.plist", in: folder)
    var other = try PackageMetadata(decoding: Data(own))
    other.identifier = UUID()
    other.revision = UUID()
    try disk.makeFile("Metadata.plist.bak", own, in: folder, mode: 0o644)
    try disk.makeFile("Metadata (2).plist", Array(other.encoded()), in: folder, mode: 0o644)
    #expect(try await !store.hasConflicts())
    #expect(try await store.conflictVersions().isEmpty)
    try await store.close()
  }

  @Test func `is none where '.docpkg' is another program's file`() async throws {
    let disk = try CrashDisk()
    let package: TestTree = ["Text.txt": "text", ".docpkg": "a file"]
    try package.write(to: "A.pages", in: disk.openDirectory(at: "/"), of: disk)
    let store = try await PackageStore.open(ConflictTests.first, on: disk)
    #expect(try await !store.hasConflicts())
    try await store.close()
  }

  @Test func `is perhaps one if another program added it without such metadata`() async throws {
    let disk = try CrashDisk()
    let texts = ["Text.txt": "text", "Text 2.txt": "text 2", "Heights.txt": "heights", "a.txt": "a"]
    let store = try await ConflictTests.make(texts, on: disk)
    // A child that a save wrote is no copy.
    #expect(try await store.possibleCopies().isEmpty)
    let folder = try disk.openDirectory(at: ConflictTests.first)
    let originals = [
      "Text (1).txt": "Text.txt", "Text.txt.conflict1": "Text.txt", "conflict of Text.txt": "Text.txt",
      "Text 2 (copy).txt": "Text 2.txt", "Heights — Ana.txt": "Heights.txt",
      "Metadata (1).plist": "Metadata.plist",
    ]
    for name in Array(originals.keys) + [
      "Text2.txt", "Texts.txt", "data.txt", "Text.md", "Heights.txt2", "todo.txt", "Text.txt~",
      ".Text.txt.swp",
    ] {
      try disk.makeFile(FileName(name), Array("from elsewhere".utf8), in: folder, mode: 0o644)
    }
    try disk.makeDirectory("Text (3).txt", in: folder, mode: 0o755)
    let copies = try await store.possibleCopies()
    #expect(Dictionary(uniqueKeysWithValues: copies.map { ($0.path, $0.original) }) == originals)
    #expect(try await !store.hasConflicts())
    #expect(try await store.conflictVersions().isEmpty)
    let report = try await store.verify()
    #expect(report.possibleCopies == copies && report.isWhole)
    // The next save leaves them, and an accepting repair makes them children.
    try await store.change(["Text.txt": "new"])
    try await store.save()
    #expect(try await store.possibleCopies() == copies)
    #expect(try await store.repair(accepting: true).remaining.isAsSaved)
    #expect(try await store.possibleCopies().isEmpty)
    try await store.close()
  }
}
