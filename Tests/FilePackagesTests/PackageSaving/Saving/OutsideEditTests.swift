import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A save beside the edits of other programs")
struct OutsideEditTests {
  private static let tree: TestTree = [
    "Text.txt": "old text", "Other.txt": "other", "Images": ["1.png": "one", "2.png": "two"],
  ]

  private static func open(_ disk: any Disk) async throws -> PackageStore {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    // The application has looked at these children.
    _ = try await store.tree.child(named: "Text.txt")?.contents()
    _ = try await store.tree.child(named: "Images")?.children()
    return store
  }

  /// Writes a file as another program does.
  static func write(_ text: String, to name: FileName, in folder: FilePath, on disk: any Disk) throws {
    try disk.rewrite(name, Array(text.utf8), in: folder)
  }

  enum Outside: CaseIterable {
    case replaced, rewritten, removed, added, becameFolder, inRemovedFolder

    func act(on disk: any Disk) throws {
      let folder = try disk.openDirectory(at: CrashCheck.path)
      switch self {
      case .replaced: try OutsideEditTests.write("someone's", to: "Text.txt", in: CrashCheck.path, on: disk)
      case .rewritten:
        // Another file with the same size and date.
        let before = try disk.status(of: "Text.txt", in: folder)
        try OutsideEditTests.write("OLD TEXT", to: "Text.txt", in: CrashCheck.path, on: disk)
        try disk.setModified(before.modified, of: "Text.txt", in: folder)
      case .removed: try disk.removeFile("Text.txt", in: folder)
      case .added: try OutsideEditTests.write("someone's", to: "New.txt", in: CrashCheck.path, on: disk)
      case .becameFolder:
        try disk.removeFile("Text.txt", in: folder)
        try disk.makeDirectory("Text.txt", in: folder, mode: 0o755)
      case .inRemovedFolder:
        try OutsideEditTests.write("someone's", to: "3.png", in: "/Trip.pkg/Images", on: disk)
      }
    }
  }

  @Test(arguments: Outside.allCases)
  func `refuses to overwrite what somebody else changed`(outside: Outside) async throws {
    for metadata in [true, false] { try await Self.refuses(outside, metadata: metadata) }
  }

