import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("A container folder whose making was cut short", .temporaryDirectory)
struct UnfinishedFolderTests {
  private static let secret = ContainerSecret.passphrase("correct horse")

  private func add(_ folder: URL, to store: any ObjectStore) async throws -> CloudContainer {
    try await CloudContainer.add(folder, to: store, address: "memory", secret: Self.secret)
  }

  /// Leaves the hidden folder of `body` with its key alone.
  private func makeLeftover() async throws -> (URL, URL, MemoryStore) {
    let folder = URL(filePath: folder.appending("a").string, directoryHint: .isDirectory)
    let hidden = folder.appending(path: ".docpkg-cloud")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = MemoryStore()
    _ = try await add(folder, to: store)
    for name in try FileManager.default.contentsOfDirectory(atPath: hidden.path) where name != "key" {
      try FileManager.default.removeItem(at: hidden.appending(path: name))
    }
    return (folder, hidden.appending(path: "key"), store)
  }

  @Test func `is made by the next call, whatever part of its key it has`() async throws {
    let (folder, file, store) = try await makeLeftover()
    let text = try Data(contentsOf: file)
    for part in [text, text.dropLast(8), Data(), nil] {
      let hidden = file.deletingLastPathComponent()
      for name in try FileManager.default.contentsOfDirectory(atPath: hidden.path) {
        try FileManager.default.removeItem(at: hidden.appending(path: name))
      }
      try part?.write(to: file)
      let container = try await add(folder, to: store)
      #expect(try Data(contentsOf: file) == text && container.isEncrypted)
      #expect(try await container.sync().problems.isEmpty)
    }
  }

  @Test func `keeps the key of another container, and says so`() async throws {
    let (folder, file, _) = try await makeLeftover()
    let text = try Data(contentsOf: file)
    let error = await #expect(throws: FilePackageError.self) { _ = try await add(folder, to: MemoryStore()) }
    #expect(error?.code == .fileExists && error?.document == file.path)
    let sentence = error?.description ?? ""
    #expect(sentence.contains("another container") && sentence.contains("move the existing item away"))
    #expect(try Data(contentsOf: file) == text)
    try FileManager.default.removeItem(at: file)
    _ = try await add(folder, to: MemoryStore())
  }

  @Test func `with a state belongs to its container`() async throws {
    let (folder, file, store) = try await makeLeftover()
    try Data().write(to: file.deletingLastPathComponent().appending(path: "state.sqlite"))
    await expect(\FilePackageError.code, .fileExists) { try await add(folder, to: store) }
  }
}
