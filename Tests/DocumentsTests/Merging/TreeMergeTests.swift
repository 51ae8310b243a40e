import Documents
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

/// The files of a tree by path; a path that ends in a slash is an empty folder.
typealias Files = [String: String]

extension FileWrapper {
  convenience init(_ files: Files) throws {
    self.init(directoryWithFileWrappers: [:])
    for (path, text) in files.sorted(by: { $0.key < $1.key }) {
      let isFolder = path.hasSuffix("/")
      let node =
        isFolder
        ? FileWrapper(directoryWithFileWrappers: [:]) : FileWrapper(regularFileWithContents: Data(text.utf8))
      try setDescendant(node, at: isFolder ? String(path.dropLast()) : path)
    }
  }

  func files(_ prefix: String = "") throws -> Files {
    var files: Files = [:]
    for (key, child) in try children() {
      guard child.isDirectory else {
        files[prefix + key] = String(decoding: try child.contents(), as: UTF8.self)
        continue
      }
      let inner = try child.files(prefix + key + "/")
      if inner.isEmpty { files[prefix + key + "/"] = "" }
      files.merge(inner) { $1 }
    }
    return files
  }
}

extension FileWrapper {
  func setPermissions(_ mode: UInt16) {
    fileAttributes[FileAttributeKey.posixPermissions.rawValue] = UInt(mode)
  }
}

@Suite("A merge of trees", .temporaryDirectory)
struct TreeMergeTests {
  private static func merge(_ base: Files, _ ours: Files, _ theirs: Files) throws -> (
    files: Files, conflicts: [MergeConflict]
  ) {
    let merge = try TreeMerge(base: FileWrapper(base), ours: FileWrapper(ours), theirs: FileWrapper(theirs))
    return (try merge.apply().files(), merge.conflicts)
  }

