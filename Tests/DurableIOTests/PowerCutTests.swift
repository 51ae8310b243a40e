import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A power cut leaves", .tags(.crash))
struct PowerCutTests {
  /// The trees that a power cut may leave, each as often as a state has it.
  private func trees(_ disk: CrashDisk) -> [TestTree] {
    disk.crashStates().map(\.tree)
  }

  private func expect(
    _ disk: CrashDisk, leaves expected: Set<TestTree>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let trees = trees(disk)
    #expect(Set(trees) == expected, sourceLocation: sourceLocation)
    #expect(trees.count == expected.count, "a state came twice", sourceLocation: sourceLocation)
  }

  // MARK: Files

  @Test func `what is on the medium`() throws {
    let tree: TestTree = ["a": "a", "d": ["b": "b", "l": .link([1])]]
    expect(try CrashDisk(tree), leaves: [tree])
  }

  @Test func `of a new file nothing, its name, or part of its bytes`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    try disk.makeFile("f", [1, 2, 3, 4], in: root, mode: 0o644)
    let contents: [[UInt8]] = [[1, 2, 3, 4], [], [0, 0, 0, 0], [1, 2], [0, 0, 3, 4]]
    expect(disk, leaves: Set([[:]] + contents.map { ["f": .file($0)] }))
    // The name is kept, and the bytes are not.
    try disk.synchronize(root)
    expect(disk, leaves: Set(contents.map { ["f": .file($0)] }))
  }

  @Test func `a synchronised file whole, or without its name`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    try disk.makeFile("f", [1, 2, 3, 4], in: root, mode: 0o644)
    try disk.synchronize(disk.openFile("f", in: root))
    expect(disk, leaves: [[:], ["f": .file([1, 2, 3, 4])]])
    try disk.synchronize(root)
    expect(disk, leaves: [["f": .file([1, 2, 3, 4])]])
  }

  @Test func `attributes old or new until the file is synchronised`() throws {
    let disk = try CrashDisk(["f": "f"])
    let root = try disk.openDirectory(at: "/")
    let file = try disk.openFile("f", in: root)
    try disk.setMode(0o600, of: file)
    expect(disk, leaves: [["f": "f"], ["f": .file([0x66], mode: 0o600)]])
    try disk.synchronize(root)
    expect(disk, leaves: [["f": "f"], ["f": .file([0x66], mode: 0o600)]])
    try disk.synchronize(file)
    expect(disk, leaves: [["f": .file([0x66], mode: 0o600)]])
  }

  @Test func `times and extended attributes only with their file`() throws {
    let disk = try CrashDisk(["f": "f"])
    let file = try disk.openFile("f", in: disk.openDirectory(at: "/"))
    let time = FileTime(seconds: 1, nanoseconds: 2)
    try disk.setModified(time, of: file)
    try disk.setExtendedAttribute("user.a", [1], of: file)
    func found() throws -> Set<Bool> {
      Set(
        try disk.crashStates().map { state in
          let disk = state.mount()
          let file = try disk.openFile("f", in: disk.openDirectory(at: "/"))
          let hasTime = try disk.status(of: file).modified == time
          #expect(try disk.extendedAttributes(of: file) == (hasTime ? ["user.a": [1]] : [:]))
          return hasTime
        })
    }
    #expect(try found() == [true, false])
    try disk.synchronize(file)
    #expect(try found() == [true])
  }

  // MARK: Names

  @Test func `new directories and symbolic links with their entry`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    try disk.makeDirectory("d", in: root, mode: 0o755)
    try disk.makeSymbolicLink(to: [1, 2], named: "l", in: root)
    expect(disk, leaves: [[:], ["d": [:]], ["l": .link([1, 2])], ["d": [:], "l": .link([1, 2])]])
    try disk.synchronize(root)
    expect(disk, leaves: [["d": [:], "l": .link([1, 2])]])
  }

  @Test func `no directory whose own entry was not kept, whatever was kept in it`() throws {
    let disk = try CrashDisk()
    let root = try disk.openDirectory(at: "/")
    try disk.makeDirectory("d", in: root, mode: 0o755)
    let directory = try disk.openDirectory("d", in: root)
    try disk.makeFile("f", [], in: directory, mode: 0o644)
    try disk.synchronize(directory)
    expect(disk, leaves: [[:], ["d": ["f": ""]]])
  }

  @Test func `a removed file until its directory is synchronised`() throws {
    let disk = try CrashDisk(["f": "f", "d": [:]])
    let root = try disk.openDirectory(at: "/")
    try disk.removeFile("f", in: root)
    try disk.removeDirectory("d", in: root)
    expect(disk, leaves: [["f": "f", "d": [:]], ["f": "f"], ["d": [:]], [:]])
    try disk.synchronize(root)
    expect(disk, leaves: [[:]])
  }

  @Test func `a second name until its directory is synchronised`() throws {
    let disk = try CrashDisk(["f": "f", "d": [:]])
    let root = try disk.openDirectory(at: "/")
    let directory = try disk.openDirectory("d", in: root)
    try disk.link("f", in: root, to: "g", in: directory)
    try disk.synchronize(root)
    expect(disk, leaves: [["f": "f", "d": [:]], ["f": "f", "d": ["g": "f"]]])
    for state in disk.crashStates() {
      let mounted = state.mount()
      let links = try mounted.status(of: "f", in: mounted.openDirectory(at: "/")).links
      #expect(links == (state.tree["d"]?["g"] == nil ? 1 : 2))
    }
    try disk.synchronize(directory)
    expect(disk, leaves: [["f": "f", "d": ["g": "f"]]])
  }

  @Test func `of a rename within a directory one name, never none and never both`() throws {
    let disk = try CrashDisk(["a": "new", "b": "old"])
    let root = try disk.openDirectory(at: "/")
    try disk.rename("a", in: root, to: "b", in: root, .replace)
    expect(disk, leaves: [["a": "new", "b": "old"], ["b": "new"]])
    try disk.synchronize(root)
    expect(disk, leaves: [["b": "new"]])
  }

  @Test func `of a rename between directories what each of them has kept`() throws {
    func moved(_ synchronized: String...) throws -> CrashDisk {
      let disk = try CrashDisk(["a": ["f": "f"], "b": [:]])
      let (a, b) = (try Folder(disk, "/a"), try Folder(disk, "/b"))
      try disk.rename("f", in: a.descriptor, to: "g", in: b.descriptor, .noReplace)
      for name in synchronized { try disk.synchronize(Folder(disk, FilePath("/\(name)")).descriptor) }
      return disk
    }
    let (old, new): (TestTree, TestTree) = (["a": ["f": "f"], "b": [:]], ["a": [:], "b": ["g": "f"]])
    expect(try moved(), leaves: [old, new])
    expect(try moved("b"), leaves: [["a": ["f": "f"], "b": ["g": "f"]], new])
    expect(try moved("a"), leaves: [["a": [:], "b": [:]], new])
    expect(try moved("b", "a"), leaves: [new])
    expect(try moved("a", "b"), leaves: [new])
  }

  @Test func `in the old name of a rename what was never moved from it`() throws {
    let disk = try CrashDisk(["a": ["f": "f"], "b": [:], "c": ["h": "h"]])
    let (a, b, c) = (try Folder(disk, "/a"), try Folder(disk, "/b"), try Folder(disk, "/c"))
    try disk.rename("f", in: a.descriptor, to: "h", in: c.descriptor, .exchange)
    try disk.rename("f", in: a.descriptor, to: "g", in: b.descriptor, .noReplace)
    try disk.synchronize(b.descriptor)
    // In the last state the exchange is lost. The old name of the rename then holds "f", so the rename does not remove
    // it.
    expect(
      disk,
      leaves: [
        ["a": [:], "b": ["g": "h"], "c": ["h": "f"]], ["a": ["f": "h"], "b": ["g": "h"], "c": ["h": "f"]],
        ["a": ["f": "f"], "b": ["g": "h"], "c": ["h": "h"]],
      ])
  }

  @Test(
    arguments: [
      (RenameRule.noReplace, ["a": ["x": ["y": "1"]], "b": [:]], ["a": [:], "b": ["z": ["y": "1"]]]),
      (.exchange, ["a": ["x": "1"], "b": ["z": "2"]], ["a": ["x": "2"], "b": ["z": "1"]]),
    ] as [(RenameRule, TestTree, TestTree)])
  func `a directory's rename, and an exchange, done or not, whichever directory was synchronised`(
    rule: RenameRule, old: TestTree, new: TestTree
  ) throws {
    for synchronized in ["", "a", "b"] {
      let disk = try CrashDisk(old)
      let (a, b) = (try Folder(disk, "/a"), try Folder(disk, "/b"))
      try disk.rename("x", in: a.descriptor, to: "z", in: b.descriptor, rule)
      try disk.synchronize(Folder(disk, FilePath("/\(synchronized)")).descriptor)
      expect(disk, leaves: synchronized == "" ? [old, new] : [new])
    }
  }

  @Test func `a document that disappeared, after an exchange with a name that was not kept`() throws {
    let disk = try CrashDisk(["doc": "old"])
    let root = try disk.openDirectory(at: "/")
    try disk.makeFile("new", Array("new".utf8), in: root, mode: 0o644)
    try disk.synchronize(disk.openFile("new", in: root))
    try disk.rename("new", in: root, to: "doc", in: root, .exchange)
    expect(
      disk,
      leaves: [
        ["doc": "old"], ["doc": "old", "new": "new"], ["doc": "new", "new": "old"], ["new": "old"],
      ])
  }

  @Test func `a rename of nothing and a removal of nothing without effect`() throws {
    let disk = try CrashDisk(["kept": "kept"])
    let root = try disk.openDirectory(at: "/")
    try disk.makeDirectory("a", in: root, mode: 0o755)
    try disk.rename("a", in: root, to: "b", in: root, .noReplace)
    try disk.removeDirectory("b", in: root)
    let (kept, a, b): (TestTree, TestTree, TestTree) = (
      ["kept": "kept"], ["kept": "kept", "a": [:]], ["kept": "kept", "b": [:]]
    )
    expect(disk, leaves: [kept, a, b])
  }

  @Test func `what was kept, whatever happens to earlier changes of the same name`() throws {
    let disk = try CrashDisk(["a": [:], "b": ["old": "old"]])
    let (a, b) = (try Folder(disk, "/a"), try Folder(disk, "/b"))
    try disk.makeFile("new", [], in: a.descriptor, mode: 0o644)
    try disk.rename("new", in: a.descriptor, to: "old", in: b.descriptor, .exchange)
    try disk.synchronize(b.descriptor)
    // The entry "new" came first and is not durable: it must not undo the exchange.
    expect(disk, leaves: [["a": ["new": "old"], "b": ["old": ""]]])
  }
}
