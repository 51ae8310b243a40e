import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A tree that is edited while it is saved", .timeLimit(.minutes(60)), .temporaryDirectory)
struct FileWrapperSettlingTests {
  @Test func `has every edit on disk after the next save`() async throws {
    // An edit during a save stays a change, and the next save writes it (T1).
    let disk = try CrashDisk(["A": ["x": "0", "F": ["y": "0"]]])
    let store = try await PackageStore.open("/A", on: disk)
    let top = await store.tree
    let (folder, child) = try (#require(top.fileWrappers?["F"]), #require(top.fileWrappers?["x"]))
    let editor = Task {
      for number in 0..<300 {
        child.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = UInt(0o600 + number % 8)
        if let old = try folder.child(named: "y") { folder.removeFileWrapper(old) }
        folder.addRegularFile(withContents: Data("\(number)".utf8), preferredFilename: "y")
        await Task.yield()
      }
    }
    for _ in 0..<40 { try await store.save() }
    try await editor.value
    try await store.save()
    #expect(disk.tree["A"]?["x"] == .file(Array("0".utf8), mode: 0o600 + 299 % 8))
    guard case .file(let bytes, _) = disk.tree["A"]?["F"]?["y"] else {
      Issue.record("there is no y")
      return
    }
    #expect(bytes == Array("299".utf8))
    #expect(try await store.plan().isEmpty)
  }

  @Test func `keeps a removed name free if another program takes it before the folder is listed`()
    async throws
  {
    let (disk, store) = try await CrashCheck.store(["a.txt": "a", "b.txt": "b"])
    let tree = await store.tree
    try tree.removeDescendant(at: "a.txt")
    try await store.save()
    try disk.makeFile("a.txt", Array("theirs".utf8), in: disk.openDirectory(at: CrashCheck.path))
    #expect(try !tree.childNames().contains("a.txt"))
    // The tree does not know that file, so that a save does not write over it (T5).
    try tree.setDescendant(FileWrapper("mine"), at: "a.txt")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
    #expect(disk.tree["Trip.pkg"]?["a.txt"] == .file(Array("theirs".utf8), mode: 0o600))
  }

  @Test func `never has bytes in memory by then that are saved over those of another program`() async throws {
    // Bytes in memory that differ from those on disk are read again (T2).
    // The tree keeps the status that it knows, so that a save of unseen bytes is refused (T3).
    try scratch.make("A", ["x": "old", "y": "kept", "l": .link([0x61])])
    let store = try await PackageStore.open(at: scratch.url("A"))
    let top = await store.tree
    #expect(top.fileWrappers?["x"]?.text == "old" && top.fileWrappers?["y"]?.text == "kept")
    #expect(top.fileWrappers?["l"]?.symbolicLinkDestinationURL?.relativePath == "a")
    try scratch.overwrite("A/x", "theirs")
    try scratch.remove("A/l")
    try FileManager.default.createSymbolicLink(atPath: scratch.path("A/l").string, withDestinationPath: "b")
    top.addRegularFile(withContents: Data("new".utf8), preferredFilename: "z")
    try await store.save()
    #expect(try scratch.tree("A")["x"] == .file(Array("theirs".utf8), mode: 0o644))
    #expect(top.fileWrappers?["y"]?.text == "kept" && top.fileWrappers?["z"]?.text == "new")
    // The save did not look at unchanged children: the tree has its old view, and does not save that over theirs.
    #expect(top.fileWrappers?["x"]?.text == "old")
    #expect(top.fileWrappers?["l"]?.symbolicLinkDestinationURL?.relativePath == "a")
    for name in ["x", "l"] {
      let again = try await PackageStore.open(at: scratch.url("A"))
      #expect(await again.tree.fileWrappers?["x"]?.text == "theirs")
      try await store.put(name, "mine")
      let error = await #expect(throws: FilePackageError.self) { try await store.save() }
      #expect(error?.code == .changedOnDisk && error?.child == name)
      #expect(try scratch.tree("A")["x"] == .file(Array("theirs".utf8), mode: 0o644))
      #expect(try scratch.tree("A")["l"] == .link([0x62]))
      if let mine = top.fileWrappers?[name] { top.removeFileWrapper(mine) }
    }
  }
}