  struct Example: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var base, ours, theirs, merged: Files
    var conflicts: [MergeConflict] = []
  }

  static let examples: [Example] = [
    Example(
      testDescription: "different children", base: ["a": "1", "b": "2", "f/c": "3"],
      ours: ["a": "x", "b": "2", "f/c": "3", "g/new": "4"],
      theirs: ["b": "2", "f/c": "y", "f/d": "5", "a": "1"],
      merged: ["a": "x", "b": "2", "f/c": "y", "f/d": "5", "g/new": "4"]),
    Example(
      testDescription: "the same change", base: ["a": "1", "b": "2"], ours: ["a": "x"], theirs: ["a": "x"],
      merged: ["a": "x"]),
    Example(
      testDescription: "the same child", base: ["f/a": "1"], ours: ["f/a": "x"], theirs: ["f/a": "y"],
      merged: ["f/a": "x"], conflicts: [MergeConflict("f/a", .bothChanged, kept: .ours)]),
    Example(
      testDescription: "removed by us and changed by them", base: ["f/a": "1", "f/b": "2"], ours: ["f/": ""],
      theirs: ["f/a": "y", "f/b": "2"],
      merged: ["f/a": "y"], conflicts: [MergeConflict("f/a", .removedByUs, kept: .theirs)]),
    Example(
      testDescription: "a folder removed by them, in which we changed something",
      base: ["f/a": "1", "f/b": "2"],
      ours: ["f/a": "x", "f/b": "2"], theirs: [:], merged: ["f/a": "x"],
      conflicts: [MergeConflict("f/a", .removedByThem, kept: .ours)]),
    Example(
      testDescription: "a folder removed by us, into which they put something", base: ["f/a": "1"], ours: [:],
      theirs: ["f/a": "1", "f/new": "2"], merged: ["f/new": "2"]),
    Example(
      testDescription: "two of one name", base: [:], ours: ["a": "x", "b": "same"],
      theirs: ["a": "y", "b": "same"],
      merged: ["a": "x", "b": "same"], conflicts: [MergeConflict("a", .bothAdded, kept: .ours)]),
    Example(
      testDescription: "a folder that became a file, in which they changed something", base: ["f/a": "1"],
      ours: ["f": "x"],
      theirs: ["f/a": "y"], merged: ["f/a": "y"],
      conflicts: [
        MergeConflict("f", .bothChanged, kept: .theirs), MergeConflict("f/a", .removedByUs, kept: .theirs),
      ]),
    Example(
      testDescription: "a file and a folder of one name", base: [:], ours: ["f/a": "x"], theirs: ["f": "y"],
      merged: ["f": "y"],
      conflicts: [
        MergeConflict("f", .bothAdded, kept: .theirs), MergeConflict("f/a", .bothAdded, kept: .theirs),
      ]),
    Example(
      testDescription: "a folder that became a file, in which we changed something", base: ["f/a": "1"],
      ours: ["f/a": "x"], theirs: ["f": "y"], merged: ["f": "y"],
      conflicts: [
        MergeConflict("f", .bothChanged, kept: .theirs), MergeConflict("f/a", .removedByThem, kept: .theirs),
      ]),
    Example(
      testDescription: "a file removed by us that became a folder", base: ["f": "1"], ours: [:],
      theirs: ["f/a": "y"], merged: ["f/a": "y"],
      conflicts: [MergeConflict("f", .removedByUs, kept: .theirs)]),
    Example(
      testDescription: "a file removed by them that became a folder", base: ["f": "1"], ours: ["f/a": "x"],
      theirs: [:], merged: ["f/a": "x"],
      conflicts: [MergeConflict("f", .removedByThem, kept: .ours)]),
  ]

  @Test(arguments: examples)
  func `of`(_ example: Example) throws {
    let (files, conflicts) = try Self.merge(example.base, example.ours, example.theirs)
    #expect(files == example.merged)
    #expect(conflicts == example.conflicts)
  }

  // MARK: Properties

  /// - Parameter mixes: whether a file may have the name of a folder.
  private static func random(_ generator: inout SeededGenerator, mixes: Bool) -> Files {
    var files: Files = [:]
    for _ in 0..<Int.random(in: 0...7, using: &generator) {
      let folder = ["", "", "f/", "g/", "f/h/"].randomElement(using: &generator) ?? ""
      let name = (mixes ? ["a", "f", "g", "h"] : ["a", "b", "c"]).randomElement(using: &generator) ?? "a"
      let path = folder + name
      // A name has one kind in one tree.
      if files.keys.contains(where: { $0.hasPrefix(path + "/") || path.hasPrefix($0 + "/") }) { continue }
      files[path] = String(Int.random(in: 0...2, using: &generator))
    }
    return files
  }

  private static func edited(_ files: Files, _ generator: inout SeededGenerator) -> Files {
    var edited = files
    for (path, text) in random(&generator, mixes: false) { edited[path] = text }
    for path in edited.keys.sorted() where Int.random(in: 0..<4, using: &generator) == 0 {
      edited[path] = nil
    }
    return edited
  }

  @Test func `is what a model says of random edits`() throws {
    var generator = SeededGenerator(seed: 11)
    var kinds: Set<MergeConflict.Kind> = []
    for round in 0..<400 {
      let base = Self.random(&generator, mixes: false)
      let (ours, theirs) = (Self.edited(base, &generator), Self.edited(base, &generator))
      // The expected merge follows the rules, child by child.
      var (expected, conflicts): (Files, [String: MergeConflict.Kind]) = ([:], [:])
      for path in Set(base.keys).union(ours.keys).union(theirs.keys) {
        let (before, own, other) = (base[path], ours[path], theirs[path])
        if own == other || other == before {
          expected[path] = own
        } else if own == before {
          expected[path] = other
        } else {
          expected[path] = own ?? other
          conflicts[path] =
            own == nil
            ? .removedByUs : other == nil ? .removedByThem : before == nil ? .bothAdded : .bothChanged
        }
      }
      let (files, found) = try Self.merge(base, ours, theirs)
      // A folder of both sides stays, even if each side removed all children that the other one left.
      #expect(files.filter { !$0.key.hasSuffix("/") } == expected, "round \(round)")
      #expect(
        Dictionary(uniqueKeysWithValues: found.map { ($0.path, $0.kind) }) == conflicts, "round \(round)")
      kinds.formUnion(conflicts.values)
      // With the sides exchanged, the conflicts have the same places.
      let turned = try Self.merge(base, theirs, ours)
      #expect(Set(turned.conflicts.map(\.path)) == Set(conflicts.keys), "round \(round)")
    }
    #expect(kinds.count == 4)
  }

  @Test func `keeps its laws, also where files and folders have one name`() throws {
    // Every file of either side is in the result or in a conflict (TM1).
    var generator = SeededGenerator(seed: 12)
    for round in 0..<300 {
      let (base, side) = (Self.random(&generator, mixes: true), Self.random(&generator, mixes: true))
      for (ours, theirs) in [(side, base), (base, side), (side, side)] {
        let (files, conflicts) = try Self.merge(base, ours, theirs)
        #expect(files == side, "round \(round)")
        #expect(conflicts == [], "round \(round)")
      }
      // Two unrelated trees: every file is in the result or in a conflict.
      let other = Self.random(&generator, mixes: true)
      let merge = try TreeMerge(base: FileWrapper(base), ours: FileWrapper(side), theirs: FileWrapper(other))
      let kept = try merge.conflicts.reduce(into: Set(merge.apply().files().values)) { kept, conflict in
        kept.formUnion([side[conflict.path], other[conflict.path]].compactMap { $0 })
      }
      for tree in [side, other] {
        let new = tree.filter { base[$0.key] != $0.value }.values
        #expect(Set(new).isSubset(of: kept), "round \(round)")
      }
    }
  }

  // MARK: On disk

  private static func url(_ folder: FilePath) -> URL { URL(filePath: folder.appending("A.pkg").string) }

  /// Returns three views of one package: before, with our edits, and on disk after another program's.
  private static func trees(
    in folder: FilePath, _ files: Files, ours: (FileWrapper) throws -> Void, theirs: (String) throws -> Void
  ) async throws -> (merge: TreeMerge, store: PackageStore) {
    _ = try await PackageStore.create(
      FileWrapper(files), at: url(folder), contentType: UTType(exportedAs: "org.example.a"))
    let (before, own) = (
      try await PackageStore.open(at: url(folder)), try await PackageStore.open(at: url(folder))
    )
    let base = await before.tree
    // The content of a document has read these files.
    _ = try base.files()
    let mine = await own.tree
    _ = try mine.files()
    try ours(mine)
    try theirs(folder.appending("A.pkg").string)
    let store = try await PackageStore.open(at: url(folder))
    return (try TreeMerge(base: base, ours: mine, theirs: await store.tree), store)
  }

  @Test func `is saved by writing what we changed and nothing else`() async throws {
    // The other children are the very objects of their tree, and are not written (TM2).
    let files = ["Text.txt": "old", "Other.txt": "other", "Images/1.png": "one", "Images/2.png": "two"]
    let (merge, store) = try await Self.trees(in: folder, files) { tree in
      try tree.setDescendant(FileWrapper(regularFileWithContents: Data("mine".utf8)), at: "Text.txt")
      try tree.removeDescendant(at: "Images/1.png")
    } theirs: { path in
      try Data("theirs".utf8).write(to: URL(filePath: path + "/Other.txt"))
      try Data("three".utf8).write(to: URL(filePath: path + "/Images/3.png"))
    }
    #expect(merge.conflicts.isEmpty)
    let report = try await store.save(merge.apply())
    #expect(report.written == ["Metadata.plist", "Text.txt"] && report.removed == ["Images/1.png"])
    var merged = try await PackageStore.open(at: Self.url(folder)).tree.files()
    merged["Metadata.plist"] = nil
    #expect(
      merged == ["Text.txt": "mine", "Other.txt": "theirs", "Images/2.png": "two", "Images/3.png": "three"])
  }

  @Test func `follows what one side renamed`() async throws {
    let files = ["a": "one", "b": "two", "f/c": "three", "d": "four", "e": "five"]
    func renamed(_ tree: FileWrapper, _ old: String, _ new: String) throws {
      let node = try #require(try tree.descendant(at: old))
      try tree.removeDescendant(at: old)
      try tree.setDescendant(node, at: new)
    }
    let (merge, store) = try await Self.trees(in: folder, files) { tree in
      try renamed(tree, "a", "f/mine")
      try tree.setDescendant(FileWrapper(regularFileWithContents: Data("two of mine".utf8)), at: "b")
      try renamed(tree, "d", "mine")
      try renamed(tree, "e", "f/e")
    } theirs: { path in
      // A write in place, so that it is the same file.
      let file = try FileDescriptor.open(FilePath(path + "/a"), .writeOnly)
      _ = try file.closeAfter { try file.writeAll(Array("ONE of theirs".utf8)) }
      try FileManager.default.moveItem(atPath: path + "/b", toPath: path + "/f/theirs")
      try FileManager.default.moveItem(atPath: path + "/d", toPath: path + "/theirs")
      try FileManager.default.removeItem(atPath: path + "/e")
    }
    #expect(
      merge.conflicts == [
        MergeConflict("f/e", .removedByThem, kept: .ours), MergeConflict("mine", .bothMoved, kept: .both),
      ])
    let tree = try merge.apply()
    // The file of a removed child cannot be read any more.
    try tree.removeDescendant(at: "f/e")
    _ = try await store.save(tree)
    var merged = try await PackageStore.open(at: Self.url(folder)).tree.files()
    merged["Metadata.plist"] = nil
    #expect(
      merged == [
        "f/mine": "ONE of theirs", "f/theirs": "two of mine", "f/c": "three", "mine": "four",
        "theirs": "four",
      ])
  }

  @Test(arguments: [true, false])
  func `has the permissions that one side gave, and the bytes of the other`(areOurs: Bool) async throws {
    let files = ["run": "old", "only": "only", "gone": "gone", "both": "both", "f/a": "a"]
    let modes: [(path: String, mode: UInt16)] = [
      ("run", 0o755), ("only", 0o640), ("gone", 0o755), ("f", 0o700),
    ]
    let (merge, store) = try await Self.trees(in: folder, files) { tree in
      try tree.descendant(at: "both")?.setPermissions(0o664)
      if areOurs {
        for (path, mode) in modes { try tree.descendant(at: path)?.setPermissions(mode) }
      } else {
        try tree.setDescendant(FileWrapper(regularFileWithContents: Data("new".utf8)), at: "run")
        try tree.removeDescendant(at: "gone")
      }
    } theirs: { path in
      #expect(chmod(path + "/both", 0o744) == 0)
      if areOurs {
        try Data("new".utf8).write(to: URL(filePath: path + "/run"))
        try FileManager.default.removeItem(atPath: path + "/gone")
      } else {
        for (name, mode) in modes { #expect(chmod(path + "/" + name, mode_t(mode)) == 0) }
      }
    }
    // Permissions alone do not keep a child that the other side removed.
    #expect(merge.conflicts.isEmpty)
    _ = try await store.save(merge.apply())
    try await store.close()
    let tree = try await PackageStore.open(at: Self.url(folder)).tree
    var merged = try tree.files()
    merged["Metadata.plist"] = nil
    #expect(merged == ["run": "new", "only": "only", "both": "both", "f/a": "a"])
    for (path, mode) in modes where path != "gone" {
      #expect(try tree.descendant(at: path)?.permissions == mode, "\(path)")
    }
    #expect(try tree.descendant(at: "both")?.permissions == 0o764)
  }

  @Test func `takes the application's values of the metadata, and no others`() async throws {
    func named(_ name: String, _ tree: FileWrapper) throws {
      var metadata = try PackageMetadata(decoding: tree.regularFile(at: "Metadata.plist").contents())
      metadata.displayName = name
      let file = FileWrapper(regularFileWithContents: try metadata.encoded())
      try tree.setDescendant(file, at: "Metadata.plist")
    }
    _ = try await PackageStore.create(
      FileWrapper(["a": "1"]), at: Self.url(folder), contentType: UTType(exportedAs: "org.example.a"))
    let stores = [
      try await PackageStore.open(at: Self.url(folder)), try await PackageStore.open(at: Self.url(folder)),
    ]
    let (base, ours) = (await stores[0].tree, await stores[1].tree)
    for tree in [base, ours] { _ = try tree.files() }
    try named("Mine", ours)
    // Another program saves, which gives the metadata a new revision.
    let other = try await PackageStore.open(at: Self.url(folder))
    await other.tree.addRegularFile(withContents: Data("2".utf8), preferredFilename: "b")
    try await other.save()
    try await other.close()
    let store = try await PackageStore.open(at: Self.url(folder))
    let merge = try TreeMerge(base: base, ours: ours, theirs: await store.tree)
    #expect(merge.conflicts.isEmpty)
    let report = try await store.save(merge.apply())
    #expect(report.written == ["Metadata.plist"])
    let metadata = try await store.metadata()
    #expect(metadata?.displayName == "Mine" && metadata?.generation == 3)
  }
}

@Suite("A merge of orders")
struct OrderMergeTests {
  @Test(arguments: [
    ("abc", "abc", "abc", "abc", false),
    ("abc", "axbc", "abyc", "axbyc", false),
    ("ab", "abx", "aby", "abxy", false),
    ("abc", "cab", "abc", "cab", false),
    ("abc", "abc", "cabx", "cabx", false),
    ("abc", "cab", "abcx", "cxab", false),
    ("abc", "cab", "bac", "cab", true),
    ("abc", "ac", "abc", "ac", false),
    ("", "x", "y", "xy", false),
  ])
  func `has what both added, behind what it was put behind`(
    base: String, ours: String, theirs: String, merged: String, isConflict: Bool
  ) {
    let removed = Set(base).subtracting(Set(ours).intersection(theirs))
    let merge = OrderMerge(
      base: Array(base), ours: Array(ours), theirs: Array(theirs),
      staying: Set(ours).union(theirs).subtracting(removed))
    #expect(String(merge.elements) == merged)
    #expect(merge.isConflict == isConflict)
  }
}
