import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A child that another program changed")
struct EditedChildrenTests {
  private static let tree: TestTree = [
    "Text.txt": "text", "Notes.txt": "notes", "Images": ["1.png": "one"], "run": "#!/bin/sh",
  ]

  private static func disk() async throws -> CrashDisk { try await CrashCheck.disk(tree, metadata: true) }

  private static func verified(_ disk: any Disk) async throws -> VerificationReport {
    try await PackageStore.open(CrashCheck.path, on: disk).verify()
  }

  private static func row(
    _ text: String, at time: Int64, _ kind: FileKind = .file, mode: UInt16 = 0o644
  ) -> NotedChild {
    let bytes = Array(text.utf8)
    return NotedChild(
      child: ChildSummary(
        path: "a", kind: kind, mode: mode, size: UInt64(bytes.count), content: ContentHash(of: bytes)),
      modified: FileTime(seconds: time, nanoseconds: 0))
  }

  @Test func `is told from a damaged one by its date, and nothing else`() {
    let saved = Self.row("saved", at: 10)
    for (text, kind, mode) in [
      ("saved", FileKind.file, UInt16(0o644)), ("other", .file, 0o644), ("longer text", .file, 0o644),
    ] {
      for time: Int64 in [9, 10, 11] {
        let difference = saved.difference(of: Self.row(text, at: time, kind, mode: mode))
        #expect(difference == (text == "saved" ? nil : time > 10 ? .changed : .damaged), "\(text), \(time)")
      }
    }
    for time: Int64 in [9, 10, 11] {
      #expect(saved.difference(of: Self.row("saved", at: time, mode: 0o755)) == .changed)
      #expect(saved.difference(of: Self.row("other", at: time, .symbolicLink)) == .changed)
      #expect(saved.difference(of: Self.row("", at: time, .directory)) == .changed)
    }
  }

  @Test func `leaves the document whole, and is named`() async throws {
    let disk = try await Self.disk()
    try disk.edit("Notes.txt", "notes and more")
    try disk.edit("Images/1.png", "two")
    let folder = try disk.openDirectory(at: CrashCheck.path)
    try disk.setMode(0o755, of: disk.openFile("run", in: folder))
    try disk.makeFile("New.txt", Array("new".utf8), in: folder)
    let report = try await Self.verified(disk)
    #expect(report.isWhole && !report.isAsSaved && !report.isUnexplained)
    #expect(report.changed == ["Images/1.png", "Notes.txt", "run"] && report.damaged == [])
    #expect(report.extra == ["New.txt"])
    #expect(report.lines.first == "changed by another program: Images/1.png")
    #expect(report.lines.last?.hasPrefix("whole: ") == true)
  }

  @Test func `does not hide another one that is damaged, missing or of an earlier state`() async throws {
    for damage in ["rot", "earlier", "missing", "metadata"] {
      let disk = try await Self.disk()
      try disk.edit("Notes.txt", "theirs")
      let folder = try disk.openDirectory(at: CrashCheck.path)
      switch damage {
      case "rot": try disk.rot("Text.txt", in: CrashCheck.path)
      case "earlier":
        try disk.edit("Text.txt", "earlier")
        try disk.setModified(FileTime(seconds: 1, nanoseconds: 0), of: "Text.txt", in: folder)
      case "missing": try disk.removeFile("Text.txt", in: folder)
      default:
        // The metadata of another state, with the notes of this one.
        let plist = String(decoding: try disk.contents(of: "Metadata.plist", in: folder), as: UTF8.self)
        let other = plist.replacing(/<integer>4<\/integer>/, with: "<integer>5</integer>")
        try disk.edit("Metadata.plist", other)
      }
      let report = try await Self.verified(disk)
      #expect(!report.isWhole, "\(damage): \(report)")
      #expect(report.changed == ["Notes.txt"])
      #expect(report.damaged == (damage == "rot" || damage == "earlier" ? ["Text.txt"] : []))
      #expect(report.missing == (damage == "missing" ? ["Text.txt"] : []))
      #expect(report.isUnexplained == (damage == "metadata"))
    }
  }

  @Test func `stays as it is in a repair, which may accept it`() async throws {
    let disk = try await Self.disk()
    try disk.edit("Notes.txt", "theirs")
    // The saved bytes are there under another name.
    try disk.makeFile("Copy.txt", Array("notes".utf8), in: disk.openDirectory(at: CrashCheck.path))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let repair = try await store.repair()
    #expect(repair.restored == [] && repair.remaining.isWhole && repair.remaining.changed == ["Notes.txt"])
    #expect(try await store.tree.regularFile(at: "Notes.txt").text == "theirs")
    let accepted = try await store.repair(accepting: true)
    #expect(accepted.accepted == ["Copy.txt", "Notes.txt"] && accepted.remaining.isAsSaved)
  }

  // MARK: Taking over

