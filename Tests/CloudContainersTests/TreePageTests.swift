import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

import CloudContainers

@Suite("A page of a tree")
struct TreePageTests {
  private func page(_ seed: UInt64, level: UInt8) -> TreePage {
    var random = SeededGenerator(seed: seed)
    let names = Set((0..<20).map { "f\(random.next() % 40)/\($0 % 3)\(random.next() % 9)" }).map {
      PackagePath($0)
    }
    return TreePage(
      level: level,
      items: names.sorted().map { path in
        if level == 0 { return .entry(TreeFixture.entry(path.string, &random)) }
        return .branch(
          TreeBranch(
            lastPath: path,
            root: TreeRoot(
              page: BlobName(ContentHash(of: path.bytes)),
              totals: TreeTotals(entries: random.next() % 1_000 + 1, bytes: random.next() % 1_000_000))))
      })
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `comes back, and no changed byte gives a page with another encoding`(seed: UInt64) throws {
    let page = page(seed, level: UInt8(seed % 2))
    let bytes = page.bytes
    #expect(try TreePage(decoding: bytes) == page)
    var refused = 0
    for position in bytes.indices {
      if let cut = try? TreePage(decoding: bytes[..<position]) { #expect(cut.bytes == bytes[..<position]) }
      for value in [0, 0x2F, 0xFF] as [UInt8] where value != bytes[position] {
        var changed = bytes
        changed[position] = value
        if let read = try? TreePage(decoding: changed) {
          #expect(read.bytes == changed)
        } else {
          refused += 1
        }
      }
    }
    #expect(refused > 100)
  }

  @Test
  func `of a newer version is refused in other words than a damaged one`() {
    #expect(throws: TreePage.Problem.newerFormat(2)) { try TreePage(decoding: Data([2, 0, 9, 9])) }
    for bytes in [[], [0], [1], [1, 2], [1, 1], [1, 0, 1], [1, 0, 0, 0, 1, 0]] as [[UInt8]] {
      #expect(throws: TreePage.Problem.self) { try TreePage(decoding: Data(bytes)) }
    }
    #expect(throws: TreePage.Problem.self) {
      try TreePage(decoding: Data([1, 0]) + Data(count: TreePage.maximumSize))
    }
  }

  @Test
  func `that is not what the page above it says is refused`() async throws {
    // A tree that says less, or other paths, or other levels, than it has (DT2).
    let blobs = BlobStore(MemoryStore())
    let items = [TreeFixture.file("b", "1"), TreeFixture.file("c", "22")].map { TreeItem.entry($0) }
    let name = try await blobs.put(TreePage(level: 0, items: items).bytes)
    let right = TreeTotals(entries: 2, bytes: 3)
    func read(_ branches: [TreeBranch], level: UInt8 = 1, _ totals: TreeTotals? = nil) async throws
      -> [TreeEntry]
    {
      let page = TreePage(level: level, items: branches.map { .branch($0) })
      let root = TreeRoot(page: try await blobs.put(page.bytes), totals: totals ?? page.totals ?? right)
      return try await DocumentTree(root, blobs).entries()
    }
    let branch = TreeBranch(lastPath: "c", root: TreeRoot(page: name, totals: right))
    #expect(try await read([branch]).count == 2)
    var (far, few, before) = (branch, branch, branch)
    far.lastPath = "d"
    few.root.totals.entries = 1
    before.lastPath = "b"
    let other = TreeBranch(lastPath: "bb", root: branch.root)
    for branches in [[far], [few], [before], [other, branch]] {
      await expect(\CloudDataError.code, .invalid) { try await read(branches) }
    }
    await #expect(throws: CloudDataError.self) { try await read([branch], level: 2) }
    await #expect(throws: CloudDataError.self) { try await read([branch], TreeTotals(entries: 3, bytes: 3)) }
  }

  @Test
  func `above many entries is refused before the others are read`() async throws {
    let counter = CallCounter()
    let blobs = BlobStore(counter.store())
    let branch = TreeBranch(
      lastPath: "z",
      root: TreeRoot(page: BlobName(ContentHash(of: [1])), totals: TreeTotals(entries: 1 << 40, bytes: 1)))
    let page = TreePage(level: 1, items: [.branch(branch)])
    let root = TreeRoot(page: try await blobs.put(page.bytes), totals: branch.root.totals)
    let error = await #expect(throws: CloudDataError.self) { try await DocumentTree(root, blobs).entries() }
    #expect(error?.code == .refused && counter[.get] == 0)
  }
}
