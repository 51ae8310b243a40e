import Documents
import DurableIO
import FoundationEssentials
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("Versions that were made apart")
struct ConflictTests {
  static let first: FilePath = "/A.pages"
  static let second: FilePath = "/B.pages"

  /// Returns the texts of a tree by their paths, without the metadata.
  static func texts(_ tree: FileWrapper) throws -> [String: String] {
    var texts: [String: String] = [:]
    for (name, child) in try tree.children() where name != "Metadata.plist" {
      if child.isDirectory {
        for (inner, text) in try Self.texts(child) { texts["\(name)/\(inner)"] = text }
      } else {
        texts[name] = String(decoding: try child.contents(), as: UTF8.self)
      }
    }
    return texts
  }

  static func open(_ path: FilePath, on disk: any Disk) async throws -> PackageStore {
    try await PackageStore.open(path, on: disk)
  }

  static func save(
    _ texts: [String: String?], at path: FilePath, on disk: any Disk,
    options: PackageStore.SavingOptions = .keepsHistory
  ) async throws {
    let store = try await open(path, on: disk)
    try await store.change(texts)
    try await store.save(options: options)
    try await store.close()
  }

  /// Returns the present revision of a document.
  static func revision(_ path: FilePath, on disk: any Disk) async throws -> UUID? {
    try await open(path, on: disk).metadata()?.revision
  }

  /// Makes a document that was changed in two folders and then synchronised.
  static func apart(
    _ base: [String: String], first own: [String: String?], second other: [String: String?],
    keepsHistory: Bool = true, naming name: ((FileName, Bool) -> FileName)? = nil,
    staysFirst: (PackagePath) -> Bool = { _ in false }, on disk: any Disk
  ) async throws -> SyncedFolders {
    let options: PackageStore.SavingOptions = keepsHistory ? .keepsHistory : []
    try await make(base, on: disk).close()
    try await save(["begun.txt": "begun"], at: first, on: disk, options: options)
    var folders = try SyncedFolders(first, second, on: disk)
    if let name { folders.name = name }
    try await save(own, at: first, on: disk, options: options)
    try await save(other, at: second, on: disk, options: options)
    try folders.meet(staysFirst)
    return folders
  }

  private static let base = ["a.txt": "one\ntwo\nthree\n", "Deep/b.txt": "b", "c.txt": "c"]

