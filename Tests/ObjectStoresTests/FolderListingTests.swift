import DurableIO
import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("A listing of a store in a folder", .temporaryDirectory)
struct FolderListingTests {
  /// Makes empty objects, and makes none of them durable.
  private func make(_ names: some Sequence<String>, in folder: String, of directory: FilePath) throws {
    let disk = PosixDisk()
    let path = directory.appending(folder)
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    let place = try disk.openDirectory(at: path)
    for name in names { _ = try disk.createFile(FileName(name), in: place, mode: 0o600) }
  }

  @Test(.tags(.scale)) func `reads each folder once`() async throws {
    try make((0..<100_000).map { "\($0)" }, in: "blobs/aa", of: folder)
    try make(["1", "2"], in: "blobs/bb", of: folder)
    let disk = CountingDisk(PosixDisk())
    var keys: [ObjectKey] = []
    try await RetryingStore(FolderStore(folder, on: disk)).listAll("blobs/") { page in
      keys += page.map(\.key)
      return true
    }
    #expect(keys.count == 100_002)
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    // The store's own folder, and three in it.
    #expect(disk.counts[.list] == 4)
    #expect(disk.counts[.status] == 100_002)
  }

  @Test func `leaves out what is removed between two pages, and ends`() async throws {
    let directory = folder
    for folder in ["a", "b", "c"] { try make((1...4).map { "\($0)" }, in: folder, of: directory) }
    let store = FolderStore(directory, on: PosixDisk())
    let first = try await store.list("", limit: 2)
    #expect(first.objects.map(\.key) == ["a/1", "a/2"] && first.hasMore)
    try await store.delete("a/3")
    try FileManager.default.removeItem(atPath: directory.appending("b").string)
    let second = try await store.list("", after: "a/2", limit: 2)
    #expect(second.objects.map(\.key) == ["a/4", "c/1"] && second.hasMore)
    try FileManager.default.removeItem(atPath: directory.appending("c").string)
    let last = try await store.list("", after: "c/1", limit: 2)
    #expect(last.objects.isEmpty && !last.hasMore)
    // A page can be asked for twice.
    try make(["1", "2"], in: "b", of: directory)
    #expect(try await store.list("", after: "a/4", limit: 9).objects.map(\.key) == ["b/1", "b/2"])
  }
}
