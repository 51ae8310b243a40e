import DurableIO
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite(
  "A power cut during a move to or from the container, or between an upload and an eviction",
  .tags(.crash, .scale))
struct CloudMoveCrashTests {
  private static let here: FilePath = "/Cloud/Trip.pkg"
  private static let local: FilePath = "/Local/Trip.pkg"
  private static let tree: TestTree = [
    "Text.txt": "text", "Images": ["1.png": "one", "2.png": .file([UInt8](repeating: 2, count: 6_000))],
  ]

  /// The places where a document is whole after a power cut.
  private enum Place { case here, local, both, none }

  /// The states, and the place of the document in each.
  private typealias Found = (sweep: CrashSweep, places: Set<Place>)

  /// Opens every state that a power cut leaves.
  ///
  /// - Parameters:
  ///   - allowed: the places that are right if these promises were made.
  ///   - resume: does the rest after the cut; the document then has to be in the place `end`.
  private func check(
    _ disk: CrashDisk, end: Place, allowed: (Set<String>) -> Set<Place>,
    _ body: (CrashDisk) async throws -> Void, resume: (CrashDisk, Place) async throws -> Void
  ) async throws -> Found {
    disk.synchronizeAll()
    let points = try await CrashDisk.crashPoints(of: disk) { try await body(disk) }
    var (sweep, places) = (CrashSweep(), Set<Place>())
    try await sweep.check(points.reversed(), limit: 8) { disk, point in
      let place = try await place(on: disk)
      places.insert(place)
      if !allowed(Set(point.promises)).contains(place) { return "\(place)" }
      try await resume(disk, place)
      return try await self.place(on: disk) == end ? nil : "after that"
    }
    return (sweep, places)
  }

  private func place(on disk: CrashDisk) async throws -> Place {
    switch (try await isWhole(Self.here, on: disk), try await isWhole(Self.local, on: disk)) {
    case (true, true): .both
    case (true, false): .here
    case (false, true): .local
    case (false, false): .none
    }
  }

  /// Returns whether the whole document is at a path; false if nothing is there.
  private func isWhole(_ path: FilePath, on disk: CrashDisk) async throws -> Bool {
    do throws(FilePackageError) {
      let store = try await PackageStore.open(path, on: disk)
      let report = try await store.verify()
      try await store.close()
      guard report.isWhole else { throw FilePackageError(.invalidContent, .verify, document: path.string) }
    } catch {
      if error.code == .noSuchFile { return false }
      throw error
    }
    guard try DownloadFixture.children(of: path, on: disk) == Self.tree else {
      throw FilePackageError(.invalidContent, .read, document: path.string)
    }
    return true
  }

  private func expect(_ found: Found, _ places: Set<Place>) {
    #expect(found.places.isSuperset(of: places))
    found.sweep.expectNoneBad(moreThan: 4)
  }

  private func move(_ path: FilePath, to folder: FilePath, on disk: any Disk, copies: Bool) throws {
    var move = DocumentMove(path, to: folder, on: disk)
    move.alwaysCopies = copies
    _ = try move.move(as: "Trip.pkg")
  }

  @Test(arguments: [false, true])
  func `leaves a document that moves in whole in one place, or in both until the next move`(copies: Bool)
    async throws
  {
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(Self.tree, in: blobs)
    let disk = try CrashDisk(["Cloud": [:], "Local": [:]])
    try await DownloadFixture.download(to: Self.local, to: root, in: blobs, on: disk)
    let found = try await check(
      disk, end: .here,
      allowed: { $0.contains("moved") ? [.here] : copies ? [.local, .here, .both] : [.local, .here] }
    ) { disk in
      try move(Self.local, to: "/Cloud", on: disk, copies: copies)
      disk.promise("moved")
    } resume: { disk, place in
      if place != .here { try move(Self.local, to: "/Cloud", on: disk, copies: copies) }
    }
    expect(found, [.local, .here])
  }

  @Test(arguments: [false, true])
  func `leaves a placeholder that moves out absent, or whole in one place, or in both until the next move`(
    copies: Bool
  ) async throws {
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(Self.tree, in: blobs)
    let disk = try CrashDisk(["Cloud": [:], "Local": [:]])
    let found = try await check(
      disk, end: .local,
      allowed: { promises in
        if promises.contains("moved") { return [.local] }
        guard promises.contains("downloaded") else { return [.none, .here] }
        return copies ? [.here, .local, .both] : [.here, .local]
      }
    ) { disk in
      try await DownloadFixture.download(to: Self.here, to: root, in: blobs, on: disk)
      disk.promise("downloaded")
      try move(Self.here, to: "/Local", on: disk, copies: copies)
      disk.promise("moved")
    } resume: { disk, place in
      if place == .none { try await DownloadFixture.download(to: Self.here, to: root, in: blobs, on: disk) }
      if place != .local { try move(Self.here, to: "/Local", on: disk, copies: copies) }
    }
    expect(found, [.none, .here, .local])
  }

  /// Uploads the document of a disk, and then evicts it.
  private func uploadAndEvict(
    _ blobs: BlobStore, on disk: CrashDisk, promisesLate: Bool = false
  ) async throws {
    let entries = try await DownloadFixture.entries(Self.tree, in: blobs)
    _ = try await DocumentTree.store(entries, in: blobs)
    if !promisesLate { disk.promise("uploaded") }
    let known = KnownChildren(entries.map { KnownChild($0) })
    try await DocumentEviction(of: Self.here, isPackage: true, on: disk).run { path in
      // The same bytes and modes count; a new package has the dates of its download.
      try LocalTree(at: path, isPackage: true, known: known, on: disk).isUnchanged
    }
    if promisesLate { disk.promise("uploaded") }
    disk.promise("evicted")
  }

  private func evictions(promisesLate: Bool = false) async throws -> Found {
    let blobs = BlobStore(MemoryStore())
    let root = try await DownloadFixture.root(Self.tree, in: blobs)
    let disk = try CrashDisk(["Cloud": [:], "Local": [:]])
    try await DownloadFixture.download(to: Self.here, to: root, in: blobs, on: disk)
    return try await check(
      disk, end: .none,
      allowed: { $0.contains("evicted") ? [.none] : $0.contains("uploaded") ? [.here, .none] : [.here] }
    ) { disk in
      try await uploadAndEvict(blobs, on: disk, promisesLate: promisesLate)
    } resume: { disk, place in
      if place == .here { try await uploadAndEvict(blobs, on: disk) }
    }
  }

  @Test
  func `between an upload and an eviction leaves the document here or in the container`() async throws {
    expect(try await evictions(), [.here, .none])
    let late = try await evictions(promisesLate: true)
    #expect(!late.sweep.bad.isEmpty, "an eviction before the upload is found")
  }
}
