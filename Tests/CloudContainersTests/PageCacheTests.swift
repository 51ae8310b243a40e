import DurableIO
import FilePackages
import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("The pages that a machine knows")
struct PageCacheTests {
  @Test
  func `are not read from the store again, also by another process`() async throws {
    try await withTemporaryDirectory { folder in
      let counter = CallCounter()
      let store = counter.store()
      func blobs() -> BlobStore { BlobStore(store, pages: PageCache(at: folder.appending("pages"))) }
      let root = try await DocumentTree.store(TreeFixture.files(2_000), in: blobs())
      let changed = TreeFixture.file("Images/7.png", "another")
      let new = try await DocumentTree(root, blobs()).updated(with: [changed.path: changed])
      #expect(try await DocumentTree(new, blobs()).entries().count == 2_001)
      #expect(counter[.get] == 0)
      // Another machine reads them once.
      let other = BlobStore(store, pages: PageCache(at: folder.appending("other")))
      #expect(try await DocumentTree(new, other).entries().count == 2_001)
      #expect(counter[.get] > 10)
      counter.reset()
      #expect(try await DocumentTree(new, other).entries().count == 2_001)
      #expect(counter[.get] == 0)
    }
  }

  @Test
  func `count as missing if they are damaged, and come again`() async throws {
    try await withTemporaryDirectory { folder in
      let disk = PosixDisk()
      let cache = PageCache(at: folder.appending("pages"))
      let page = Data("page".utf8)
      let name = BlobName(of: page)
      #expect(await cache.page(name) == nil)
      await cache.insert(page, as: name)
      #expect(await cache.page(name) == page)
      let half = try disk.openDirectory(at: folder.appending("pages").appending("newer"))
      try disk.resize(disk.openFileForWriting(FileName(name.description), in: half), to: 2)
      #expect(await cache.page(name) == nil)
      await cache.insert(page, as: name)
      #expect(await cache.page(name) == page)
    }
  }

  @Test
  func `are the last ones, at most two halves`() async throws {
    try await withTemporaryDirectory { folder in
      let pages = (0..<30).map { Data("page \($0)".utf8) }
      let cache = PageCache(at: folder.appending("pages"), capacity: 10)
      for page in pages {
        await cache.insert(page, as: BlobName(of: page))
        // A page that is in use stays.
        #expect(await cache.page(BlobName(of: pages[0])) == pages[0])
      }
      var kept = 0
      for page in pages where await cache.page(BlobName(of: page)) != nil { kept += 1 }
      #expect((10...20).contains(kept))
      // Another process goes on with the count.
      let next = PageCache(at: folder.appending("pages"), capacity: 10)
      for page in pages { await next.insert(page, as: BlobName(of: page)) }
      let tree = try TestTree.read(folder.appending("pages"), of: PosixDisk())
      #expect(tree.entries.keys.sorted() == ["newer", "older"])
      #expect(tree.entries.values.allSatisfy { $0.entries.count <= 10 })
    }
  }

  @Test
  func `are none if the disk takes no files`() async throws {
    let cache = PageCache(at: "/proc/self/none")
    await cache.insert(Data([1]), as: BlobName(of: Data([1])))
    #expect(await cache.page(BlobName(of: Data([1]))) == nil)
  }
}
