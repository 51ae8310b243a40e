import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A disk in memory", .tags(.crash))
struct CrashDiskTests {
  private func folder(_ tree: TestTree = [:], _ change: (inout CrashDisk.Options) -> Void = { _ in }) throws
    -> Folder
  {
    var options = CrashDisk.Options()
    change(&options)
    return try Folder(CrashDisk(tree, options: options), "/")
  }

  @Test func `cannot exchange, keep what is there, or link when it is told so`() throws {
    func rename(
      _ rule: RenameRule, to name: FileName, _ change: (inout CrashDisk.Options) -> Void
    ) throws -> Errno? {
      let root = try folder(["a": "a", "b": "b"], change)
      return reason { try root.disk.rename("a", in: root.descriptor, to: name, in: root.descriptor, rule) }
    }
    #expect(try rename(.exchange, to: "b") { $0.supportsExchange = false } == .invalidArgument)
    #expect(try rename(.noReplace, to: "c") { $0.supportsExchange = false } == nil)
    #expect(try rename(.noReplace, to: "c") { $0.supportsNoReplace = false } == .invalidArgument)
    #expect(try rename(.exchange, to: "b") { $0.supportsNoReplace = false } == nil)
    #expect(try rename(.replace, to: "b") { $0.supportsNoReplace = false } == nil)
    let root = try folder(["a": "a"]) { $0.supportsLinks = false }
    #expect(
      reason { try root.disk.link("a", in: root.descriptor, to: "b", in: root.descriptor) } == .notPermitted)
  }

  @Test func `shares bytes when it is told so, and keeps them like written ones`() throws {
    let root = try folder(["a": "0123"]) { $0.supportsClone = true }
    let disk = root.disk
    let source = try disk.openFile("a", in: root.descriptor)
    let copy = try disk.createFile("b", in: root.descriptor, mode: 0o644)
    try disk.clone(source, to: copy)
    #expect(try root.tree["b"] == "0123")
    #expect(reason { try disk.clone(copy, to: copy) } == .invalidArgument)
    #expect(reason { try disk.clone(source, to: source) } == .badFileDescriptor)
    #expect(reason { try disk.clone(root.descriptor, to: copy) } == .isDirectory)
  }

  @Test func `keeps shared bytes only when they are synchronised`() throws {
    let disk = try CrashDisk(["a": "0123"], options: with(.init()) { $0.supportsClone = true })
    let root = try disk.openDirectory(at: "/")
    let copy = try disk.createFile("b", in: root, mode: 0o644)
    try disk.clone(disk.openFile("a", in: root), to: copy)
    try disk.synchronize(root)
    #expect(disk.crashStates().contains { $0.tree["b"] == "" })
    try disk.synchronize(copy)
    #expect(disk.crashStates().map { $0.tree["b"] } == ["0123"])
    // A mounted state can do everything that a disk can do.
    let mounted = disk.crashStates().map { $0.mount() }
    for disk in mounted {
      let root = try disk.openDirectory(at: "/")
      try disk.clone(disk.openFile("a", in: root), to: disk.createFile("c", in: root, mode: 0o600))
    }
  }

  @Test func `has a clock that never stands still, or one that ticks`() throws {
    func times(_ granularity: UInt64) throws -> [FileTime] {
      let root = try folder { $0.timeGranularity = granularity }
      return try (0..<5).map { number in
        let name = FileName("\(number)")
        try root.disk.makeFile(name, [], in: root.descriptor)
        return try root.status(name).modified
      }
    }
    let fine = try times(1)
    #expect(fine == fine.sorted())
    #expect(Set(fine).count == 5)
    #expect(Set(try times(10_000_000)).count == 1)
  }

  @Test func `applies the umask 022`() throws {
    let root = try folder()
    _ = try root.disk.createFile("file", in: root.descriptor, mode: 0o4666)
    try root.disk.makeDirectory("directory", in: root.descriptor, mode: 0o7777)
    #expect(try root.status("file").mode == 0o4644)
    #expect(try root.status("directory").mode == 0o1755)
  }

  @Test func `counts the links of directories`() throws {
    let root = try folder(["a": ["b": [:], "c": [:]], "d": [:]])
    let (a, d) = (try root.folder("a"), try root.folder("d"))
    func links() throws -> [UInt32] {
      try ["a", "d"].map { try root.status($0).links } + [root.status("a").links]
    }
    #expect(try links() == [4, 2, 4])
    try root.disk.rename("b", in: a.descriptor, to: "e", in: d.descriptor, .noReplace)
    #expect(try links() == [3, 3, 3])
    try root.disk.removeDirectory("e", in: d.descriptor)
    #expect(try links() == [3, 2, 3])
  }

  @Test func `tells how many descriptors are open, and gives no number twice`() throws {
    let disk = try CrashDisk(["f": ""])
    func open() throws -> Int32 {
      let folder = try disk.openDirectory(at: "/")
      let file = try disk.openFile("f", in: folder)
      #expect(disk.openDescriptors == 2)
      return file.number
    }
    let first = try open()
    #expect(disk.openDescriptors == 0)
    #expect(try open() > first)
  }

  @Test func `takes a file of no more than 4 GiB`() throws {
    let root = try folder()
    let file = try root.disk.createFile("f", in: root.descriptor, mode: 0o600)
    #expect(reason { try root.disk.writeAll([1], to: file, at: 1 << 32) } == .fileTooLarge)
  }
}