  @Test func `is taken over by a save if the program has read it`() async throws {
    let disk = try await Self.disk()
    try disk.edit("Notes.txt", "theirs")
    try disk.edit("Images/1.png", "two")
    try disk.makeDirectory("New", in: disk.openDirectory(at: CrashCheck.path), mode: 0o755)
    try disk.makeFile("a.txt", Array("a".utf8), in: disk.openDirectory(at: CrashCheck.path.appending("New")))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    _ = try await store.tree.regularFile(at: "Notes.txt").contents()
    try await store.tree.regularFile(at: "New/a.txt").forEachChunk { _ in }
    try await store.save("Text.txt", "mine", options: .keepsHistory)
    let saved = try await store.verify()
    #expect(saved.changed == ["Images/1.png"] && saved.extra == [] && saved.isWhole)
    try await store.close()
    // Another program sees the same.
    let later = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await later.verify().changed == ["Images/1.png"])
    _ = try await later.tree.regularFile(at: "Images/1.png").contents()
    try await later.saveAndClose("Text.txt", "mine again")
    let report = try await later.verify()
    #expect(report.isAsSaved, "\(report)")
    #expect(try await later.versions().count == 2)
    // The version before has no bytes of what the other program wrote over.
    let first = try #require(try await later.versions().last).persistentIdentifier
    let (tree, lost) = try await later.contents(of: first)
    #expect(lost == ["Images/1.png", "Notes.txt"])
    #expect(try tree.regularFile(at: "Text.txt").text == "text")
    #expect(try tree.descendant(at: "New/a.txt") == nil)
  }

  @Test func `is taken over with its folder, which the same save gives other attributes`() async throws {
    let disk = try await Self.disk()
    let folder = try disk.openDirectory(at: CrashCheck.path)
    try disk.makeDirectory("New", in: folder, mode: 0o755)
    try disk.makeFile("a.txt", Array("a".utf8), in: disk.openDirectory(at: CrashCheck.path.appending("New")))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let new = try #require(await store.tree.descendant(at: "New"))
    _ = try await store.tree.regularFile(at: "New/a.txt").contents()
    new.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = UInt(0o700)
    try await store.save(options: .keepsHistory)
    try await store.saveAndClose("Text.txt", "mine")
    let later = try await PackageStore.open(CrashCheck.path, on: disk)
    let report = try await later.verify()
    #expect(report.isAsSaved, "\(report)")
    // The folder was there, but not in the version before.
    let first = try #require(try await later.versions().last).persistentIdentifier
    let (tree, lost) = try await later.contents(of: first)
    #expect(try lost == [] && tree.descendant(at: "New/a.txt") == nil)
  }

  @Test func `is not taken over if it is damaged, or was read in another state`() async throws {
    let disk = try await Self.disk()
    try disk.edit("Notes.txt", "theirs")
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    _ = try await store.tree.regularFile(at: "Notes.txt").contents()
    try disk.edit("Notes.txt", "theirs again")
    try disk.rot("1.png", in: CrashCheck.path.appending("Images"))
    _ = try await store.tree.regularFile(at: "Images/1.png").contents()
    try await store.save("Text.txt", "mine")
    let report = try await store.verify()
    #expect(report.changed == ["Notes.txt"] && report.damaged == ["Images/1.png"])
  }

  enum Way: CaseIterable {
    case remove, putFile, undo, restore, removeTheirFile, replaceTheirFile
  }

  @Test(arguments: Way.allCases)
  func `and that is missing goes with its folder`(way: Way) async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "text"])
    try await store.edit([.folder("Sub"), .folder("Sub/Deep")])
    try await store.edit([.put("Sub/x.txt", "x"), .put("Sub/y.txt", "y"), .put("Sub/Deep/z.txt", "z")])
    try await store.save(options: .keepsHistory)
    let saved = try #require(try await store.metadata()).revision
    let first = try #require(try await store.versions().first).persistentIdentifier
    try await store.close()

    let folder = try disk.openDirectory(at: CrashCheck.path)
    let sub = try disk.openDirectory("Sub", in: folder)
    try disk.rename("y.txt", in: sub, to: "moved.txt", in: folder, .noReplace)
    try disk.removeFile("z.txt", in: disk.openDirectory("Deep", in: sub))
    try disk.removeDirectory("Deep", in: sub)
    if way == .removeTheirFile || way == .replaceTheirFile {
      try disk.removeFile("x.txt", in: sub)
      try disk.removeDirectory("Sub", in: folder)
      try disk.makeFile("Sub", Array("theirs".utf8), in: folder)
    }

    let later = try await PackageStore.open(CrashCheck.path, on: disk)
    switch way {
    case .undo: _ = try await later.undoSave()
    case .restore: _ = try await later.restore(first)
    case .remove, .removeTheirFile: try await later.edit([.remove("Sub")])
    case .putFile, .replaceTheirFile: try await later.put("Sub", "mine")
    }
    try await later.save(options: .keepsHistory)
    let report = try await later.verify()
    #expect(report.isWhole && report.missing == [] && report.extra == ["moved.txt"], "\(report)")
    let (tree, lost) = try await later.contents(of: saved)
    if way == .removeTheirFile || way == .replaceTheirFile {
      #expect(try tree.regularFile(at: "Sub").text == "theirs")
      #expect(lost == [])
    } else {
      // The saved state takes the bytes from the moved file.
      #expect(try tree.regularFile(at: "Sub/y.txt").text == "y")
      #expect(lost == ["Sub/Deep/z.txt"])
    }
  }

  @Test func `costs a save no request to the disk if there is none`() async throws {
    var counts: [Int] = []
    for reads in [false, true] {
      let disk = CountingDisk(try await Self.disk())
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      for path in ["Text.txt", "Notes.txt", "Images/1.png"] {
        let file = try await store.tree.regularFile(at: path)
        if reads { _ = try file.contents() }
      }
      try await store.put("Text.txt", "mine")
      let before = disk.counts.total
      try await store.save()
      counts.append(disk.counts.total - before)
    }
    #expect(counts[0] == counts[1])
  }
}
