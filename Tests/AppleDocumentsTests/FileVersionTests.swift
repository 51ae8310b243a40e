import AppleDocuments
import FilePackages
import SystemPackage
import TestSupport
import Testing

// A program's main thread waits for the disk, as here.
@Suite("Versions by Apple's name", .temporaryDirectory)
@MainActor
struct FileVersionTests {
  private func makePackage() async throws -> URL {
    let url = url("Trip.album")
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    tree.addRegularFile(withContents: Data("one".utf8), preferredFilename: "Title.txt")
    let (store, _) = try await PackageStore.create(
      tree, at: url, contentType: UTType(exportedAs: "public.package"))
    try await store.close()
    return url
  }

  private func set(_ text: String, at url: URL) async throws {
    let store = try await PackageStore.open(at: url)
    let tree = await store.tree
    if let old = tree.fileWrappers?["Title.txt"] { tree.removeFileWrapper(old) }
    tree.addRegularFile(withContents: Data(text.utf8), preferredFilename: "Title.txt")
    try await store.save(tree, options: .keepsHistory)
    try await store.close()
  }

  private func title(at url: URL) -> String? {
    try? String(contentsOf: url.appending(path: "Title.txt"), encoding: .utf8)
  }

  @Test func `finds, reads, replaces and removes`() async throws {
    let url = try await makePackage()
    try await set("two", at: url)
    let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
    #expect(current.url == url && !current.isConflict && current.isResolved)
    let others = try #require(NSFileVersion.otherVersionsOfItem(at: url))
    let old = try #require(others.first)
    #expect(others.count == 1 && title(at: old.url) == "one" && title(at: url) == "two")
    #expect(NSFileVersion.version(itemAt: url, forPersistentIdentifier: old.persistentIdentifier) == old)
    #expect(current != old && old.url == old.url)
    #expect(try old.replaceItem(at: url) == url)
    #expect(title(at: url) == "one")
    try NSFileVersion.removeOtherVersionsOfItem(at: url)
    #expect(NSFileVersion.otherVersionsOfItem(at: url) == [])
    #expect(throws: (any Error).self) { try current.remove() }
    let gone = url.deletingLastPathComponent().appending(path: "Gone.album")
    #expect(NSFileVersion.currentVersionOfItem(at: gone) == nil)
    #expect(NSFileVersion.otherVersionsOfItem(at: gone) == nil)
  }

  @Test func `changes the history of a document that this program has open`() async throws {
    let url = try await makePackage()
    let other = url.deletingLastPathComponent().appending(path: "Other.album")
    try FileManager.default.copyItem(at: url, to: other)
    let album = Album(fileURL: url)
    album.autosavePolicy = nil
    #expect(await album.open())
    album.setTitle("two")
    #expect(await album.save(to: url, for: .forOverwriting))
    let added = try NSFileVersion.addOfItem(at: url, withContentsOf: other)
    added.isDiscardable = true
    #expect(added.isDiscardable)
    #expect(NSFileVersion.otherVersionsOfItem(at: url)?.contains(added) == true)
    try added.remove()
    let again = try NSFileVersion.addOfItem(at: url, withContentsOf: other, options: .byMoving)
    #expect(NSFileVersion.otherVersionsOfItem(at: url)?.contains(again) == true)
    try NSFileVersion.removeOtherVersionsOfItem(at: url)
    #expect(NSFileVersion.otherVersionsOfItem(at: url) == [])
    // The document goes on.
    album.setTitle("three")
    #expect(await album.save(to: url, for: .forOverwriting))
    #expect(await album.close())
    #expect(title(at: url) == "three" && album.errors.isEmpty)
  }

  @Test func `has the present version of a flat file and of a package without metadata`() throws {
    let file = url("Note.txt")
    try Data("one".utf8).write(to: file)
    let version = try #require(NSFileVersion.currentVersionOfItem(at: file))
    #expect(version.url == file && version.modificationDate != nil && version.localizedName == "Note.txt")
    #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: file) == [])
    let package = url("Bare.album")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
    #expect(NSFileVersion.currentVersionOfItem(at: package)?.url == package)
  }

  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `ends the conflict of a flat file`(replaces: Bool) async throws {
    let (url, recovery) = (url("Trip.txt"), url("Recovery"))
    let note = Note(fileURL: url)
    (note.autosavePolicy, note.recoveryFolder) = (nil, recovery)
    #expect(await note.save(to: url, for: .forCreating))
    note.setText("ours")
    try Data("theirs".utf8).write(to: url)
    while !note.documentState.contains(.inConflict) { await Task.yield() }
    #expect(await note.save(to: url, for: .forOverwriting))
    let versions = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url))
    let version = try #require(versions.first)
    #expect(versions.count == 1 && version.isConflict && !version.isResolved)
    #expect(try String(contentsOf: version.url, encoding: .utf8) == "theirs")
    if replaces { try version.replaceItem(at: url, options: .byMoving) } else { version.isResolved = true }
    #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == [])
    #expect(try String(contentsOf: version.url, encoding: .utf8) == "theirs")
    #expect(try String(contentsOf: url, encoding: .utf8) == (replaces ? "theirs" : "ours"))
    // The news comes by the main queue.
    while note.documentState.contains(.inConflict) { await Task.yield() }
    #expect(await note.close())
  }

  @Test(.timeLimit(.minutes(60))) func `ends a conflict when the last version is resolved`() async throws {
    let url = try await makePackage()
    for text in ["theirs", "others"] {
      try Data(text.utf8).write(to: url.appending(path: "Title.txt"))
      let store = try await PackageStore.open(at: url)
      try await store.keepConflict(["Title.txt"])
      try await store.close()
    }
    try await set("ours", at: url)
    let album = Album(fileURL: url)
    #expect(await album.open())
    #expect(album.documentState.contains(.inConflict))
    let versions = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url))
    #expect(versions.allSatisfy { $0.isConflict && !$0.isResolved })
    #expect(Set(versions.map { title(at: $0.url) }) == ["theirs", "others"])
    for (number, version) in versions.enumerated() {
      version.isResolved = true
      #expect(version.isResolved)
      #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.count == versions.count - number - 1)
    }
    let store = try await PackageStore.open(at: url)
    #expect(try await store.conflictVersions().isEmpty)
    try await store.close()
    #expect(title(at: url) == "ours")
    // The news comes by the main queue.
    while album.documentState != .normal { await Task.yield() }
    #expect(await album.close())
  }
}
