import FilePackages
import Foundation
import ObjectStores
import SystemPackage
import TestSupport
import Testing

import CloudContainers

@Suite("The plan of a synchronization", .temporaryDirectory)
struct SyncPlanTests {
  /// The bytes of all files, except those of the state.
  private func bytes(in folder: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let file = folder.appending(path: name)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) else { continue }
      if name.contains("state.sqlite") { continue }
      files[name] = isFolder.boolValue ? Data() : try Data(contentsOf: file)
    }
    return files
  }

  @Test func `tells each step of the next run, and changes nothing here or in the store`() async throws {
    let disk = folder.appending("disk")
    try FileManager.default.createDirectory(atPath: disk.string, withIntermediateDirectories: true)
    let place = URL(filePath: disk.string)
    let (a, b) = try await DeviceFixture.two(FolderStore(at: place))
    let names = ["down.txt", "gone.txt", "here.txt", "merge.md", "renamed.txt", "same.txt", "up.txt"]
    for name in names { try a.write("1\n2\n3\n", to: name) }
    try await a.makePackage("Trip.imageNotes", ["Text.txt": "one"])
    try await sync(a, b)
    for name in names + ["Trip.imageNotes"] { try await b.container.download(itemNamed: name) }
    try await b.sync()
    try a.write("changed", to: "down.txt")
    try a.write("one\n2\n3\n", to: "merge.md")
    try a.rename("renamed.txt", to: "other.txt")
    try a.remove("gone.txt")
    try await a.upload("Trip.imageNotes", ["Text.txt": "two"])
    try b.write("changed", to: "up.txt")
    try b.write("1\n2\nthree\n", to: "merge.md")
    try b.remove("here.txt")
    try b.write("new", to: "new.txt")

    let (here, there) = (try bytes(in: b.url), try bytes(in: place))
    let plan = try await b.container.plan()
    #expect(try bytes(in: b.url) == here)
    #expect(try bytes(in: place) == there)
    let expected = [
      "downloaded Trip.imageNotes", "downloaded down.txt", "removed gone.txt", "deleted here.txt",
      "merged merge.md", "uploaded new.txt", "renamed other.txt (was renamed.txt)", "uploaded up.txt",
    ]
    #expect(Set(plan.documents.map(\.description)) == Set(expected))
    // The run does the same.
    let run = try await b.sync()
    #expect(Set(run.documents.map(\.name)) == Set(plan.documents.map(\.name)))
    #expect(plan.discovered > 0 && run.discovered == plan.discovered)
    #expect(try await b.container.plan().documents.isEmpty)
  }

  @Test func `can be made again and again, and before the first run`() async throws {
    let store = MeteredStore()
    let a = try await DeviceFixture("a", store)
    try a.write("one", to: "a.txt")
    for _ in 0..<2 {
      let sent = store.putBytes
      #expect("\(try await a.container.plan())" == "uploaded a.txt")
      #expect(store.putBytes == sent)
    }
    #expect("\(try await a.sync())" == "uploaded a.txt")
  }
}
