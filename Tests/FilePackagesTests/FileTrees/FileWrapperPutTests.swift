import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("Putting bytes into a tree")
struct FileWrapperPutTests {
  private static func store() async throws -> (store: PackageStore, disk: CrashDisk) {
    let disk = try await CrashCheck.disk(
      ["Text.txt": "text", "Link": .link(Array("Text.txt".utf8)), "Folder": ["a.txt": "aaaa"]], metadata: true
    )
    return (try await PackageStore.open(CrashCheck.path, on: disk), disk)
  }

  @Test func `leaves the same bytes, and replaces others`() async throws {
    let (store, _) = try await Self.store()
    let tree = await store.tree
    let old = try tree.regularFile(at: "Folder/a.txt")
    #expect(try tree.put(Data("aaaa".utf8), named: "a.txt", in: "Folder") === old)
    #expect(try await store.plan().isEmpty)
    let new = try tree.put(Data("aaab".utf8), named: "a.txt", in: "Folder")
    #expect(try new !== old && tree.regularFile(at: "Folder/a.txt") === new)
    try tree.put(Data("new".utf8), named: "b.txt", in: "Made/Deep")
    try tree.put(Data("file".utf8), named: "Link")
    #expect(
      try await store.save().written == [
        "Folder/a.txt", "Link", "Made", "Made/Deep", "Made/Deep/b.txt", "Metadata.plist",
      ])
    #expect(try await store.verify().isWhole)
  }

  @Test func `leaves no save without the child, whatever task puts it`() async throws {
    let (store, disk) = try await Self.store()
    let tree = await store.tree
    let putting = Task.detached {
      var number = 0
      while !Task.isCancelled {
        number += 1
        try tree.put(Data("text \(number)".utf8), named: "a.txt", in: "Folder")
        // The other tests, and the saves below, need this thread, too.
        await Task.yield()
      }
    }
    for _ in 0..<20 {
      try await store.save()
      let root = try disk.openDirectory(at: CrashCheck.path)
      #expect(try disk.list(disk.openDirectory("Folder", in: root)).position(of: "a.txt") != nil)
    }
    putting.cancel()
    try await putting.value
    try await store.save()
    #expect(try await store.verify().isWhole)
  }

  @Test(arguments: [
    ("", "", FilePackageError.Code.invalidName), ("..", "", .invalidName), ("a/b", "", .invalidName),
    ("a", "Text.txt", .wrongKind), ("a", "Link", .wrongKind),
  ])
  func `refuses a name or a folder that cannot be`(
    name: String, folder: String, code: FilePackageError.Code
  ) async throws {
    let (store, _) = try await Self.store()
    let tree = await store.tree
    expect(\FilePackageError.code, code) { try tree.put(Data(), named: name, in: folder) }
    #expect(try await store.plan().isEmpty)
  }

  @Test func `replaces a child under its own name`() async throws {
    let (store, _) = try await Self.store()
    let tree = await store.tree
    let folder = try #require(try tree.child(named: "Folder"))
    let (old, new) = (
      try tree.regularFile(at: "Folder/a.txt"), FileWrapper(regularFileWithContents: Data("new".utf8))
    )
    new.preferredFilename = "other.txt"
    #expect(try folder.replaceFileWrapper(old, with: new) == "a.txt")
    #expect(try folder.childNames() == ["a.txt"] && new.preferredFilename == "a.txt")
    #expect(try await store.save().written == ["Folder/a.txt", "Metadata.plist"])
    let error = #expect(throws: FilePackageError.self) { try folder.replaceFileWrapper(old, with: new) }
    #expect(error?.code == .noSuchFile && error?.reason == "it is no child of this directory")
  }
}
