import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

import CloudContainers

@Suite("The tree of a document")
struct DocumentTreeTests {
  @Test(arguments: [0, 1, 2, 500, 20_000])
  func `gives the entries that were stored, and the totals`(count: Int) async throws {
    let entries = count == 0 ? [] : TreeFixture.files(count)
    let blobs = BlobStore(MemoryStore())
    let root = try await DocumentTree.store(entries, in: blobs)
    #expect(try await DocumentTree(root, blobs).entries() == entries)
    #expect(
      root.totals == TreeTotals(entries: UInt64(entries.count), bytes: entries.reduce(0) { $0 + $1.size }))
    #expect(TreeRoot(bytes: root.bytes[...]) == root)
    // Without a store, the root is the same.
    #expect(try await DocumentTree.store(entries, in: nil) == root)
  }

  @Test
  func `refuses entries out of order, and entries that no tree can have`() async throws {
    let (one, two) = (TreeFixture.file("a"), TreeFixture.file("b"))
    for entries in [
      [two, one], [one, one], [TreeFixture.file("../a")], [TreeFixture.file("")], [TreeFixture.file("a//b")],
      [TreeFixture.file(String(repeating: "long/", count: 2_000) + "a")],
      [TreeEntry("a", .link([]), mode: 0)],
    ] {
      await #expect(throws: CloudDataError.self) { try await DocumentTree.store(entries, in: nil) }
    }
    let blobs = BlobStore(MemoryStore())
    let root = try await DocumentTree.store([one], in: blobs)
    await #expect(throws: CloudDataError.self) {
      try await DocumentTree(root, blobs).updated(with: ["..": TreeFixture.file("..")])
    }
  }

  @Test
  func `has one change in a few pages of ten thousands`() async throws {
    let counter = CallCounter()
    let store = counter.store()
    let root = try await DocumentTree.store(TreeFixture.files(20_000), in: BlobStore(store))
    let all = counter[.put]
    #expect((120...260).contains(all), "\(all) pages")
    counter.reset()
    let changed = TreeFixture.file("Images/4711.png", "another")
    let blobs = BlobStore(store)
    let new = try await DocumentTree(root, blobs).updated(with: [changed.path: changed])
    #expect(counter[.get] == 2 && counter[.put] <= 4)
    counter.reset()
    let differences = try await DocumentTree.differences(from: root, to: new, in: blobs)
    #expect(
      differences == [
        TreeDifference(
          path: changed.path, old: TreeFixture.file("Images/4711.png", "image 4711"), new: changed)
      ])
    #expect(counter[.get] <= 6)
    counter.reset()
    #expect(try await DocumentTree.differences(from: new, to: new, in: blobs).isEmpty)
    #expect(counter[.get] == 0)
    // The same change again is none.
    #expect(try await DocumentTree(new, blobs).updated(with: [changed.path: changed]) == new)
    #expect(try await DocumentTree(new, blobs).updated(with: ["absent": nil]) == new)
    #expect(counter[.put] == 0)
  }

  /// Names that make pages of every size: usual ones, long ones, and those at which pages end.
  private func names(_ kind: Int) -> [String] {
    switch kind {
    case 0: return (0..<1_200).map { "Images/\($0).png" }
    case 1:
      return (0..<400).map { "\($0)" + String(repeating: "x", count: 150) + "/" + String($0 * 7919 % 400) }
    default:
      // Every page ends after one of these (DT1).
      return (0..<20_000).map { "n\($0)" }.filter { TreePage.isEnd(PackagePath($0)) }
    }
  }

  @Test(arguments: 0..<3, [1 as UInt64, 2])
  func `is the same however it came about, and comparisons find each difference`(kind: Int, seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let blobs = BlobStore(MemoryStore())
    let names = names(kind)
    var entries: [PackagePath: TreeEntry] = [:]
    var root = try await DocumentTree.store([], in: blobs)
    for step in 0..<12 {
      var changes: [PackagePath: TreeEntry?] = [:]
      let share = [1, 2, 50, names.count][Int.random(in: 0..<4, using: &random)]
      let isShrinking = step % 6 == 5
      for _ in 0..<share {
        guard let name = names.randomElement(using: &random) else { continue }
        let isRemoved = Int.random(in: 0..<4, using: &random) == 0 || isShrinking
        changes.updateValue(isRemoved ? nil : TreeFixture.entry(name, &random), forKey: PackagePath(name))
      }
      if isShrinking, Bool.random(using: &random) {
        for path in entries.keys { changes.updateValue(nil, forKey: path) }
      }
      let before = entries
      for (path, entry) in changes { entries[path] = entry }
      let new = try await DocumentTree(root, blobs).updated(with: changes)
      let sorted = entries.values.sorted { $0.path < $1.path }
      #expect(try await DocumentTree.store(sorted, in: nil) == new, "step \(step)")
      #expect(try await DocumentTree(new, blobs).entries() == sorted)
      let differences = try await DocumentTree.differences(from: root, to: new, in: blobs)
      let expected = Set(before.keys).union(entries.keys).sorted().compactMap { path in
        before[path] == entries[path]
          ? nil : TreeDifference(path: path, old: before[path], new: entries[path])
      }
      #expect(differences == expected)
      root = new
    }
  }
}