  private static func refuses(_ outside: Outside, metadata: Bool) async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: metadata)
    let store = try await Self.open(disk)
    try await store.edit([.put("Text.txt", "mine"), .put("New.txt", "mine"), .remove("Images")])
    try outside.act(on: disk)
    // Another program's package gets a hidden folder for a moment.
    func picture() throws -> PackagePicture {
      let picture = try PackagePicture(of: CrashCheck.path, on: disk)
      return metadata ? picture : picture.undated(".")
    }
    let before = try picture()
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .changedOnDisk, "\(String(describing: error))")
    let after = try picture()
    #expect(after.natural == before.natural, "\(before.natural.differences(in: after.natural))")
    try expectNoTraces(in: CrashCheck.path, on: disk)
    #expect(after.entries[".docpkg/log"]?.bytes == before.entries[".docpkg/log"]?.bytes)
    #expect(try disk.names(in: "/") == ["Trip.pkg"])
    #expect(try await store.tree.child(named: "New.txt")?.contents() == Data("mine".utf8))
  }

  @Test(arguments: [nil, "New.txt"])
  func `refuses to overwrite it after a save of the same bytes`(with other: String?) async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    try await store.save("Text.txt", "saved")
    try Self.write("theirs", to: "Text.txt", in: CrashCheck.path, on: disk)
    if let other { try await store.put(other, "other") }
    try await store.save("Text.txt", "saved")
    try await store.put("Text.txt", "mine")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
  }

  @Test func `refuses to overwrite it after a save of a new tree with the same child`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    let child = try #require(await store.tree.child(named: "Text.txt"))
    _ = try child.contents()
    try Self.write("theirs", to: "Text.txt", in: CrashCheck.path, on: disk)
    let new = FileWrapper(directoryWithFileWrappers: ["Text.txt": child])
    new.addRegularFile(withContents: Data("new".utf8), preferredFilename: "New.txt")
    try await store.save(new)
    try await store.put("Text.txt", "mine")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
  }

  @Test(arguments: [true, false], [true, false])
  func `refuses to overwrite it with a folder that was built anew`(
    isListed: Bool, isRemovedFirst: Bool
  ) async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    _ = try await store.tree.descendant(at: "Images/1.png")?.contents()
    if isListed { _ = try await store.tree.child(named: "Images")?.children() }
    // In place: the folder's own date stays.
    let folder = try disk.openDirectory(at: "/Trip.pkg/Images")
    try disk.writeAll(Array("theirs".utf8), to: disk.openFileForWriting("1.png", in: folder), at: 0)
    let images = FileWrapper(directoryWithFileWrappers: [
      "1.png": FileWrapper(regularFileWithContents: Data("mine".utf8)),
      "2.png": FileWrapper(regularFileWithContents: Data("two".utf8)),
    ])
    if isRemovedFirst { try await store.tree.removeDescendant(at: "Images") }
    try await store.tree.setDescendant(images, at: "Images")
    for _ in 0..<2 {
      await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
    }
  }

  @Test func `refuses a tree that is no folder`() async throws {
    let (_, store) = try await CrashCheck.store(Self.tree)
    await expect(\FilePackageError.code, .wrongKind) {
      try await store.save(FileWrapper(regularFileWithContents: Data("text".utf8)))
    }
  }

  @Test func `keeps what somebody else changed, added or removed and this save does not touch`() async throws
  {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let store = try await Self.open(disk)
    _ = try await store.tree.child(named: "Other.txt")?.contents()
    try Self.write("someone's", to: "Other.txt", in: CrashCheck.path, on: disk)
    try Self.write("someone's", to: "Theirs.txt", in: CrashCheck.path, on: disk)
    try disk.removeFile("1.png", in: disk.openDirectory(at: "/Trip.pkg/Images"))
    try await store.save([.put("Text.txt", "mine"), .put("Images/3.png", "mine")])
    let found = try PackagePicture(of: CrashCheck.path, on: disk).entries.mapValues {
      String(decoding: $0.bytes, as: UTF8.self)
    }
    #expect(found["Other.txt"] == "someone's" && found["Theirs.txt"] == "someone's")
    #expect(found["Text.txt"] == "mine" && found["Images/3.png"] == "mine" && found["Images/1.png"] == nil)
    // The application saw an old state of it, so a later save must not replace it either.
    try await store.put("Other.txt", "mine")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
    // After a new read, a save may replace it.
    let again = try await Self.open(disk)
    _ = try await again.tree.child(named: "Other.txt")?.contents()
    try Self.write("theirs again", to: "Other.txt", in: CrashCheck.path, on: disk)
    try await again.save("Text.txt", "mine again")
    #expect(try await again.tree.child(named: "Other.txt")?.contents() == Data("someone's".utf8))
    try await again.put("Other.txt", "mine")
    let later = await #expect(throws: FilePackageError.self) { try await again.save() }
    #expect(later?.code == .changedOnDisk && later?.child == "Other.txt")
  }

  @Test func `leaves alone what a tree built anew has never seen`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: false)
    let store = try await Self.open(disk)
    let children = try await store.tree.children()
    try Self.write("someone's", to: "Theirs.txt", in: CrashCheck.path, on: disk)
    let fresh = FileWrapper(directoryWithFileWrappers: [:])
    for name in ["Images", "Text.txt"] { if let child = children[name] { fresh.addFileWrapper(child) } }
    fresh.addRegularFile(withContents: Data("new".utf8), preferredFilename: "New.txt")
    try await store.save(fresh)
    try await store.close()
    #expect(try disk.names(in: CrashCheck.path) == ["Images", "New.txt", "Text.txt", "Theirs.txt"])

    let again = FileWrapper(directoryWithFileWrappers: [:])
    again.addRegularFile(withContents: Data("x".utf8), preferredFilename: "Text.txt")
    try Self.write("someone's", to: "Text.txt", in: CrashCheck.path, on: disk)
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save(again) }
  }

  @Test func `says so when the package is another one or gone`() async throws {
    for isGone in [true, false] {
      let disk = try await CrashCheck.disk(Self.tree, metadata: true)
      let store = try await Self.open(disk)
      try await store.put("Text.txt", "mine")
      let root = try disk.openDirectory(at: "/")
      try disk.rename("Trip.pkg", in: root, to: "Away.pkg", in: root, .noReplace)
      if !isGone { try Self.tree.write(to: "Trip.pkg", in: root, of: disk) }
      let before = disk.tree
      await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
      #expect(disk.tree == before)
    }
  }

  @Test func `refuses a metadata plist that somebody else destroyed`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let store = try await Self.open(disk)
    try Self.write("<plist/>", to: "Metadata.plist", in: CrashCheck.path, on: disk)
    try await store.put("Text.txt", "mine")
    let before = try PackagePicture(of: CrashCheck.path, on: disk).natural
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .metadataDamaged && error?.operation == .save)
    #expect(try PackagePicture(of: CrashCheck.path, on: disk).natural == before)
  }

  @Test func `refuses a read-only child unless told otherwise`() async throws {
    let disk = try CrashDisk(.package(["Text.txt": .file(Array("old".utf8), mode: 0o444), "Other.txt": "o"]))
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.put("Text.txt", "mine")
    let before = disk.tree
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(
      error?.description
        == "The document 'Trip.pkg' could not be saved: the file is read-only (writing 'Text.txt'). "
        + "The document on disk is unchanged. "
        + "Allow writing, or save it to another place.")
    #expect(disk.tree == before)
    try await store.saveAndClose(options: .overwritesReadOnly)
    #expect(disk.tree == .package(["Text.txt": .file(Array("mine".utf8), mode: 0o444), "Other.txt": "o"]))
  }

  @Test func `keeps modes, extended attributes and dates`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let folder = try disk.openDirectory(at: CrashCheck.path)
    let text = try disk.openFile("Text.txt", in: folder)
    try disk.setMode(0o640, of: text)
    try disk.setExtendedAttribute("user.tag", [1, 2], of: text)
    try disk.setExtendedAttribute("user.root", [3], of: folder)
    let store = try await Self.open(disk)
    let before = try PackagePicture(of: CrashCheck.path, on: disk).natural
    try await store.saveAndClose("Text.txt", "mine")
    try expectNoTraces(in: CrashCheck.path, on: disk)
    let after = try PackagePicture(of: CrashCheck.path, on: disk).natural
    #expect(before.changedNames(in: after) == [".", "Text.txt", "Metadata.plist"])
    #expect(after.entries["Text.txt"]?.mode == 0o640)
    #expect(after.entries["Text.txt"]?.extended == ["user.tag": [1, 2]])
    #expect(after.entries["."]?.extended == ["user.root": [3]])
  }

  @Test func `under a name that a waiting save leaves free is no child of ours`() async throws {
    // The file under the free name is another program's (T5).
    let (disk, store) = try await CrashCheck.store(["a": "a"])
    try await store.save([.put("c", "first")])
    try await store.save([.remove("c"), .put("a", "second")], options: .returnsAtCommit)
    // While it waits, another program takes the name, and so does the next edit of this store.
    let folder = try disk.openDirectory(at: CrashCheck.path)
    try disk.removeFile("c", in: folder)
    try disk.makeFile("c", Array("theirs".utf8), in: folder)
    try await store.edit([.put("c", "ours")])
    try await store.publish()
    #expect(try await store.changesByOthers().paths == ["c"])
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
    #expect(disk.tree["Trip.pkg"]?["c"] == .file(Array("theirs".utf8), mode: 0o600))
  }
}
