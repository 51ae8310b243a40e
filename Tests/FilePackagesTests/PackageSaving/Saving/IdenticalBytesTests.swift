import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("Bytes that are on disk already")
struct IdenticalBytesTests {
  private static let tree: TestTree = [
    "Text.txt": "text", "Link": .link(Array("Text.txt".utf8)), "Folder": ["a.txt": "aaaa"],
    "Run.sh": .file(Array("run!".utf8), mode: 0o755), "Empty": "",
  ]

  private static func expectNothing(_ report: SaveReport, _ store: PackageStore, on disk: CrashDisk)
    async throws
  {
    #expect(report.strategy == .none && report.written == [] && report.isPublished)
    #expect(try await store.plan().isEmpty)
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    try await store.save()
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
  }

  @Test(arguments: [true, false], [true, false])
  func `are not written again`(metadata: Bool, wasSaved: Bool) async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree, metadata: metadata)
    if wasSaved {
      // A store that has saved knows the digests.
      try await store.save("Other.txt", "other", options: metadata ? .keepsHistory : [])
    }
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    try await store.edit([
      .put("Text.txt", "text"), .link("Link", to: "Text.txt"), .put("Folder/a.txt", "aaaa"),
      .put("Empty", ""),
      .put("Run.sh", "run!"),
    ])
    #expect(try await store.plan().isEmpty)
    try await Self.expectNothing(store.save(options: metadata ? .keepsHistory : []), store, on: disk)
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
    #expect(try await store.versions().count == (metadata && wasSaved ? 1 : 0))
    // The tree knows the children again, and gives out the content on disk.
    #expect(try await store.tree.regularFile(at: "Folder/a.txt").text == "aaaa")
    let report = try await store.save([.put("Text.txt", "next"), .put("Folder/a.txt", "aaaa")])
    #expect(report.written == (metadata ? ["Metadata.plist", "Text.txt"] : ["Text.txt"]))
    #expect(try await store.verify().isWhole)
  }

  @Test func `are written where one of them, or the kind is another`() async throws {
    let (_, store) = try await CrashCheck.store(Self.tree)
    for (edit, written) in [
      (Edit.put("Text.txt", "texT"), "Text.txt"), (.put("Empty", "1"), "Empty"),

      (.link("Link", to: "Folder/"), "Link"), (.link("Text.txt", to: "texT"), "Text.txt"),
    ] {
      #expect(try await store.save([edit]).written == ["Metadata.plist", written].sorted(), "\(edit)")
    }
    #expect(try await store.verify().isWhole)
  }

  @Test func `of another program's edit are not taken for those that were saved`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "text")
    try disk.edit("Text.txt", "THEY")
    try await store.put("Text.txt", "THEY")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
  }

  @Test func `over a save that waits are written, since that has others`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    try await store.save("Text.txt", "TEXT", options: .returnsAtCommit)
    try await store.saveAndClose("Text.txt", "text", options: .returnsAtCommit)
    let again = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await again.tree.regularFile(at: "Text.txt").text == "text")
    #expect(try await again.verify().isWhole)
  }

  @Test func `make no version, however often one is restored`() async throws {
    let (_, store) = try await CrashCheck.store(Self.tree)
    try await store.save("Text.txt", "1", options: .keepsHistory)
    let first = try #require(try await store.versions().first).persistentIdentifier
    #expect(try await store.restore(first).save.written == ["Metadata.plist", "Text.txt"])
    for _ in 0..<2 { #expect(try await store.restore(first).save.strategy == .none) }
    #expect(try await store.restore(first, child: "Text.txt").save.strategy == .none)
    #expect(try await store.restorePlan(first).isEmpty)
    let present = try #require(try await store.metadata()).revision
    #expect(try await store.restore(present).save.strategy == .none)
    #expect(try await store.restorePlan(present).isEmpty)
    #expect(try await store.versions().count == 2)
    _ = try await store.undoSave()
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "1")
  }

  @Test func `do not keep undoing from going on`() async throws {
    // The mode alone makes the second state.
    let (_, store) = try await CrashCheck.store(["Text.txt": "0"])
    for mode in [0o600, 0o644] {
      try await store.put("Text.txt", "1")
      try await store.save([.mode("Text.txt", mode)], options: .keepsHistory)
    }
    try await store.save([.mode("Text.txt", 0o600)])
    for _ in 0..<3 { _ = try await store.undoSave() }
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "0")
  }

  @Test func `are told by a digest, without a look at the disk, in a store that has saved`() async throws {
    let counting = CountingDisk(try await CrashCheck.disk(Self.tree, metadata: true))
    let store = try await PackageStore.open(CrashCheck.path, on: counting)
    try await store.save("Text.txt", "TEXT")
    try await store.put("Text.txt", "Text")
    let reads = counting.counts[.read]
    #expect(try await store.plan().lines == ["write Metadata.plist", "write Text.txt (4 B)"])
    #expect(counting.counts[.read] == reads)
  }

  @Test func `of a thousand children that are made anew are not written again`() async throws {
    let names = (0..<1_000).map { "\($0).bin" }
    func bytes(_ number: Int, _ changed: Int?) -> Data {
      var data = Data(repeating: UInt8(truncatingIfNeeded: number), count: 20 << 10)
      data.replaceSubrange(0..<4, with: "\(1_000 + number)".utf8.prefix(4))
      if number == changed { data[10_000] ^= 1 }
      return data
    }
    /// A tree of new wrappers, such as a model makes that does not know the last one.
    func tree(_ changed: Int?) -> FileWrapper {
      FileWrapper(
        directoryWithFileWrappers: Dictionary(
          uniqueKeysWithValues: names.enumerated().map {
            ($1, FileWrapper(regularFileWithContents: bytes($0, changed)))
          }))
    }
    let base = try CrashDisk()
    func statuses() throws -> [FileStatus] {
      let root = try base.openDirectory(at: CrashCheck.path)
      return try names.map { try base.status(of: FileName($0), in: root) }
    }
    let made = try await PackageStore.create(
      tree(nil), CrashCheck.path, contentType: UTType(exportedAs: "com.example.trip"), on: base)
    try await made.store.close()
    let disk = CountingDisk(base)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    // The first save reads the files that are on disk; later ones know their digests.
    let rounds: [(changed: Int, before: [String], mayRead: Bool)] = [
      (500, [], true), (3, ["500.bin"], false), (999, ["3.bin"], false),
    ]
    for (changed, before, mayRead) in rounds {
      let earlier = try statuses()
      let counts = disk.counts
      let report = try await store.save(tree(changed))
      let written = (["Metadata.plist", "\(changed).bin"] + before).sorted()
      #expect(report.written == written)
      #expect(disk.counts[.createFile] - counts[.createFile] <= written.count + 2)
      // One look at each new child tells that the known file is still there.
      let looks = disk.counts[.status] - counts[.status]
      if mayRead {
        #expect(looks < 4_100)
      } else {
        #expect(looks < 1_100 && disk.counts[.openFile] - counts[.openFile] < 12)
      }
      let reused = zip(earlier, try statuses()).count {
        $0.identity.isSameNode(as: $1.identity) && $0.modified == $1.modified
      }
      #expect(reused == names.count - written.count + 1)
    }
    // A log of 1 MiB, and five children of 20 KiB, each in the record and in its file.
    #expect(disk.counts.bytesWritten < (1 << 20) + 5 * (50 << 10))
    // Without an edit nothing is written.
    let counts = disk.counts
    #expect(try await store.save(tree(999)).strategy == .none)
    #expect(disk.counts.bytesWritten == counts.bytesWritten)
    #expect(try await store.verify().isWhole)
  }
}
