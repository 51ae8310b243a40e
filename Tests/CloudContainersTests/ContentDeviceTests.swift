import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("The device of a version's content", .temporaryDirectory)
struct ContentDeviceTests {
  /// Two machines, `a` and `b`, with a package that `a` made.
  private func makePackage() async throws -> (DeviceFixture, DeviceFixture) {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    try await a.share("Trip.imageNotes", ["1.txt": "one", "2.bin": "two"], with: b)
    return (a, b)
  }

  /// Returns the machine that made the last version, and the one of its content.
  private func devices(of name: String, on device: DeviceFixture) async throws -> [String?] {
    let last = try #require(try await device.container.versions(ofItemNamed: name).first)
    return [last.deviceName, last.contentDeviceName]
  }

  @Test func `stays the same through a new name, a deletion and a restoration`() async throws {
    let (a, b) = try await makePackage()
    #expect(try await devices(of: "Trip.imageNotes", on: b) == ["a", "a"])
    try b.rename("Trip.imageNotes", to: "Hut.imageNotes")
    try await b.sync()
    #expect(try await devices(of: "Hut.imageNotes", on: b) == ["b", "a"])
    #expect(try await b.container.contentDevice(ofItemNamed: "Hut.imageNotes") == "a")
    #expect(try await b.container.items().map(\.savingComputer) == ["a"])

    try await a.sync()
    try await a.edit("Hut.imageNotes", ["1.txt": "ONE"])
    #expect(try await a.container.contentDevice(ofItemNamed: "Hut.imageNotes") == "a")
    try await sync(a, b)
    try await b.container.delete(itemNamed: "Hut.imageNotes")
    #expect(try await devices(of: "Hut.imageNotes", on: b) == ["b", "a"])
    try await b.container.restore(itemNamed: "Hut.imageNotes", version: 1)
    #expect(try await devices(of: "Hut.imageNotes", on: b) == ["b", "a"])

    try await b.container.download(itemNamed: "Hut.imageNotes")
    try await b.edit("Hut.imageNotes", ["1.txt": "from b"])
    #expect(try await b.container.contentDevice(ofItemNamed: "Hut.imageNotes") == "b")
    try await b.sync()
    #expect(try await devices(of: "Hut.imageNotes", on: b) == ["b", "b"])
    try await b.container.restore(itemNamed: "Hut.imageNotes", version: 2)
    #expect(try await devices(of: "Hut.imageNotes", on: b) == ["b", "a"])
    try await a.sync()
    #expect(try await a.container.contentDevice(ofItemNamed: "Hut.imageNotes") == "a")
  }

  @Test func `is the one that merged both sides, or the one whose side the version has`() async throws {
    let (a, b) = try await makePackage()
    try await a.edit("Trip.imageNotes", ["1.txt": "from a"])
    try await b.edit("Trip.imageNotes", ["2.bin": "from b"])
    try await a.sync()
    #expect(try await b.sync().documents.map(\.merged) == [true])
    #expect(try await devices(of: "Trip.imageNotes", on: b) == ["b", "b"])
    try await a.sync()
    #expect(try await a.container.contentDevice(ofItemNamed: "Trip.imageNotes") == "b")

    try await a.edit("Trip.imageNotes", ["1.txt": "again from a"])
    try b.rename("Trip.imageNotes", to: "Hut.imageNotes")
    try await sync(a, b)
    #expect(try await devices(of: "Hut.imageNotes", on: b) == ["b", "a"])
  }

  @Test func `is that of each side, if both changed the same`() async throws {
    let (a, b) = try await makePackage()
    try await a.edit("Trip.imageNotes", ["2.bin": "from a"])
    try await b.edit("Trip.imageNotes", ["2.bin": "from b"])
    try await a.sync()
    #expect(try await b.sync().documents.map(\.conflict) == [true])
    try await a.sync()
    #expect(try await devices(of: "Trip.imageNotes", on: b) == ["b", "a"])
    for device in [a, b] {
      #expect(try await device.container.contentDevice(ofItemNamed: "Trip.imageNotes") == "a")
      let store = try await PackageStore.open(at: device.url.appending(path: "Trip.imageNotes"))
      #expect(try await store.conflictVersions().map(\.savingComputer) == ["b"])
      try await store.close()
    }
  }
}
