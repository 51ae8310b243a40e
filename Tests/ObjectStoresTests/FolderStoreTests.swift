import DurableIO
import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("A store in a folder", .temporaryDirectory)
struct FolderStoreTests {
  @Test(arguments: ["directory", "link"])
  func `takes nothing else than a file for an object that another writer made`(kind: String) async throws {
    let path = folder.appending("log/1").string
    try createFolder(at: folder.appending("log"))
    if kind == "link" {
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "2")
    } else {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let store = FolderStore(folder, on: PosixDisk())
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.put(Data("one".utf8), at: "log/1", ifAbsent: true)
    }
    #expect(error?.code == .file && error?.key == "log/1")
  }
}
