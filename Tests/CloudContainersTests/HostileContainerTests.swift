import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

import CloudContainers

/// A container whose owner wants to do harm: what it has, and the outcome.
enum HostileContent: String, CaseIterable {
  case upwards, deepUpwards, absolute, noName, linkOutside, linkUpwards, throughLink, throughFile
  case twins, twinFolders, twinOfLocal, hiddenFolder, hiddenFolderInCapitals, tooDeep
  case wrongBytes, wrongSize, endless, missing, emptyWithHash, wrongTotals, hugeTotals, hugeFile
  case loop, towerOfPages, millionPages, wrongLevel, outOfOrder, newerPage, noPage
  case wrongList, pieceTooLarge, wrongHash, flatWithTwo, flatFolder

  var code: CloudDataError.Code {
    switch self {
    case .linkOutside, .linkUpwards, .throughLink, .throughFile, .twins, .twinFolders, .twinOfLocal,
      .hiddenFolder,
      .hiddenFolderInCapitals, .hugeTotals, .hugeFile, .millionPages:
      .refused
    case .wrongBytes, .loop: .wrongBytes
    case .endless: .tooLarge
    case .missing: .missing
    case .newerPage: .newerFormat
    default: .invalid
    }
  }

  var isPackage: Bool { self != .flatWithTwo && self != .flatFolder }

  /// Stores the content, beside entries that are in order.
  func root(in store: MemoryStore) async throws -> TreeRoot {
    let blobs = BlobStore(store)
    let good = try await DownloadFixture.file("a good one", Array("good".utf8), in: blobs)
    func file(_ path: PackagePath, _ text: String = "bad") async throws -> TreeEntry {
      try await DownloadFixture.file(path, Array(text.utf8), in: blobs)
    }
    /// Stores a page without a look at it.
    func raw(_ entries: [TreeEntry], _ totals: TreeTotals? = nil) async throws -> TreeRoot {
      let page = TreePage(level: 0, items: entries.sorted { $0.path < $1.path }.map { .entry($0) })
      return TreeRoot(page: try await blobs.put(page.bytes), totals: totals ?? page.totals ?? TreeTotals())
    }
    func above(_ branches: [TreeBranch], level: UInt8 = 1) async throws -> TreeRoot {
      let page = TreePage(level: level, items: branches.map { .branch($0) })
      return TreeRoot(page: try await blobs.put(page.bytes), totals: page.totals ?? TreeTotals())
    }
    func content(_ entry: TreeEntry, _ change: (inout FileContent) -> Void) -> TreeEntry {
      guard case .file(var content) = entry.kind else { return entry }
      change(&content)
      return TreeEntry(entry.path, .file(content), mode: entry.mode)
    }
    switch self {
    case .upwards: return try await raw([good, file("../outside")])
    case .deepUpwards: return try await raw([good, file("folder/../../outside")])
    case .absolute: return try await raw([good, file("/tmp/outside")])
    case .noName: return try await raw([good, file("folder//outside")])
    case .linkOutside: return try await raw([good, TreeEntry("link", .link(Array("/etc".utf8)), mode: 0)])
    case .linkUpwards:
      return try await raw([good, TreeEntry("a/link", .link(Array("../../up".utf8)), mode: 0)])
    case .throughLink:
      return try await raw([
        good, TreeEntry("link", .link(Array("folder".utf8)), mode: 0), file("link/inner"),
      ])
    case .throughFile: return try await raw([good, file("plain"), file("plain/inner")])
    case .twins: return try await raw([good, file("Same"), file("same")])
    case .twinFolders: return try await raw([good, file("Folder/a"), file("folder/b")])
    case .twinOfLocal: return try await raw([good, file("TEXT.TXT")])
    case .hiddenFolder: return try await raw([good, file(".docpkg/log")])
    case .hiddenFolderInCapitals: return try await raw([good, file(".DocPkg/log")])
    case .tooDeep: return try await raw([good, file(PackagePath(Array(repeating: "d", count: 201)))])
    case .wrongBytes, .endless:
      let entry = try await file("bad")
      if case .file(let content) = entry.kind {
        let bytes = self == .endless ? Data(count: 9 << 20) : Data("BAD".utf8)
        try await store.put(bytes, at: BlobName(content.hash).key)
      }
      return try await raw([good, entry])
    case .wrongSize: return try await raw([good, content(file("bad", "bad bytes")) { $0.size = 100 }])
    case .missing: return try await raw([good, TreeFixture.file("bad", "not there")])
    case .emptyWithHash: return try await raw([good, content(file("bad")) { $0.size = 0 }])
    case .wrongTotals: return try await raw([good], TreeTotals(entries: 2, bytes: 4))
    case .hugeTotals: return try await raw([good], TreeTotals(entries: 1 << 60, bytes: 4))
    case .hugeFile:
      return try await raw([
        good, content(file("bad")) { ($0.size, $0.list) = (1 << 49, BlobName(ContentHash(of: [1]))) },
      ])
    case .loop:
      // A page that names itself would need its own hash. So the store gives it under another name.
      let name = BlobName(ContentHash(of: [7]))
      let root = try await above([
        TreeBranch(
          lastPath: "a good one", root: TreeRoot(page: name, totals: TreeTotals(entries: 1, bytes: 4)))
      ])
      if let bytes = try await store.get(root.page.key) { try await store.put(bytes, at: name.key) }
      return root
    case .towerOfPages:
      var root = try await raw([good])
      for level in 1...2 {
        root = try await above(
          [TreeBranch(lastPath: good.path, root: root)], level: UInt8(level))
      }
      return root
    case .millionPages:
      // Few bytes that stand for many pages: each page names one page again and again.
      let leaf = try await raw([good])
      let pages = (0..<100).map { number in
        TreeBranch(
          lastPath: PackagePath("b\(100 + number)"),
          root: TreeRoot(page: leaf.page, totals: TreeTotals(entries: 1 << 20, bytes: 4)))
      }
      return try await above(pages)
    case .wrongLevel:
      let leaf = try await raw([good])
      return try await above(
        [TreeBranch(lastPath: good.path, root: leaf)], level: 3)
    case .outOfOrder:
      let leaf = try await raw([good])
      return try await above([
        TreeBranch(lastPath: good.path, root: leaf), TreeBranch(lastPath: "b", root: leaf),
      ])
    case .newerPage:
      return TreeRoot(page: try await blobs.put(Data([2, 0, 1])), totals: TreeTotals(entries: 1, bytes: 1))
    case .noPage:
      return TreeRoot(
        page: try await blobs.put(Data("<html>".utf8)), totals: TreeTotals(entries: 1, bytes: 1))
    case .wrongList:
      // A list in the place of a piece.
      let list = PieceList([FilePiece(BlobName(ContentHash(of: [1])), size: 5 << 20)])
      let name = try await blobs.put(list.bytes)
      return try await raw([good, content(file("bad")) { ($0.size, $0.list) = (5 << 20, name) }])
    case .pieceTooLarge:
      let pieces = PieceList([
        FilePiece(BlobName(ContentHash(of: [1])), size: 9 << 20),
        FilePiece(BlobName(ContentHash(of: [1])), size: 1 << 20),
      ])
      let name = try await blobs.put(pieces.bytes)
      return try await raw([good, content(file("bad")) { ($0.size, $0.list) = (10 << 20, name) }])
    case .wrongHash:
      // The pieces are right, and the file is another one.
      let one = FilePiece(try await blobs.put(Data("one ".utf8)), size: 4)
      let name = try await PieceList.store([one, one], in: blobs)
      return try await raw([good, content(file("bad")) { ($0.size, $0.list) = (8, name) }])
    case .flatWithTwo: return try await raw([file("Content"), file("More")])
    case .flatFolder: return try await raw([TreeEntry("Content", .directory, mode: 0o755)])
    }
  }
}

