import DurableIO
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("A power cut during a download or a removal", .tags(.crash, .scale))
struct CloudCrashTests {
  private static let path: FilePath = "/Trip.pkg"
  private static let first: TestTree = [
    "Text.txt": "old text", "Images": ["1.png": "one", "2.png": "two"], "Gone": ["a": "a"],
  ]
  private static let second: TestTree = [
    "Text.txt": "new text", "Images": ["1.png": "one", "3.png": "three"], "Added": ["b": "b"],
  ]

  /// The states, and whether each had the old document.
  private typealias Found = (sweep: CrashSweep, wereOld: [Bool])

  /// Opens every state that a power cut leaves, and checks that the document is the old or the new one.
  private func check(
    _ disk: CrashDisk, old: TestTree?, new: TestTree?, stopsAtFirst: Bool = false,
    _ body: (any Disk) async throws -> Void
  ) async throws -> Found {
    disk.synchronizeAll()
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await body(disk)
      disk.promise("done")
    }
    var (sweep, wereOld) = (CrashSweep(), [Bool]())
    try await sweep.check(points.reversed(), limit: 8, most: stopsAtFirst ? 0 : 2) { disk, point in
      let now = try await content(disk)
      let isOld = now == old
      wereOld.append(isOld)
      if !isOld && now != new || isOld && !point.promises.isEmpty { return now.map { "\($0)" } ?? "nothing" }
      // The step is done again after the cut, if the document is still the old one.
      if isOld { try await body(disk) }
      return try await content(disk) == new ? nil : "after that"
    }
    return (sweep, wereOld)
  }

  /// Returns the children of the document after an opening; nil if there is none.
  private func content(_ disk: CrashDisk) async throws -> TestTree? {
    do throws(FilePackageError) {
      let store = try await PackageStore.open(Self.path, on: disk)
      let report = try await store.verify()
      guard report.isWhole else { return ["damaged": .file(Array("\(report)".utf8))] }
      try await store.close()
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
    return try DownloadFixture.children(of: Self.path, on: disk)
  }

  private func expect(_ found: Found) {
    #expect(Set(found.wereOld).count == 2)
    found.sweep.expectNoneBad(moreThan: 20)
  }

  @Test
  func `leaves nothing or the new package`() async throws {
    // The document changes in one step (DD1).
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(Self.first, in: blobs)
    let found = try await check(CrashDisk(), old: nil, new: Self.first) { disk in
      try await DownloadFixture.download(to: Self.path, to: root, in: blobs, on: disk)
    }
    expect(found)
  }

  @Test
  func `leaves the old package or the new one, also with large files`() async throws {
    let blobs = BlobStore(MemoryStore())
    let large = TestTree.file([UInt8](repeating: 3, count: 1_200_000))
    var tree = Self.second
    tree["Large.bin"] = large
    let roots = [
      try await DownloadFixture.root(Self.first, in: blobs), try await DownloadFixture.root(tree, in: blobs),
    ]
    let disk = try CrashDisk()
    try await DownloadFixture.download(to: Self.path, to: roots[0], in: blobs, on: disk)
    let found = try await check(disk, old: Self.first, new: tree) { disk in
      try await DownloadFixture.download(to: Self.path, from: roots[0], to: roots[1], in: blobs, on: disk)
    }
    expect(found)
  }

  @Test
  func `leaves the document or nothing`() async throws {
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(Self.first, in: blobs)
    let disk = try CrashDisk()
    try await DownloadFixture.download(to: Self.path, to: root, in: blobs, on: disk)
    let found = try await check(disk, old: Self.first, new: nil) { disk in
      try await DocumentEviction(of: Self.path, isPackage: true, on: disk).run { _ in true }
    }
    expect(found)
  }

  /// Leaves out each sync of a step in turn; returns the number of syncs, and of those without which a state is bad.
  private func leaveOutSyncs(
    old: TestTree?, new: TestTree?, _ prepare: (CrashDisk) async throws -> Void,
    _ body: (any Disk) async throws -> Void
  ) async throws -> (syncs: Int, red: Int) {
    var (syncs, red) = (1, 0)
    var number = 0
    while number < syncs {
      let leftOut = Mutex<Int?>(nil)
      let disk = try CrashDisk(mistake: { $0.number == leftOut.withLock { $0 } ? .leftOut : nil })
      try await prepare(disk)
      let before = disk.syncPoints.count
      leftOut.withLock { $0 = before + number }
      let found = try await check(disk, old: old, new: new, stopsAtFirst: true) { try await body($0) }
      if number == 0 { syncs = disk.syncPoints.count - before }
      if !found.sweep.bad.isEmpty { red += 1 }
      number += 1
    }
    return (syncs, red)
  }

  @Test
  func `is found if a sync is left out`() async throws {
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(["Text.txt": "text"], in: blobs)
    let make = { (disk: any Disk) in
      try await DownloadFixture.download(to: Self.path, to: root, in: blobs, on: disk)
    }
    let new = try await leaveOutSyncs(old: nil, new: ["Text.txt": "text"], { _ in }, make)
    let removal = try await leaveOutSyncs(old: ["Text.txt": "text"], new: nil, make) { disk in
      try await DocumentEviction(of: Self.path, isPackage: true, on: disk).run { _ in true }
    }
    #expect(new.red >= 2 && removal.red >= 1)
  }
}
