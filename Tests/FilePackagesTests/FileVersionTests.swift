import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A version as NSFileVersion has it")
struct FileVersionTests {
  private func made(_ folder: FilePath) async throws -> URL {
    let url = URL(filePath: folder.appending("Trip.pkg").string)
    let tree = FileWrapper(directoryWithFileWrappers: [
      "Text.txt": FileWrapper(regularFileWithContents: Data("0".utf8))
    ])
    let (store, _) = try await PackageStore.create(tree, at: url, contentType: "com.example.trip")
    for text in ["1", "2"] {
      try await store.put("Text.txt", text)
      try await store.save(options: .keepsHistory)
    }
    try await store.close()
    return url
  }

  private func text(_ url: URL) async throws -> Data {
    try await PackageStore.open(at: url).tree.regularFile(at: "Text.txt").contents()
  }

  @Test func `is found, read and told apart`() async throws {
    try await withTemporaryDirectory { folder in
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
  }

  @Test func `replaces the document, makes another one, and goes`() async throws {
    try await withTemporaryDirectory { folder in
      let url = try await made(folder)
      let others = try #require(try await FileVersion.otherVersionsOfItem(at: url))
      let copy = URL(filePath: folder.appending("Copy.pkg").string)
      #expect(try await others[1].replaceItem(at: copy) == copy)
      #expect(try await text(copy) == Data("0".utf8))
      #expect(try await others[0].replaceItem(at: url) == url)
      #expect(try await text(url) == Data("1".utf8))
      // What was there is a version, too.
      #expect(try await FileVersion.otherVersionsOfItem(at: url)?.count == 3)
      try await others[1].remove()
      #expect(try await FileVersion.otherVersionsOfItem(at: url)?.contains(others[1]) == false)
      #expect(try await text(url) == Data("1".utf8))
      let current = try #require(try await FileVersion.currentVersionOfItem(at: url))
      await #expect {
        try await current.remove()
      } throws: {
        ($0 as? FilePackageError)?.code == .unsupported
      }
      try await FileVersion.removeOtherVersionsOfItem(at: url)
      #expect(try await FileVersion.otherVersionsOfItem(at: url) == [])
      #expect(try await PackageStore.open(at: url).keepsHistory())
    }
  }
}
