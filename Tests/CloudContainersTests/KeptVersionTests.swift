import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import TestSupport
import Testing

@Suite("Versions that other machines keep")
struct KeptVersionTests {
  private static let name = "Trip.imageNotes"

  /// Saves a text, and keeps the version before it.
  private func save(_ text: String, on device: DeviceFixture) async throws {
    let store = try await PackageStore.open(at: device.url.appending(path: Self.name))
    let tree = await store.tree
    try tree.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: "Text.txt")
    try await store.save(tree, options: .keepsHistory)
    try await store.close()
  }

  /// The identifiers of the versions in the hidden folder of a machine, the newest first.
  private func kept(on device: DeviceFixture) async throws -> [UUID] {
    try await PackageStore.reading(at: device.url.appending(path: Self.name)) { store in
      try await store.versions().map(\.persistentIdentifier)
    }
  }

  private func elsewhere(on device: DeviceFixture) async throws -> [MachineVersions] {
    try await device.container.versions(ofItemNamed: Self.name).elsewhere
  }

  @Test func `are listed by their machines, the newest ones, and no machine lists its own`() async throws {
    try await DeviceFixture.withTwo { a, b, _ in
      try await a.makePackage(Self.name, ["Text.txt": "0"])
      try await a.sync()
      #expect(try await elsewhere(on: a).isEmpty)
      for text in ["1", "2", "3"] { try await save(text, on: a) }
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: Self.name)
      let ids = try await kept(on: a)
      #expect(ids.count == 3)
      let told = try await elsewhere(on: b)
      #expect(told.map(\.deviceName) == ["a"] && told.first?.versions.map(\.id) == ids)
      #expect(told.first?.versions.map(\.generation) == [3, 2, 1])
      #expect(try await elsewhere(on: a).isEmpty)

      // Each machine tells its own. The names of the other one stay.
      for number in 4...15 { try await save("\(number)", on: b) }
      try await b.sync()
      try await a.sync()
      #expect(try await elsewhere(on: b).map(\.deviceName) == ["a"])
      let ofB = try await elsewhere(on: a)
      let newest = try await kept(on: b).prefix(KeptVersionName.maximumCount)
      #expect(ofB.map(\.deviceName) == ["b"] && ofB.first?.versions.map(\.id) == Array(newest))

      // A machine that no longer has the document keeps none of its versions.
      try await b.container.evict(itemNamed: Self.name)
      try await b.container.restore(itemNamed: Self.name, version: 1)
      #expect(try await elsewhere(on: a).isEmpty)
    }
  }

  @Test func `are named with no further request`() async throws {
    try await withTemporaryDirectory { directory in
      let counter = CallCounter()
      let a = try await DeviceFixture("a", in: directory, counter.store())
      try await a.makePackage(Self.name, ["Text.txt": "0"])
      try await a.sync()
      try await save("1", on: a)
      try await a.sync()
      counter.reset()
      // The listing, and one read for each version.
      #expect(try await a.container.versions(ofItemNamed: Self.name).versions.count == 2)
      #expect(counter[.list] == 1 && counter[.get] == 2 && counter[.put] == 0)
    }
  }
}
