import FilePackages
import Foundation
import GRDB
import ObjectStores
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("The pages that a machine knows", .temporaryDirectory)
struct KnownBlobsTests {
  private func known(_ folder: FilePath) throws -> KnownBlobs {
    KnownBlobs(try ContainerState(at: folder.appending("state.sqlite")))
  }

  @Test
  func `are not read from the store again, also by another process`() async throws {
    let counter = CallCounter()
    let store = counter.store()
    func withBlobs<Result>(_ body: (BlobStore) async throws -> Result) async throws -> Result {
      let known = try known(folder)
      let result = try await body(BlobStore(store, known: known))
      try await known.flush()
      return result
    }
    let root = try await withBlobs { try await DocumentTree.store(TreeFixture.files(2_000), in: $0) }
    let changed = TreeFixture.file("Images/7.png", "another")
    let new = try await withBlobs { try await DocumentTree(root, $0).updated(with: [changed.path: changed]) }
    #expect(try await withBlobs { try await DocumentTree(new, $0).entries().count } == 2_001)
    #expect(counter[.get] == 0)
    // Another machine reads them once.
    let other = BlobStore(store, known: KnownBlobs(try ContainerState(at: folder.appending("other"))))
    #expect(try await DocumentTree(new, other).entries().count == 2_001)
    #expect(counter[.get] > 10)
    counter.reset()
    #expect(try await DocumentTree(new, other).entries().count == 2_001)
    #expect(counter[.get] == 0)
  }

  @Test
  func `count as missing if they are damaged, and come again`() async throws {
    let page = Data("page".utf8)
    let name = BlobName(of: page)
    let first = try known(folder)
    #expect(try await first.page(name) == nil)
    try await first.keep(page, as: name)
    try await first.flush()
    let second = try known(folder)
    #expect(try await second.page(name) == page)
    let database = try DatabaseQueue(path: folder.appending("state.sqlite").string)
    try await database.write { try $0.execute(sql: "UPDATE blob SET bytes = x'00'") }
    #expect(try await second.page(name) == nil)
    try await second.keep(page, as: name)
    try await second.flush()
    #expect(try await known(folder).page(name) == page)
  }

  @Test
  func `are the last 8,000`() async throws {
    let known = try known(folder)
    let pages = (0..<8_300).map { Data("page \($0)".utf8) }
    let state = try ContainerState(at: folder.appending("state.sqlite"))
    for page in pages { try await known.keep(page, as: BlobName(of: page)) }
    try await known.flush()
    #expect(try await known.page(BlobName(of: pages[0])) == nil)
    #expect(try await known.page(BlobName(of: pages[8_299])) == pages[8_299])
    let count = try await state.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM blob") }
    #expect(count == 8_000)
  }
}
