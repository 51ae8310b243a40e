import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A version as NSFileVersion has it", .temporaryDirectory)
struct FileVersionTests {
  private func made(_ folder: FilePath) async throws -> URL {
    let tree: TestTree = ["Text.txt": "0", "Shared.txt": "shared"]
    let store = try await tree.create(folder.appending("Trip.pkg"))
    for text in ["1", "2"] {
      try await store.save("Text.txt", text, options: .keepsHistory)
    }
    try await store.close()
    return URL(filePath: folder.appending("Trip.pkg").string)
  }

  private func text(_ url: URL) async throws -> Data {
    try await PackageStore.open(at: url).tree.regularFile(at: "Text.txt").contents()
  }

  @Test func `is found, read and told apart`() async throws {
    let url = try await made(folder)
    let current = try #require(try await FileVersion.currentVersionOfItem(at: url))
    let others = try #require(try await FileVersion.otherVersionsOfItem(at: url))
    #expect(current.isCurrent && current.url == url && !current.isDiscardable)
    #expect(others.count == 2 && !others.contains(current))
    for version in others {
      #expect(version.url == nil && version.isDiscardable && version.isResolved && !version.isConflict)
      #expect(!version.localizedNameOfSavingComputer.isEmpty && version.modificationDate <= Date())
      let found = try await FileVersion.version(
        itemAt: url, forPersistentIdentifier: version.persistentIdentifier)
      #expect(found == version)
    }
    let contents = try await others[1].contents()
    #expect(try contents.tree.regularFile(at: "Text.txt").contents() == Data("0".utf8))
    let missing = URL(filePath: folder.appending("Missing").string)
    #expect(try await FileVersion.currentVersionOfItem(at: missing) == nil)
    #expect(try await FileVersion.otherVersionsOfItem(at: missing) == nil)
    #expect(try await FileVersion.version(itemAt: url, forPersistentIdentifier: UUID()) == nil)
  }

  @Test func `changes nothing if a child of it is lost, and stays`() async throws {
    let url = try await made(folder)
    // Another program changes a child that all versions share.
    try Data("theirs".utf8).write(to: url.appending(path: "Shared.txt"))
    let version = try #require(try await FileVersion.otherVersionsOfItem(at: url)?.last)
    for place in [url, URL(filePath: folder.appending("Copy.pkg").string)] {
      await #expect {
        try await version.replaceItem(at: place, byMoving: true)
      } throws: {
        let error = $0 as? FilePackageError
        return error?.code == .changedOnDisk && error?.child == "Shared.txt"
      }
    }
    #expect(try await text(url) == Data("2".utf8))
    #expect(try await FileVersion.otherVersionsOfItem(at: url)?.contains(version) == true)
  }

  @Test func `replaces the document, makes another one, and goes`() async throws {
    let url = try await made(folder)
    let others = try #require(try await FileVersion.otherVersionsOfItem(at: url))
    let copy = URL(filePath: folder.appending("Copy.pkg").string)
    #expect(try await others[1].replaceItem(at: copy) == copy)
    #expect(try await text(copy) == Data("0".utf8))
    #expect(try await others[0].replaceItem(at: url) == url)
    #expect(try await text(url) == Data("1".utf8))
    // The replaced state is a version as well.
    #expect(try await FileVersion.otherVersionsOfItem(at: url)?.count == 3)
    try await others[1].remove()
    #expect(try await FileVersion.otherVersionsOfItem(at: url)?.contains(others[1]) == false)
    #expect(try await text(url) == Data("1".utf8))
    let current = try #require(try await FileVersion.currentVersionOfItem(at: url))
    await expect(\FilePackageError.code, .unsupported) { try await current.remove() }
    try await FileVersion.removeOtherVersionsOfItem(at: url)
    #expect(try await FileVersion.otherVersionsOfItem(at: url) == [])
    #expect(try await PackageStore.open(at: url).keepsHistory())
  }

  @Test func `is added of another document, beside those that are there, which stay what they were`()
    async throws
  {
    let url = try await made(folder)
    let before = try #require(try await FileVersion.otherVersionsOfItem(at: url))
    let other = URL(filePath: folder.appending("Other.pkg").string)
    let tree: TestTree = ["Text.txt": "other", "Images": ["1.png": "one"]]
    try await tree.create(folder.appending("Other.pkg")).close()
    let added = try await FileVersion.addOfItem(at: url, withContentsOf: other, byMoving: true)
    #expect(!FileManager.default.fileExists(atPath: other.path))
    #expect(!added.isDiscardable && !added.isCurrent)
    #expect(try await text(url) == Data("2".utf8))
    let now = try #require(try await FileVersion.otherVersionsOfItem(at: url))
    #expect(now == [added] + before)
    let contents = try await added.contents()
    #expect(contents.lost.isEmpty)
    #expect(try contents.tree.regularFile(at: "Text.txt").contents() == Data("other".utf8))
    #expect(try contents.tree.regularFile(at: "Images/1.png").contents() == Data("one".utf8))
    for (version, text) in zip(before, ["1", "0"]) {
      let contents = try await version.contents()
      #expect(contents.lost.isEmpty)
      #expect(try contents.tree.regularFile(at: "Text.txt").contents() == Data(text.utf8))
      #expect(try contents.tree.descendant(at: "Images") == nil)
    }
    // Later saves work, and no policy drops the version.
    let store = try await PackageStore.open(at: url)
    try await store.save("Text.txt", "3", options: .keepsHistory)
    try await store.thinHistory(at: Date(timeIntervalSinceNow: 400 * 86_400))
    #expect(try await store.versions().contains(added))
    #expect(try await store.verify().isWhole)
    try await store.close()
    try await added.setDiscardable(true)
    let again = try #require(
      try await FileVersion.version(itemAt: url, forPersistentIdentifier: added.persistentIdentifier))
    #expect(again.isDiscardable)
    try await again.replaceItem(at: url)
    #expect(try await text(url) == Data("other".utf8))
    await #expect(throws: FilePackageError.self) {
      try await #require(try await FileVersion.currentVersionOfItem(at: url)).setDiscardable(true)
    }
  }

  @Test func `is the first one of a document that keeps none`() async throws {
    let urls = [url("Trip.pkg"), url("Other.pkg")]
    for (name, text) in [("Trip.pkg", "mine"), ("Other.pkg", "other")] {
      let tree: TestTree = ["Text.txt": .file(Array(text.utf8))]
      try await tree.create(folder.appending(name)).close()
    }
    let added = try await FileVersion.addOfItem(at: urls[0], withContentsOf: urls[1])
    #expect(FileManager.default.fileExists(atPath: urls[1].path))
    #expect(try await FileVersion.otherVersionsOfItem(at: urls[0]) == [added])
    #expect(try await added.contents().tree.regularFile(at: "Text.txt").contents() == Data("other".utf8))
    #expect(try await text(urls[0]) == Data("mine".utf8))
  }
}
