import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A program's own writes", .temporaryDirectory)
struct PackageWatcherOwnWritesTests {
  private static func store(_ scratch: Scratch, contentType: UTType? = UTType(exportedAs: "org.example.a"))
    async throws
    -> PackageStore
  {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    let edits: [Edit] = [
      .put("Text.txt", "old"), .put("Other.txt", "other"), .folder("Images"), .put("Images/1.png", "one"),
      .folder("Images/Deep"), .put("Images/Deep/2.png", "two"),
    ]
    for edit in edits { try edit.apply(to: tree) }
    let url = scratch.url("A.pkg")
    _ = try await PackageStore.create(tree, at: url, contentType: contentType)
    return try await PackageStore.open(at: url)
  }

  @Test(
    arguments: [PackageStore.SavingOptions(), .returnsAtCommit], [nil, UTType(exportedAs: "org.example.a")])
  func `are never reported to it`(options: PackageStore.SavingOptions, contentType: UTType?) async throws {
    let store = try await Self.store(scratch, contentType: contentType)
    let listener = try await scratch.watch("A.pkg", knowing: store)
    try await store.edit([.put("Text.txt", "new"), .folder("New"), .put("New/File.txt", "new")])
    try await store.save(options: options)
    try await store.save(
      [
        .remove("Other.txt"), .move("Images/1.png", "Images/Deep/1.png"), .mode("Text.txt", 0o600),
      ], options: options)
    try await store.edit([.put("Text.txt", "newer")])
    // The store knows nothing of the children of a folder that the tree lost and the disk still has.
    if options != .returnsAtCommit {
      try await store.edit([.remove("New"), .move("Images/Deep", "Pictures")])
    }
    try await store.save(options: options)
    try await store.publish()
    #expect(try await listener.all(in: scratch.text("A.pkg")) == [])
    try await store.close()
    #expect(try await listener.all(before: "Second", in: scratch.text("A.pkg")) == ["Marker"])
    #expect(listener.others == [])
    await listener.end()
  }

  @Test func `are told from those of others, one by one`() async throws {
    let store = try await Self.store(scratch)
    let listener = try await scratch.watch("A.pkg", knowing: store)
    for round in 0..<20 {
      try await store.put("Text.txt", "mine \(round)")
      try scratch.write("theirs \(round)", to: "A.pkg/Other.txt")
      try await store.save()
      try scratch.write("theirs \(round)", to: "A.pkg/Images/\(round).png")
    }
    try await listener.expect { $0.paths.contains("Images/19.png") && $0.paths.contains("Other.txt") }
    #expect(!listener.paths.contains("Text.txt") && !listener.paths.contains("Metadata.plist"))
    #expect(listener.others == [])
  }

  @Test func `are news to another store of the same process`() async throws {
    let store = try await Self.store(scratch)
    let other = try await PackageStore.open(at: scratch.url("A.pkg"))
    let listener = try await scratch.watch("A.pkg", knowing: other)
    try await store.save([.put("Text.txt", "new"), .put("Images/3.png", "three")])
    try await listener.expect { $0.paths.isSuperset(of: ["Text.txt", "Images/3.png", "Metadata.plist"]) }
  }

  @Test func `are its own, too, where the package was moved`() async throws {
    let store = try await Self.store(scratch)
    let listener = try await scratch.watch("A.pkg", knowing: store)
    try await store.save("Text.txt", "before")
    #expect(try await listener.all(in: scratch.text("A.pkg")) == [])
    try scratch.rename("A.pkg", to: "B.pkg")
    try await listener.expect { $0.others == [.moved(to: $0.watcher.url)] }
    try await store.follow(to: listener.watcher.url)
    try await store.save("Text.txt", "after")
    #expect(try await listener.all(before: "Second", in: scratch.text("B.pkg")) == ["Marker"])
    let text = try await PackageStore.open(at: scratch.url("B.pkg")).tree.regularFile(at: "Text.txt")
    #expect(text.text == "after")
    // Another package is not this one.
    try scratch.make("A.pkg", ["Text.txt": "x"])
    let error = await #expect(throws: FilePackageError.self) {
      try await store.follow(to: scratch.url("A.pkg"))
    }
    #expect(error?.code == .changedOnDisk && store.url.path == scratch.text("B.pkg"))
  }

  @Test func `of a name that another program took afterwards are not all that is known`() async throws {
    let store = try await Self.store(scratch)
    let listener = try await scratch.watch("A.pkg", knowing: store)
    try await store.save("Text.txt", "mine")
    try scratch.write("THEM", to: "A.pkg/Text.txt")
    try await listener.expect { $0.paths == ["Text.txt"] }
  }

  @Test func `of a flat file are known to whoever knows the file`() async throws {
    try scratch.make("A.txt", "text")
    let known = KnownFile()
    try await known.write("text", scratch)
    let listener = try await scratch.watch("A.txt", knowing: known)
    try await known.write("mine", scratch)
    try await known.write("mine again", scratch)
    while await known.asked == 0 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(listener.events == [])
    try scratch.write("theirs", to: "New.txt")
    try scratch.rename("New.txt", to: "A.txt")
    try await listener.expect { !$0.events.isEmpty }
  }

  @Test func `are what the disk holds, and everything else is listed`() async throws {
    let store = try await Self.store(scratch)
    let tree = await store.tree
    _ = try tree.child(named: "Text.txt")?.contents()
    _ = try tree.child(named: "Images")?.childNames()
    let url = scratch.url("A.pkg")
    #expect(await store.news(of: url) == [])
    #expect(await store.news(of: url, at: ["", "Text.txt", "Images", "No such"], found: ["Other.txt"]) == [])
    // The file is listed and was never looked at.
    #expect(await store.news(of: url, at: ["Other.txt"], found: []) == ["Other.txt"])
    try scratch.overwrite("A.pkg/Text.txt", "theirs")
    try scratch.overwrite("A.pkg/Images/9.png", "theirs")
    try scratch.remove("A.pkg/Other.txt")
    #expect(await store.news(of: url) == ["Images/9.png", "Other.txt", "Text.txt"])
    #expect(
      await store.news(of: url, at: ["Text.txt", "Images/1.png"], found: []) == [
        "Text.txt", "Images/1.png",
      ])
    #expect(await store.news(of: scratch.url("Elsewhere"), at: ["", "Images"], found: []) == ["", "Images"])
  }
}

/// A flat document that remembers the file it wrote.
private actor KnownFile: WatchBaseline {
  private var status: FileStatus?
  private(set) var asked = 0

  func write(_ text: String, _ scratch: Scratch) throws {
    try scratch.make("New.txt", .file(Array(text.utf8)))
    try scratch.rename("New.txt", to: "A.txt")
    status = try scratch.status("A.txt")
  }

  func news(of document: URL, at paths: [String], found: [String]) -> [String] {
    asked += 1
    let disk = PosixDisk()
    let now = try? disk.status(of: disk.openPlace(at: .init(document.path)))
    return now.map { $0.isUnchanged(since: status ?? $0) } == true ? [] : paths
  }

  func news(of document: URL) -> [String] { news(of: document, at: [""], found: []) }
}
