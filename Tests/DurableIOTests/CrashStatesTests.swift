import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("The states after a power cut", .tags(.crash), .temporaryDirectory)
struct CrashStatesTests {
  private func disk(making count: Int) throws -> CrashDisk {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    for number in 0..<count { try disk.makeDirectory(FileName("\(number)"), in: root, mode: 0o755) }
    return disk
  }

  @Test(arguments: 0...10)
  func `are all subsets of a few changes`(count: Int) throws {
    let trees = try disk(making: count).crashStates().map(\.tree)
    #expect(trees.count == 1 << count)
    #expect(Set(trees).count == 1 << count)
  }

  @Test func `are the telling ones of many changes`() throws {
    let count = 30
    let disk = try disk(making: count)
    let states = disk.crashStates(limit: 2000)
    let trees = Set(states.map(\.tree))
    #expect(trees.count == states.count)
    func tree(_ isKept: (Int) -> Bool) -> TestTree {
      .directory(
        Dictionary(uniqueKeysWithValues: (0..<count).filter(isKept).map { (FileName("\($0)"), [:]) }))
    }
    #expect(trees.contains(tree { _ in true }))
    #expect(trees.contains(tree { _ in false }))
    for number in 0..<count {
      #expect(trees.contains(tree { $0 < number }))
      #expect(trees.contains(tree { $0 == number }))
      #expect(trees.contains(tree { $0 != number }))
      #expect(trees.contains(tree { $0 != number && $0 != (number + 7) % count }))
    }
    // Random states come on top.
    #expect(states.count > 2 + 3 * count - 3 + count * (count - 1) / 2)
  }

  @Test func `are the same for the same seed`() throws {
    let disk = try disk(making: 20)
    func trees(_ seed: UInt64) -> [TestTree] { disk.crashStates(limit: 400, seed: seed).map(\.tree) }
    #expect(trees(1) == trees(1))
    #expect(trees(1) != trees(2))
  }

