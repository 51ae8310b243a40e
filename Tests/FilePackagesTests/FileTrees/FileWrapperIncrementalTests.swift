import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Facts of 1.7 about `originalContentsURL`: FW11, FW12.
@Suite("A second save of a package", .temporaryDirectory)
struct FileWrapperIncrementalTests {
  static let tree: TestTree = ["a": "1", "b": "22", "F": ["c": "333", "d": "4444"]]

  /// Changes `b` as applications do: removes the old child and adds a new one.
  static func change(_ top: FileWrapper) throws {
    try top.removeFileWrapper(#require(top.fileWrappers?["b"]))
    top.addRegularFile(withContents: Data("changed".utf8), preferredFilename: "b")
  }

  static let changed: TestTree = ["a": "1", "b": "changed", "F": ["c": "333", "d": "4444"]]

  @Test func `FW11: shares the unchanged files with the original and reads none of them`() throws {
    let top = try scratch.wrapper("A", Self.tree)
    try Self.change(top)
    let disk = CountingDisk(PosixDisk())
    try top.write(to: scratch.path("B"), options: .withNameUpdating, original: scratch.path("A"), on: disk)
    #expect(try scratch.tree("B") == Self.changed)
    for name in ["a", "F/c", "F/d"] {
      #expect(try scratch.status("B/" + name).identity.inode == scratch.status("A/" + name).identity.inode)
    }
    #expect(try scratch.status("B/b").identity.inode != scratch.status("A/b").identity.inode)
    #expect(try scratch.status("B/F").identity.inode != scratch.status("A/F").identity.inode)
    #expect(disk.counts[.link] == 3)
    #expect(disk.counts.bytesRead == 0 && disk.counts[.openFile] == 0)
    #expect(disk.counts.bytesWritten == 7)
    // The tree did not read them through its own disk either: they are not in memory.
    #expect(top.fileWrappers?["F"]?.materialized == 0)
  }

  @Test func `FW11: goes on from save to save, with the same children`() throws {
    let top = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper("1"), "b": FileWrapper("22")])
    try top.write(to: scratch.url("0"), options: .withNameUpdating, originalContentsURL: nil)
    let inode = try scratch.status("0/a").identity.inode
    for number in 1..<4 {
      try Self.change(top)
      try top.write(
        to: scratch.url("\(number)"), options: .withNameUpdating,
        originalContentsURL: scratch.url("\(number - 1)"))
      #expect(try scratch.status("\(number)/a").identity.inode == inode)
      #expect(try scratch.tree(FileName("\(number)")) == ["a": "1", "b": "changed"])
    }
  }

  @Test func `1.7: links a child under its new key`() throws {
    let top = try scratch.wrapper("A", Self.tree)
    let child = try #require(top.fileWrappers?["a"])
    child.preferredFilename = "renamed"
    try top.write(to: scratch.url("B"), originalContentsURL: scratch.url("A"))
    #expect(try scratch.status("B/renamed").identity.inode == scratch.status("A/a").identity.inode)
    #expect(try scratch.tree("B")["a"] == nil)
  }

  @Test func `1.7: writes everything where there is no original, or none by the child's filename`()
    throws
  {
    let top = try scratch.wrapper("A", Self.tree)
    try top.write(to: scratch.url("B"), originalContentsURL: nil)
    #expect(try scratch.status("B/a").identity.inode != scratch.status("A/a").identity.inode)
    for original in ["missing", "A/F"] {
      try top.write(to: scratch.url("C"), options: .atomic, originalContentsURL: scratch.url(original))
      #expect(try scratch.tree("C") == Self.tree)
      #expect(try scratch.status("C/a").identity.inode != scratch.status("A/a").identity.inode)
    }
    let child = try #require(top.fileWrappers?["a"])
    child.filename = nil
    try top.write(to: scratch.url("D"), originalContentsURL: scratch.url("A"))
    #expect(try scratch.status("D/a").identity.inode != scratch.status("A/a").identity.inode)
    #expect(try scratch.tree("D") == Self.tree)
  }

  @Test func `1.7: never takes old bytes for new ones that have the old name, date and permissions`()
    throws
  {
    let top = try scratch.wrapper("A", ["a": "old"])
    let old = try #require(top.fileWrappers?["a"])
    let new = FileWrapper("new", named: "a")
    new.fileAttributes = old.fileAttributes
    new.filename = old.filename
    top.removeFileWrapper(old)
    top.addFileWrapper(new)
    try top.write(to: scratch.url("B"), options: .withNameUpdating, originalContentsURL: scratch.url("A"))
    #expect(try scratch.tree("B") == ["a": "new"])
    // The next save, with the first one as its original, gives the same.
    try top.write(to: scratch.url("C"), options: .withNameUpdating, originalContentsURL: scratch.url("B"))
    #expect(try scratch.tree("C") == ["a": "new"])
    #expect(try scratch.status("C/a").identity.inode == scratch.status("B/a").identity.inode)
  }

  @Test func `1.7: does not link a file that was changed in the original meanwhile`() throws {
    let top = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper("ours")])
    try top.write(to: scratch.url("A"), options: .withNameUpdating, originalContentsURL: nil)
    try scratch.overwrite("A/a", "theirs")
    try top.write(to: scratch.url("B"), options: .withNameUpdating, originalContentsURL: scratch.url("A"))
    #expect(try scratch.tree("B") == ["a": "ours"])
    #expect(try scratch.tree("A") == ["a": "theirs"])
  }

  @Test func `1.7: gives a file with new attributes an inode of its own`() throws {
    let top = try scratch.wrapper("A", ["a": .file([1], mode: 0o644)])
    let child = try #require(top.fileWrappers?["a"])
    child.fileAttributes = child.fileAttributes.merging(
      [FileAttributeKey.posixPermissions.rawValue: UInt(0o600)]) { $1 }
    try top.write(to: scratch.url("B"), originalContentsURL: scratch.url("A"))
    #expect(try scratch.tree("B") == ["a": .file([1], mode: 0o600)])
    #expect(try scratch.tree("A") == ["a": .file([1], mode: 0o644)])
  }

  @Test(arguments: [Errno.improperLink, .notPermitted, .tooManyLinks, .notSupported])
  func `FW12: copies where the file system gives no links`(code: Errno) throws {
    let top = try scratch.wrapper("A", Self.tree)
    try Self.change(top)
    let faulty = FaultyDisk(PosixDisk(), .operation(.link), with: code)
    try top.write(
      to: scratch.path("B"), options: .withNameUpdating, original: scratch.path("A"), on: faulty.disk)
    #expect(faulty.injectedFailures > 0)
    #expect(try scratch.tree("B") == Self.changed)
    #expect(try scratch.status("B/a").identity.inode != scratch.status("A/a").identity.inode)
    #expect(try scratch.status("B/a").modified == .old)
    #expect(try scratch.names() == ["A", "B"])
  }

  @Test func `FW12: copies on a disk that knows no links`() throws {
    let disk = try CrashDisk([:], options: with(.init()) { $0.supportsLinks = false })
    let top = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper("1"), "b": FileWrapper("22")])
    try top.write(to: "/A", options: .withNameUpdating, original: nil, on: disk)
    try Self.change(top)
    try top.write(to: "/B", options: .withNameUpdating, original: "/A", on: disk)
    #expect(disk.tree["A"]?.entries.count == 2)
    #expect(disk.tree["B"]?["a"] == disk.tree["A"]?["a"])
    #expect(disk.openDescriptors == 0)
  }

  @Test func `can replace its own original`() throws {
    let top = try scratch.wrapper("A", Self.tree)
    for round in 0..<3 {
      try Self.change(top)
      let inode = try scratch.status("A/F/c").identity.inode
      try top.write(
        to: scratch.url("A"), options: [.atomic, .withNameUpdating],
        originalContentsURL: scratch.url("A"))
      #expect(try scratch.tree("A") == Self.changed)
      #expect(try scratch.status("A/F/c").identity.inode == inode, "round \(round)")
      #expect(try scratch.status("A/F/c").links == 1)
    }
  }
}
