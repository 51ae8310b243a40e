import Documents
import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("A document that leaves this machine", .temporaryDirectory)
struct DocumentEvictionTests {
  private static let tree: TestTree = ["Text.txt": "text", "Images": ["1.png": "one"]]

  private func make(in folder: FilePath) async throws -> FilePath {
    let blobs = BlobStore(MemoryStore())
    let path = folder.appending("Trip.pkg")
    let root = try await DownloadFixture.root(Self.tree, in: blobs)
    try await DownloadFixture.download(to: path, to: root, in: blobs)
    return path
  }

  private func evict(_ path: FilePath) async throws {
    try await DocumentEviction(of: path, isPackage: true).run { path in
      try DownloadFixture.children(of: path) == Self.tree
    }
  }

  @Test
  func `stays with a change that is not uploaded`() async throws {
    let path = try await make(in: folder)
    let disk = PosixDisk()
    try TestTree.file([1]).write(to: "New.txt", in: disk.openDirectory(at: path), of: disk)
    let before = try TestTree.read(folder, of: disk)
    await expect(\FilePackageError.code, .changedOnDisk) { try await evict(path) }
    #expect(try TestTree.read(folder, of: disk) == before)
  }

  @Test
  func `gets its name back if a program changes it at the last moment`() async throws {
    let path = try await make(in: folder)
    let disk = PosixDisk()
    let before = try TestTree.read(folder, of: disk)
    // The first look is at the document, the second at its hidden name (DE1).
    await expect(\FilePackageError.code, .changedOnDisk) {
      try await DocumentEviction(of: path, isPackage: true).run { $0 == path }
    }
    await #expect(throws: CancellationError.self) {
      try await DocumentEviction(of: path, isPackage: true).run { seen in
        if seen != path { throw CancellationError() }
        return true
      }
    }
    #expect(try TestTree.read(folder, of: disk) == before)
  }

  @Test
  func `stays with a save that is not published, and with conflicts`() async throws {
    let path = try await make(in: folder)
    let disk = PosixDisk()
    let store = try await PackageStore.open(path, on: disk)
    try await store.tree.setDescendant(FileWrapper(regularFileWithContents: Data([1])), at: "Text.txt")
    try await store.save(options: .returnsAtCommit)
    // The container lacks what is in the hidden folder (DE2).
    await expect(\FilePackageError.code, .unsupported) {
      try await DocumentEviction(of: path, isPackage: true).run { _ in true }
    }
    try await store.close()
    let hidden = try disk.openDirectory(".docpkg", in: disk.openDirectory(at: path))
    let conflicts: TestTree = ["1": "another text"]
    try conflicts.write(to: "conflicts", in: hidden, of: disk)
    await expect(\FilePackageError.code, .unsupported) {
      try await DocumentEviction(of: path, isPackage: true).run { _ in true }
    }
    #expect(try DownloadFixture.children(of: path)["Text.txt"] == .file([1]))
    try disk.removeEntries(of: hidden)
    // A history goes with the document.
    try TestTree.file([1]).write(to: "history", in: hidden, of: disk)
    try await DocumentEviction(of: path, isPackage: true).run { _ in true }
    #expect(try TestTree.read(folder, of: disk) == [:])
  }

  @Test
  func `that stays for a change of the last moment goes on with it, and is no other document`() async throws {
    // The eviction asks the store for the content after its look at the document.
    let store = ActingStore(MemoryStore()) { call in
      if case .list(let prefix, _, _) = call { return prefix.hasPrefix("blobs/") }
      return call.key?.string.hasPrefix("blobs/") == true
    }
    let a = try await DeviceFixture("a", store, enclosesSmall: false)
    try await a.upload("one", to: "Notes.txt")
    store.once { try a.write("changed", to: "Notes.txt") }
    await expect(\FilePackageError.code, .changedOnDisk) {
      try await a.container.evict(itemNamed: "Notes.txt")
    }
    try await a.sync()
    #expect(a.text("Notes.txt") == "changed")
    #expect(try await a.container.items().map(\.name) == ["Notes.txt"])
  }
}
