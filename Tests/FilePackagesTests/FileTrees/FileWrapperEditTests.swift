import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("An edit of a tree by its path")
struct FileWrapperEditTests {
  private func open(_ tree: TestTree) async throws -> (
    tree: FileWrapper, store: PackageStore, disk: CrashDisk
  ) {
    let (disk, store) = try await CrashCheck.store(tree)
    return (await store.tree, store, disk)
  }

  @Test func `looks at the nodes on the path only`() async throws {
    let (tree, store, _) = try await open(["Text.txt": "text", "Folder": ["a.txt": "a", "b.txt": "b"]])
    try tree.setDescendant(FileWrapper("new", named: "a.txt"), at: "Folder/a.txt")
    try tree.setDescendant(FileWrapper("deep", named: "c.txt"), at: "Folder/Deep/c.txt")
    try tree.removeDescendant(at: "Text.txt")
    let folder = try #require(try tree.descendant(toEditAt: "Folder"))
    #expect(tree.knownListing == nil && folder.knownListing == nil)
    try await store.save()
    #expect(tree.knownListing == nil && folder.knownListing == nil)
    // A reader then sees all children.
    #expect(try tree.childNames() == ["Folder", "Metadata.plist"])
    #expect(try folder.childNames() == ["Deep", "a.txt", "b.txt"])
    #expect(try tree.regularFile(at: "Folder/Deep/c.txt").text == "deep")
    #expect(try await store.verify().isWhole)
  }

  @Test func `finds a name by its exact bytes`() async throws {
    let (tree, _, _) = try await open([
      "text.txt": "small", "Text.txt": "large", "e\u{301}.txt": "decomposed", "7": "7",
    ])
    #expect(try tree.descendant(toEditAt: "Text.txt")?.text == "large")
    // Where two names differ by case alone, only the listing shows that the file system tells them apart.
    #expect(tree.knownListing != nil)
    #expect(try tree.descendant(toEditAt: "TEXT.txt") == nil)
    #expect(try tree.descendant(toEditAt: "\u{E9}.txt") == nil)
    #expect(try tree.descendant(toEditAt: "e\u{301}.txt")?.text == "decomposed")
    #expect(try tree.descendant(toEditAt: "7")?.text == "7")
  }

  @Test(arguments: [true, false])
  func `never replaces a file that another program made under a name that the tree left empty`(
    removes: Bool
  ) async throws {
    let (tree, store, disk) = try await open(["Text.txt": "text", "other.txt": "other"])
    let name = removes ? "Text.txt" : "new.txt"
    if removes {
      try tree.removeDescendant(at: name)
      try await store.save()
    } else {
      #expect(try tree.descendant(toEditAt: name) == nil)
    }
    let folder = try disk.openDirectory(at: CrashCheck.path)
    let file = try disk.createFile(FileName(name), in: folder, mode: 0o644)
    try disk.write(Array("theirs".utf8), to: file, at: 0)
    try tree.setDescendant(FileWrapper("ours", named: name), at: name)
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .changedOnDisk && error?.child == name)
    #expect(try disk.contents(of: FileName(name), in: folder) == Array("theirs".utf8))
    // A listing comes later than the look, and the tree has not seen the other program's file.
    #expect(try tree.childNames().filter { $0 == name }.count == 1)
  }

  @Test func `gives a number to a name that is taken on disk, and keeps the first`() async throws {
    let (tree, store, _) = try await open(["Text.txt": "text"])
    #expect(tree.addFileWrapper(FileWrapper("second", named: "Text.txt")) == "1__#$!@%!#__Text.txt")
    #expect(tree.addFileWrapper(FileWrapper("third", named: "new.txt")) == "new.txt")
    try await store.save()
    #expect(try tree.regularFile(at: "Text.txt").text == "text")
    #expect(try tree.childNames() == ["1__#$!@%!#__Text.txt", "Metadata.plist", "Text.txt", "new.txt"])
  }

  @Test func `leaves the hidden folder of an open package to the library`() async throws {
    let (tree, store, _) = try await open(["Text.txt": "text"])
    try tree.setDescendant(FileWrapper("changed", named: "Text.txt"), at: "Text.txt")
    try await store.save()
    #expect(try tree.descendant(toEditAt: ".docpkg") == nil)
  }
}