  @Test func `are no more than asked for, and those with all bytes come first`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    for number in 0..<6 { try disk.makeFile(FileName("\(number)"), [1, 2, 3, 4], in: root, mode: 0o644) }
    // 2 names for each file, 5 contents for each existing one: 6^6.
    let states = disk.crashStates(limit: 500)
    #expect(states.count == 500)
    #expect(Set(states.map(\.tree)).count == 500)
    let whole = states.filter { $0.tree.entries.values.allSatisfy { $0 == .file([1, 2, 3, 4]) } }
    #expect(whole.count == 64)
    #expect(states.contains { $0.tree.entries.count == 6 && $0.tree.entries.values.allSatisfy { $0 == "" } })
    let firstHalf = TestTree.file([1, 2])
    #expect(
      states.contains { $0.tree.entries.count == 6 && $0.tree.entries.values.allSatisfy { $0 == firstHalf } })
  }

  @Test func `are as many as names and contents make when they are few`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    for number in 0..<3 { try disk.makeFile(FileName("\(number)"), [1, 2, 3, 4], in: root, mode: 0o644) }
    #expect(disk.crashStates().count == 6 * 6 * 6)
  }

  @Test func `begin with the one in which nothing was lost`() throws {
    let disk = try CrashDisk(["a": "a"])
    let root = try disk.openDirectory(at: "/")
    try disk.rename("a", in: root, to: "b", in: root, .noReplace)
    try disk.makeFile("c", [1, 2], in: root)
    #expect(disk.crashStates().first?.tree == disk.tree)
    #expect(disk.crashStates(limit: 1).map(\.tree) == [disk.tree])
  }

  @Test func `tell what was kept and what was lost`() throws {
    let disk = try CrashDisk(["a": "a", "d": [:]])
    let root = try disk.openDirectory(at: "/")
    try disk.rename("a", in: root, to: "b", in: disk.openDirectory("d", in: root), .noReplace)
    let descriptions = disk.crashStates().map(\.description)
    #expect(descriptions == ["kept: rename /a to /d/b", "lost: rename /a to /d/b"])
  }

  // MARK: Mounted

  @Test func `can be mounted and cut again`() throws {
    let disk = try disk(making: 3)
    let before = try disk.status(of: "0", in: disk.openDirectory(at: "/"))
    for state in disk.crashStates() {
      let mounted = state.mount()
      #expect(mounted.tree == state.tree)
      #expect(mounted.openDescriptors == 0)
      #expect(mounted.crashStates().map(\.tree) == [state.tree])

      let root = try mounted.openDirectory(at: "/")
      let lockIsFree = try mounted.lock(root, .exclusive)
      #expect(lockIsFree)
      if state.tree["0"] != nil {
        #expect(try mounted.status(of: "0", in: root).identity == before.identity)
      }
      try mounted.makeFile("recovered", [], in: root, mode: 0o644)
      #expect(try mounted.status(of: "recovered", in: root).modified > before.modified)
      let again = Set(mounted.crashStates().map(\.tree))
      var recovered = state.tree
      recovered["recovered"] = ""
      #expect(again == [state.tree, recovered])
    }
    #expect(disk.crashStates().count == 8)
  }

  @Test func `give the numbers of lost files to new ones`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    try disk.makeFile("lost", [], in: root)
    let lost = try disk.status(of: "lost", in: root)
    for state in disk.crashStates() where state.tree == [:] {
      let mounted = state.mount()
      let root = try mounted.openDirectory(at: "/")
      try mounted.makeFile("new", [], in: root)
      let new = try mounted.status(of: "new", in: root)
      #expect(new.identity.isSameNode(as: lost.identity))
      #expect(new.identity.changed > lost.identity.changed)
      let (earlier, later) = (try #require(lost.born), try #require(new.born))
      #expect(earlier < later)
    }
  }

  // MARK: Random changes

  /// Makes a random change. Most changes succeed, and it does not matter which.
  private func change(_ disk: any Disk, _ folders: [Folder], _ generator: inout SeededGenerator) -> String {
    let names: [FileName] = ["a", "b", "c", "d"]
    let (from, to) = (folders.indices.random(&generator), folders.indices.random(&generator))
    let (one, two) = (folders[from], folders[to])
    let (first, second) = (names[names.indices.random(&generator)], names[names.indices.random(&generator)])
    let kind = Int.random(in: 0..<10, using: &generator)
    let reason = reason {
      switch kind {
      case 0, 1: try disk.makeFile(first, first.bytes + [UInt8(from)], in: one.descriptor)
      case 2: try disk.makeDirectory(first, in: one.descriptor, mode: 0o755)
      case 3: try disk.link(first, in: one.descriptor, to: second, in: two.descriptor)
      case 4: try disk.rename(first, in: one.descriptor, to: second, in: two.descriptor, .replace)
      case 5: try disk.rename(first, in: one.descriptor, to: second, in: two.descriptor, .noReplace)
      case 6, 7: try disk.rename(first, in: one.descriptor, to: second, in: two.descriptor, .exchange)
      case 8: try disk.removeFile(first, in: one.descriptor)
      default: try disk.removeDirectory(first, in: one.descriptor)
      }
    }
    return "\(kind) \(from)/\(first.display) \(to)/\(second.display): \(reason?.description ?? "done")"
  }

  private static let start: TestTree = [
    "1": ["a": "x", "d": ["e": "e"]], "2": ["a": "y", "b": "z"], "c": "w",
  ]

  private func folders(_ root: Folder) throws -> [Folder] {
    [root, try root.folder("1"), try root.folder("2"), try root.folder("1/d")]
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `of random changes hold the promises of every synchronisation`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let disk = try CrashDisk(Self.start)
    let folders = try folders(Folder(disk, "/"))
    for _ in 0..<60 {
      _ = change(disk, folders, &generator)
      // The state without a loss is the tree that programs see.
      #expect(disk.crashStates(limit: 1, seed: seed).first?.tree == disk.tree)
      guard Int.random(in: 0..<4, using: &generator) == 0 else { continue }

      // A synced directory has its entries in every state that still has the directory.
      let folder = folders[Int.random(in: folders.indices, using: &generator)]
      try disk.synchronize(folder.descriptor)
      let kept = (try? folder.names()) ?? []
      let inode = try disk.status(of: folder.descriptor).identity.inode
      for state in disk.crashStates(limit: 40, seed: seed) {
        let mounted = state.mount()
        guard let found = try Self.names(ofDirectory: inode, in: Folder(mounted, "/")) else { continue }
        #expect(found == kept, "\(state)")
      }
    }
    for folder in folders { try disk.synchronize(folder.descriptor) }
    try Self.synchronizeAll(Folder(disk, "/"))
    #expect(disk.crashStates().map(\.tree) == [disk.tree])
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `are of a disk that answers like the one of this machine`(seed: UInt64) throws {
    let real = try EveryDisk.posix.folder()
    let crash = try Folder(CrashDisk(), "/")
    try real.make(Self.start)
    try crash.make(Self.start)
    let (realFolders, crashFolders) = (try folders(real), try folders(crash))
    var (realGenerator, crashGenerator) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
    for _ in 0..<80 {
      let answer = change(real.disk, realFolders, &realGenerator)
      let crashAnswer = change(crash.disk, crashFolders, &crashGenerator)
      #expect(crashAnswer == answer)
    }
    #expect(try real.tree.differences(in: crash.tree) == "")
    #expect(try Self.withLinks(real) == Self.withLinks(crash))
  }

  private static func names(ofDirectory inode: UInt64, in folder: Folder) throws -> [FileName]? {
    if try folder.disk.status(of: folder.descriptor).identity.inode == inode { return try folder.names() }
    for name in try folder.names() where try folder.status(name).kind == .directory {
      if let found = try names(ofDirectory: inode, in: folder.folder(name.string)) { return found }
    }
    return nil
  }

  private static func synchronizeAll(_ folder: Folder) throws {
    for name in try folder.names() {
      switch try folder.status(name).kind {
      case .directory: try synchronizeAll(folder.folder(name.string))
      case .file: try folder.disk.synchronize(folder.disk.openFile(name, in: folder.descriptor))
      default: break
      }
    }
    try folder.disk.synchronize(folder.descriptor)
  }

  /// Returns every path with its kind and, except for directories, the number of names.
  private static func withLinks(_ folder: Folder) throws -> [String] {
    try folder.names().flatMap { name -> [String] in
      let status = try folder.status(name)
      guard status.kind == .directory else { return ["\(name.string) \(status.links) \(status.size)"] }
      return ["\(name.string)/"] + (try withLinks(folder.folder(name.string))).map { "\(name.string)/\($0)" }
    }
  }
}

extension Range<Int> {
  fileprivate func random(_ generator: inout SeededGenerator) -> Int {
    Int.random(in: self, using: &generator)
  }
}