  @Test(arguments: [true, false], [true, false])
  func `are both found whole, on both sides`(keepsHistory: Bool, staysFirst: Bool) async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      Self.base, first: ["a.txt": "ours", "new.txt": "new"], second: ["a.txt": "theirs", "c.txt": nil],
      keepsHistory: keepsHistory, staysFirst: { _ in staysFirst }, on: disk)
    let own = ["a.txt": "ours", "Deep/b.txt": "b", "c.txt": "c", "new.txt": "new", "begun.txt": "begun"]
    let other = ["a.txt": "theirs", "Deep/b.txt": "b", "begun.txt": "begun"]
    for path in [Self.first, Self.second] {
      let store = try await Self.open(path, on: disk)
      let versions = try await store.conflictVersions()
      // The document in its place has the children of both sides: neither version is there as it was saved.
      #expect(try await !store.isPresentVersionWhole())
      #expect(versions.count == 2)
      // Only the history has a child that one side removed.
      #expect(versions.filter(\.isWhole).count == (keepsHistory ? 2 : 1))
      #expect(versions.flatMap(\.missing) == (keepsHistory ? [] : ["c.txt"]))
      var found: [[String: String]] = []
      for version in versions { found.append(try Self.texts(await store.contents(ofConflict: version.id))) }
      #expect(found.contains(other), "\(found)")
      #expect(found.contains(keepsHistory ? own : own.filter { $0.key != "c.txt" }), "\(found)")
      #expect(try await store.hasConflicts())
    }
  }

  @Test func `are seen by an open document if one copy arrives alone`() async throws {
    let disk = try CrashDisk()
    try await Self.make(Self.base, on: disk).close()
    let open = Document<Pages>(
      fileURL: URL(filePath: Self.first.string), options: .quiet(nil), on: .test(disk))
    try await open.open()
    #expect(await open.documentState == .normal)
    try disk.makeFile(
      "a.sync-conflict-20261121-101112-ABCDEFG.txt", Array("theirs".utf8),
      in: disk.openDirectory(at: Self.first))
    await open.presentedItemDidChange()
    #expect(await open.documentState == .inConflict)
    #expect(try await open.conflictVersions().count == 1)
    let later = Document<Pages>(
      fileURL: URL(filePath: Self.first.string), options: .quiet(nil), on: .test(disk))
    try await later.open()
    #expect(await later.documentState == .inConflict)
    try await later.close()
    #expect(try await open.resolveConflicts(with: .newest))
    #expect(await open.documentState == .normal)
    try await open.close()
  }

  /// Makes a document of these texts.
  static func make(_ texts: [String: String], on disk: any Disk) async throws -> PackageStore {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for (path, text) in texts {
      try tree.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: path)
    }
    let type = UTType(exportedAs: "org.example.pages")
    return try await PackageStore.create(tree, first, contentType: type, on: disk).store
  }

  @Test func `are kept, one or several, as they were`() async throws {
    // The document is whole, although a synchronising program brought some of its files (R2).
    for keepsOther in [true, false] {
      let disk = try CrashDisk()
      _ = try await Self.apart(
        Self.base, first: ["a.txt": "ours", "c.txt": nil], second: ["a.txt": "theirs"], on: disk)
      let store = try await Self.open(Self.first, on: disk)
      let versions = try await store.conflictVersions()
      let ours = try #require(versions.first { $0.differences.contains("a.txt") })
      let report = try await store.resolveConflicts(
        versions, keeping: keepsOther ? ours.id : nil, options: .keepsHistory)
      #expect(report.removed.contains { $0.hasPrefix("a.sync-conflict") })
      let kept = keepsOther ? ["a.txt": "ours"] : ["a.txt": "theirs"]
      var expected = Self.base.merging(["begun.txt": "begun"]) { $1 }.merging(kept) { $1 }
      // The document in its place has the merge of both sides, without this file.
      expected["c.txt"] = nil
      #expect(try Self.texts(await store.tree) == expected)
      #expect(try await store.conflictVersions().isEmpty)
      #expect(try await store.metadata()?.parentRevisions.count == versions.count + 1 - (versions.count - 1))
      #expect(try await store.verify().isWhole)
      // The state before is a version.
      #expect(try await store.versions().count >= 1)
      try await store.close()
    }
  }

  @Test func `are merged, where both changed different children and different lines`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      Self.base, first: ["a.txt": "ONE\ntwo\nthree\n", "Deep/b.txt": "B"],
      second: ["a.txt": "one\ntwo\nTHREE\n", "c.txt": nil, "d.txt": "d"], on: disk)
    for path in [Self.first, Self.second] {
      let store = try await Self.open(path, on: disk)
      let merged = try await store.mergeConflicts(options: .keepsHistory)
      #expect(merged.conflicts.isEmpty && merged.save != nil, "\(merged.conflicts)")
      #expect(
        try Self.texts(await store.tree)
          == ["a.txt": "ONE\ntwo\nTHREE\n", "Deep/b.txt": "B", "d.txt": "d", "begun.txt": "begun"])
      #expect(try await store.verify().isWhole)
      try await store.close()
    }
  }

  @Test func `are left where both changed the same, or both are kept`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      Self.base, first: ["a.txt": "ours\ntwo\nthree\n", "data": "\u{0}ours"],
      second: ["a.txt": "theirs\ntwo\nthree\n", "data": "\u{0}theirs"], on: disk)
    let store = try await Self.open(Self.first, on: disk)
    let before = try SyncedFolders.files(in: Self.first, on: disk)
    let undecided = try await store.mergeConflicts()
    #expect(undecided.save == nil && undecided.conflicts.map(\.path) == ["a.txt", "data"])
    #expect(
      try SyncedFolders.files(in: Self.first, on: disk).filter { !$0.key.isWithin(".docpkg") }
        == before.filter { !$0.key.isWithin(".docpkg") })
    #expect(try await !store.conflictVersions().isEmpty)
    #expect(try await store.mergeConflicts(keepingBoth: true).save != nil)
    let texts = try Self.texts(await store.tree)
    #expect(texts["a.txt"]?.contains("ours\n") == true && texts["a.txt"]?.contains("theirs\n") == true)
    #expect(Set(texts.filter { $0.key.hasPrefix("data") }.values) == ["\u{0}ours", "\u{0}theirs"])
    #expect(try await store.conflictVersions().isEmpty)
  }

  @Test(arguments: [true, false])
  func `are merged with the permissions that one side gave`(isFirst: Bool) async throws {
    let disk = try CrashDisk()
    let base = ["run": "\u{0}old", "text.txt": "one\ntwo\nthree\n", "only": "only", "gone": "gone"]
    try await Self.make(base, on: disk).close()
    try await Self.save(["begun.txt": "begun"], at: Self.first, on: disk)
    var folders = try SyncedFolders(Self.first, Self.second, on: disk)
    let (chmodder, editor) = isFirst ? (Self.first, Self.second) : (Self.second, Self.first)
    let store = try await Self.open(chmodder, on: disk)
    for path in base.keys { try await store.tree.descendant(at: path)?.setPermissions(0o755) }
    try await store.change(["text.txt": "ONE\ntwo\nthree\n"])
    try await store.tree.descendant(at: "text.txt")?.setPermissions(0o755)
    try await store.save(options: .keepsHistory)
    try await store.close()
    try await Self.save(
      ["run": "\u{0}new", "text.txt": "one\ntwo\nTHREE\n", "gone": nil], at: editor, on: disk)
    // The program brings bytes alone, without permissions.
    try folders.meet { _ in isFirst }
    for path in [Self.first, Self.second] {
      let store = try await Self.open(path, on: disk)
      let merged = try await store.mergeConflicts(options: .keepsHistory)
      #expect(merged.conflicts.isEmpty && merged.save != nil, "\(merged.conflicts)")
      try await store.close()
      let tree = try await Self.open(path, on: disk).tree
      #expect(
        try Self.texts(tree) == [
          "run": "\u{0}new", "text.txt": "ONE\ntwo\nTHREE\n", "only": "only", "begun.txt": "begun",
        ])
      for name in ["run", "text.txt", "only"] {
        #expect(try tree.descendant(at: name)?.permissions == 0o755, "\(name) in \(path)")
      }
    }
  }

  @Test func `have a child that one side removed and the other one changed as a conflict`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      Self.base, first: ["c.txt": "C"], second: ["c.txt": nil, "a.txt": "one\n"], on: disk)
    for path in [Self.first, Self.second] {
      let store = try await Self.open(path, on: disk)
      let undecided = try await store.mergeConflicts()
      #expect(undecided.save == nil && undecided.conflicts.map(\.path) == ["c.txt"])
      #expect(try await store.mergeConflicts(keepingBoth: true).save != nil)
      #expect(
        try Self.texts(await store.tree)
          == ["a.txt": "one\n", "Deep/b.txt": "b", "c.txt": "C", "begun.txt": "begun"])
      try await store.close()
    }
  }

  @Test func `that a save has kept are listed, merged and resolved, too`() async throws {
    let disk = try CrashDisk()
    try await Self.make(Self.base, on: disk).close()
    let store = try await Self.open(Self.first, on: disk)
    try disk.replace("a.txt", "zero\none\ntwo\nthree\n", in: Self.first)
    try await store.keepConflict(["a.txt"])
    try disk.replace("a.txt", "one\ntwo\nthree\nfour\n", in: Self.first)
    let again = try await Self.open(Self.first, on: disk)
    let versions = try await again.conflictVersions()
    #expect(versions.map(\.origin) == [.otherProgram] && versions.map(\.differences) == [["a.txt"]])
    // The common base is not known: the common lines count as the base (K2).
    #expect(try await again.mergeConflicts().conflicts.isEmpty)
    #expect(try Self.texts(await again.tree)["a.txt"] == "zero\none\ntwo\nthree\nfour\n")
    #expect(try await again.conflictVersions().isEmpty)
  }

  @Test func `do not lack a child that any other program edited in its place`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      Self.base, first: ["a.txt": "ONE\ntwo\nthree\n"], second: ["a.txt": "one\ntwo\nTHREE\n"], on: disk)
    try disk.replace("c.txt", "edited", in: Self.first)
    let store = try await Self.open(Self.first, on: disk)
    // The document is of one version, with an edit.
    let versions = try await store.conflictVersions()
    #expect(versions.count == 1 && versions.flatMap(\.missing) == [] && !versions.contains(where: \.isWhole))
    #expect(try await store.isPresentVersionWhole())
    #expect(try await store.verify().changed.contains("c.txt"))
    #expect(try await store.mergeConflicts(options: .keepsHistory).conflicts.isEmpty)
    let texts = try Self.texts(await store.tree)
    #expect(texts["a.txt"] == "ONE\ntwo\nTHREE\n" && texts["c.txt"] == "edited")
    #expect(try await store.verify().isAsSaved)
  }

  @Test func `say which children nobody has`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(Self.base, first: ["a.txt": "ours"], second: ["a.txt": "theirs"], on: disk)
    let folder = try disk.openDirectory(at: Self.first)
    try disk.removeFile(SyncedFolders.syncthing("a.txt", isOfFirst: true), in: folder)
    let store = try await Self.open(Self.first, on: disk)
    let version = try #require(try await store.conflictVersions().first)
    #expect(!version.isWhole && version.missing == ["a.txt"])
    await #expect(throws: FilePackageError.self) { try await store.mergeConflicts() }
    // A version with missing children resolves nothing.
    await expect(\FilePackageError.child, "a.txt") {
      try await store.resolveConflicts(store.conflictVersions(), keeping: version.id)
    }
    #expect(try await store.conflictVersions().map(\.id) == [version.id])
    try await store.resolveConflicts(store.conflictVersions(), keeping: nil)
    #expect(try await store.conflictVersions().isEmpty)
  }

  @Test func `are known to a document, and resolved by what decides`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      ["a.txt": "one\ntwo\nthree\n"], first: ["a.txt": "ONE\ntwo\nthree\n"],
      second: ["a.txt": "one\ntwo\nTHREE\n"], on: disk)
    let document = Document<Pages>(
      fileURL: URL(filePath: Self.first.string), options: .quiet(nil), on: .test(disk))
    try await document.open()
    #expect(await document.documentState == .inConflict)
    #expect(try await !document.resolveConflicts(with: ConflictResolver { _ in .undecided }))
    #expect(await document.documentState == .inConflict)
    let merging = ConflictResolver<Pages> { conflict in
      guard let version = conflict.versions.first, let base = version.base else { return .undecided }
      var merged = conflict.present
      merged["a.txt"] =
        ThreeWayMerge(
          base: base["a.txt"] ?? "", ours: version.content["a.txt"] ?? "", theirs: merged["a.txt"] ?? ""
        ).text()
      return .merged(merged)
    }
    try await document.edit { $0["unsaved.txt"] = "unsaved" }
    #expect(try await document.resolveConflicts(with: merging))
    #expect(await document.documentState == .normal)
    #expect(try await document.content["a.txt"] == "ONE\ntwo\nTHREE\n")
    #expect(try await document.content["unsaved.txt"] == "unsaved")
    #expect(try await document.content.pages.keys.sorted() == ["a.txt", "begun.txt", "unsaved.txt"])
    try await document.edit { $0["a.txt"] = "later" }
    try await document.close()
    #expect(try disk.text("a.txt", in: Self.first) == "later")
  }

  @Test func `are decided for good, also if the document cannot be read afterwards`() async throws {
    let disk = try CrashDisk()
    _ = try await Self.apart(
      ["a.txt": "one"], first: ["a.txt": "ours"], second: ["a.txt": "theirs"], on: disk)
    let document = Document<Pages>(
      fileURL: URL(filePath: Self.first.string), options: .quiet(nil), on: .test(disk))
    try await document.open()
    await #expect(throws: DocumentError.self) {
      try await document.resolveConflicts(
        with: ConflictResolver { _ in .merged(Pages(["a.txt": Pages.unreadable])) })
    }
    #expect(try disk.text("a.txt", in: Self.first) == Pages.unreadable)
    // The decision is not in memory: a save does not write over it (D3).
    try await document.edit { $0["a.txt"] = "later" }
    try await document.save()
    #expect(try disk.text("a.txt", in: Self.first) == "later")
    let store = try await Self.open(Self.first, on: disk)
    var kept: [String?] = []
    for version in try await store.conflictVersions() {
      kept.append(try await Self.texts(store.contents(ofConflict: version.id))["a.txt"])
    }
    #expect(kept.contains(Pages.unreadable))
  }
}

extension PackageStore {
  /// Sets the texts of children; nil removes a child.
  func change(_ texts: [String: String?]) throws {
    for (path, text) in texts {
      if let text {
        try tree.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: path)
      } else {
        try tree.removeDescendant(at: path)
      }
    }
  }
}
