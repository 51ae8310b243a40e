import CloudContainers
import DurableIO
import FilePackages
import Foundation
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("The known entries of a document", .temporaryDirectory)
struct KnownChildrenTests {
  /// Names whose order differs if a slash counts as a byte like any other.
  private static let names = [
    "a", "a!", "a.txt", "a-b", "b", "Images", "Images 2", "ä", "z", "0", "é", "\u{1}",
  ]

  private func path(_ generator: inout some RandomNumberGenerator) -> PackagePath {
    PackagePath(
      (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        FileName(
          Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
            + "\(Int.random(in: 0..<4, using: &generator))")
      })
  }

  private func hash(_ generator: inout some RandomNumberGenerator) -> ContentHash {
    ContentHash(of: (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private func time(_ generator: inout some RandomNumberGenerator) -> FileTime {
    FileTime(
      seconds: .random(in: -5...5_000_000_000, using: &generator),
      nanoseconds: .random(in: 0..<1_000_000_000, using: &generator))
  }

  private func child(_ path: PackagePath, _ generator: inout some RandomNumberGenerator) -> KnownChild {
    let kind: TreeEntry.Kind
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: kind = .directory
    case 1: kind = .link(Array("../elsewhere".utf8))
    case let number:
      let list = number == 2 ? BlobName(hash(&generator)) : nil
      kind = .file(
        FileContent(
          size: .random(in: 0...(1 << 49), using: &generator), hash: hash(&generator),
          modified: time(&generator),
          list: list))
    }
    var identity: FileIdentity?
    if case .file = kind, Bool.random(using: &generator) {
      // The size of a file can differ from that of its content: see `LocalTree`.
      identity = FileIdentity(
        device: .random(in: 0...(.max), using: &generator), inode: .random(in: 0...(.max), using: &generator),
        size: .random(in: 0...100, using: &generator), modified: time(&generator), changed: time(&generator))
    }
    return KnownChild(TreeEntry(path, kind, mode: 0o640), identity)
  }

  @Test func `are those of a dictionary, after any changes`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20 {
      var expected: [PackagePath: KnownChild] = [:]
      var known = KnownChildren()
      for _ in 0..<12 {
        var changes: [KnownChildren.Change] = []
        for _ in 0..<Int.random(in: 0...200, using: &generator) {
          let path = path(&generator)
          if Int.random(in: 0..<4, using: &generator) == 0 {
            expected[path] = nil
            changes.append(.init(removing: path))
          } else {
            let child = child(path, &generator)
            expected[path] = child
            changes.append(.init(child))
          }
        }
        known = known.updated(changes)
        let sorted = expected.values.sorted { $0.entry.path < $1.entry.path }
        #expect(known.children == sorted)
        #expect(known.count == sorted.count)
        #expect(known.pages.allSatisfy { (1...KnownPage.maximumCount).contains($0.count) })
        #expect(
          KnownChildren(pages: known.pages.compactMap { KnownPage(checking: $0.stored) }).children == sorted)
        for _ in 0..<20 {
          let path = path(&generator)
          #expect(known[path] == expected[path])
          #expect(
            known.names(in: path) == sorted.map(\.entry.path).filter { $0.parent == path }.compactMap(\.name))
        }
        #expect(
          known.names(in: .root) == sorted.map(\.entry.path).filter { $0.parent.isRoot }.compactMap(\.name))
      }
    }
  }

  @Test func `change with the pages of their changes alone`() {
    var generator = SeededGenerator(seed: 8)
    let children = (0..<10_000).map { index in child(PackagePath("file \(index)"), &generator) }
    let known = KnownChildren(children)
    let changed = known.updated([.init(child("file 77", &generator)), .init(removing: "file 5000")])
    #expect(Set(known.pages).intersection(changed.pages).count >= known.pages.count - 2)
    #expect(changed.count == 9_999)
  }

  @Test func `are refused if their bytes are damaged`() throws {
    var generator = SeededGenerator(seed: 9)
    let known = KnownChildren((0..<8).map { child(PackagePath("file \($0)"), &generator) })
    let bytes = try #require(known.pages.first).stored
    for index in bytes.indices {
      for damage: UInt8 in [1, 0x80, 0xFF] {
        var damaged = bytes
        damaged[index] ^= damage
        #expect(KnownPage(checking: damaged) == nil)
      }
      #expect(KnownPage(checking: Array(bytes[..<index])) == nil)
    }
    #expect(KnownPage(checking: []) == nil)
  }

  @Test func `are found without a read after their disk was mounted again, as another device`() throws {
    let disk = try CrashDisk(["Trip.pkg": ["a.txt": "one"]])
    var status = try disk.status(of: "a.txt", in: disk.openDirectory(at: "/Trip.pkg"))
    let node = DocumentNodeID(status)
    status.identity.device += 1
    #expect(DocumentNodeID(status) == node)
    let content = FileContent(size: 3, hash: ContentHash(of: Array("one".utf8)), modified: status.modified)
    let entry = TreeEntry("a.txt", .file(content), mode: status.mode)
    let counting = CountingDisk(disk)
    let look = try LocalTree(
      at: "/Trip.pkg", isPackage: true, known: KnownChildren([KnownChild(entry, status.identity)]),
      on: counting)
    #expect(look.isUnchanged && counting.counts[.openFile] == 0)
  }

  @Test func `have a status only if the clock that dates the files is two seconds after it`() throws {
    let disk = try CrashDisk(["Trip.pkg": ["a.txt": "one"]])
    let written = try disk.status(of: "a.txt", in: disk.openDirectory(at: "/Trip.pkg")).modified
    // This machine's clock may be far ahead of a file server's.
    for (seconds, isKept) in [(1, false), (3, true)] as [(Int64, Bool)] {
      let time = FileTime(seconds: written.seconds + seconds, nanoseconds: written.nanoseconds)
      let look = try LocalTree(at: "/Trip.pkg", isPackage: true, known: KnownChildren(), time: time, on: disk)
      #expect((look.children.children.first?.identity != nil) == isKept)
    }
  }

  @Test func `are compared with the time of the last lock of their folder`() async throws {
    let device = try await DeviceFixture("a", MemoryStore())
    let folder = device.container.session.folder
    try await device.sync()
    let old = Date(timeIntervalSince1970: 1_000)
    let lock = device.url.appending(path: ".docpkg-cloud/lock").path
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: lock)
    #expect(try folder.time()?.seconds == 1_000)
    try await device.sync()
    #expect(try folder.time().map { $0.seconds > 1_000 } == true)
  }
}
