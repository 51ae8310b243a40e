import DurableIO
import Foundation
import ObjectStores
import Synchronization
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

  @Test func `makes a name durable that another writer was first to make`() async throws {
    let base = try CrashDisk(["Store": ["log": [:]]])
    let isFirst = Mutex(true)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .link, isFirst.withLock({ $0 }) else { return }
      isFirst.withLock { $0 = false }
      // The other writer has synced its bytes, and not yet the name.
      let other = try base.createFile("1", in: base.openDirectory(at: "/Store/log"), mode: 0o644)
      try base.write(Array("other".utf8), to: other, at: 0)
      try base.synchronize(other)
    }
    let store = FolderStore("/Store", on: disk)
    #expect(try await store.put(Data("one".utf8), at: "log/1", ifAbsent: true) == false)
    for state in base.crashStates() {
      #expect(state.tree["Store"]?["log"]?["1"] == .file(Array("other".utf8), mode: 0o644), "\(state)")
    }
  }
}