@Suite("A container that wants to do harm", .temporaryDirectory)
struct HostileContainerTests {
  @Test(arguments: HostileContent.allCases)
  func `is refused in one sentence, and nothing outside or inside changes`(content: HostileContent)
    async throws
  {
    // Each entry is checked before anything comes (DD3).
    let store = MemoryStore(place: "s3://bucket")
    let blobs = BlobStore(store)
    let local: TestTree = ["Text.txt": "mine"]
    let base = try await DownloadFixture.root(local, values: nil, in: blobs)
    let disk = PosixDisk()
    let path = folder.appending("Trip.pkg")
    if content.isPackage {
      try await DownloadFixture.download(to: path, to: base, in: blobs)
    }
    let hostile = try await content.root(in: store)
    // The hostile version has the local entries, too.
    var target = hostile
    if content == .twinOfLocal {
      target = try await DocumentTree(hostile, blobs).updated(with: [
        "Text.txt": try await DocumentTree(base, blobs).entries().first { $0.path == "Text.txt" }
      ])
    }
    let before = try TestTree.read(folder, of: disk)
    for base in content == .twinOfLocal ? [base] : [base, nil] {
      let error = await #expect(throws: CloudDataError.self, "\(content)") {
        try await DownloadFixture.download(
          to: base == nil ? folder.appending("New.pkg") : path, isPackage: content.isPackage, from: base,
          to: target, in: blobs)
      }
      #expect(error?.code == content.code, "\(content): \(error.map { "\($0)" } ?? "")")
      let text = error?.description ?? ""
      #expect(
        text.contains("s3://bucket") && text.contains("Nothing here was changed") && !text.contains("\n"))
      #expect(try TestTree.read(folder, of: disk) == before)
    }
  }

  @Test
  func `is not asked for a page of a document with too many entries, and the sentence has both numbers`()
    async throws
  {
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    let root = try await DocumentTree.store([TreeEntry("bad", .directory, mode: 0o755)], in: blobs)
    for (entries, isTaken) in [(TreeTotals.limit.entries, true), (TreeTotals.limit.entries + 1, false)] {
      counter.reset()
      let told = TreeRoot(page: root.page, totals: TreeTotals(entries: entries, bytes: 0))
      let error = await #expect(throws: CloudDataError.self) {
        try await DownloadFixture.download(to: "/Trip.pkg", to: told, in: blobs, on: CrashDisk())
      }
      // The page has one entry, as the one that reads it finds out.
      #expect(error?.code == (isTaken ? .invalid : .refused))
      #expect(counter[.get] == (isTaken ? 1 : 0))
      if !isTaken {
        #expect(error?.description.contains("it has 250001 entries, and 250000 are the limit") == true)
      }
    }
  }

  @Test
  func `gets no folder for a file without end, and no more than the disk has`() async throws {
    let disk = try CrashDisk(options: with(.init()) { $0.room = DiskRoom(bytes: 1 << 20) })
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    let content = FileContent(
      size: 1 << 30, hash: ContentHash(of: [1]), modified: FileTime(seconds: 1, nanoseconds: 0),
      list: BlobName(ContentHash(of: [2])))
    let root = try await DocumentTree.store([TreeEntry("bad", .file(content), mode: 0o644)], in: blobs)
    counter.reset()
    let error = await #expect(throws: FilePackageError.self) {
      try await DownloadFixture.download(to: "/Trip.pkg", to: root, in: blobs, on: disk)
    }
    #expect(error?.code == .noSpace && counter[.get] == 1)
    #expect(disk.tree == [:])
  }
}
