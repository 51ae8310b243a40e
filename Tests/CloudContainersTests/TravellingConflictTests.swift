import CloudContainers
import Documents
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("The conflict versions of a package", .temporaryDirectory)
struct TravellingConflictTests {
  /// Two machines with a package of two children, in conflict over the first one on both.
  private func makeConflict() async throws -> (DeviceFixture, DeviceFixture, MemoryStore) {
    let (store, a, b) = try await DeviceFixture.two()
    try await a.share("Trip.imageNotes", ["1.bin": "one", "2.bin": "two"], with: b)
    try await a.edit("Trip.imageNotes", ["1.bin": "one of a"])
    try await b.edit("Trip.imageNotes", ["1.bin": "one of b"])
    try await sync(a, b, a)
    return (a, b, store)
  }

  /// The children of the only conflict version of a package.
  private func conflict(_ device: DeviceFixture, _ name: String) async throws -> [String: String] {
    let store = try await PackageStore.open(at: device.url.appending(path: name))
    let folders = try await store.conflictVersionURLs()
    try await store.close()
    #expect(folders.count == 1)
    guard let folder = folders.first else { return [:] }
    var children: [String: String] = [:]
    // The plist says only which device brought the version.
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path != "Metadata.plist" {
      children[path] = (try? String(contentsOf: folder.appending(path: path), encoding: .utf8))
    }
    return children
  }

  /// Adds a conflict version that the container does not have.
  private func addVersion(to device: DeviceFixture) async throws {
    let store = try await PackageStore.open(at: device.url.appending(path: "Trip.imageNotes"))
    try await store.addConflictVersion(
      FileWrapper(directoryWithFileWrappers: [
        "2.bin": FileWrapper(regularFileWithContents: Data("mine".utf8))
      ]),
      as: UUID(), savedBy: "elsewhere", on: Date(timeIntervalSince1970: 0), broughtBy: "tests")
    for url in try await store.conflictVersionURLs() {
      let file = url.appending(path: "2.bin").path
      guard FileManager.default.fileExists(atPath: file) else { continue }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: file)
    }
    try await store.close()
  }

  private func countOfVersions(_ device: DeviceFixture) async throws -> Int? {
    try await FileVersion.unresolvedConflictVersionsOfItem(
      at: device.url.appending(path: "Trip.imageNotes"))?.count
  }

  /// A way on which a document becomes a new one.
  enum Way: CaseIterable {
    case renamedToTakenName, movedOutAndIn, copied

    func go(_ a: DeviceFixture, _ b: DeviceFixture, in directory: FilePath) async throws -> String {
      switch self {
      case .renamedToTakenName:
        try await a.uploadPackage("Other.imageNotes", ["1.bin": "another one"])
        try b.rename("Trip.imageNotes", to: "Other.imageNotes")
        return "Other 2.imageNotes"
      case .movedOutAndIn:
        let outside = URL(filePath: directory.appending("outside").string, directoryHint: .isDirectory)
        let place = try await b.container.moveOut("Trip.imageNotes", to: outside, as: "Trip.imageNotes")
        try await b.sync()
        return try await b.container.moveIn(place, as: "Back.imageNotes")
      case .copied:
        try FileManager.default.copyItem(
          at: b.url.appending(path: "Trip.imageNotes"), to: b.url.appending(path: "Copy.imageNotes"))
        return "Copy.imageNotes"
      }
    }
  }

  @Test(arguments: Way.allCases, [false, true])
  func `go with a document that becomes a new one`(way: Way, onOtherMachine isOther: Bool) async throws {
    let (a, b, _) = try await makeConflict()
    let name = try await isOther ? way.go(b, a, in: folder) : way.go(a, b, in: folder)
    for _ in 0..<2 {
      for device in isOther ? [a, b] : [b, a] { try await device.sync() }
    }
    for device in [a, b] { try await device.container.download(itemNamed: name) }
    for device in [a, b] {
      #expect(try await conflict(device, name) == ["1.bin": "one of b"])
      let package = try await PackageStore.open(at: device.url.appending(path: name))
      #expect(try await package.conflictVersions().map(\.savingComputer) == ["b"])
      try await package.close()
      #expect(try await device.container.items().first { $0.name == name }?.hasUnresolvedConflicts == true)
      #expect(try await device.sync().documents.isEmpty)
    }
    #expect(try await a.container.check(reads: true).isWhole)
    // A resolution on one machine ends the conflict on the other one.
    let store = try await PackageStore.open(at: a.url.appending(path: name))
    try await store.removeConflictVersions(store.conflictVersions())
    try await store.close()
    try await sync(a, b)
    #expect(
      try await FileVersion.unresolvedConflictVersionsOfItem(at: b.url.appending(path: name))?.isEmpty
        == true)
  }

  @Test func `that the container does not have outlive a deletion on the other machine`() async throws {
    let (a, b, _) = try await makeConflict()
    try await addVersion(to: b)
    try await a.container.delete(itemNamed: "Trip.imageNotes")
    try await b.share("Trip.imageNotes", with: a)
    #expect(try await countOfVersions(a) == 2)
  }

  @Test func `that another machine kept from the container go there with the next sync`() async throws {
    let (a, b, _) = try await makeConflict()
    let session = a.container.session
    let last = try await session.state.known().position
    func append(_ change: LogEntry.Change, after hash: BlobName, at number: Int) async throws -> BlobName {
      let entry = LogEntry(after: hash, by: session.settings.device, on: 0, [change])
      #expect(try await session.log.append(entry.bytes, at: number))
      return BlobName(of: entry.bytes)
    }
    let begun = last.number + 1
    let hash = try await append(.collecting(before: 0), after: last.hash, at: begun)
    try await addVersion(to: b)
    let failure = try #require(try await b.container.sync().failures.first)
    #expect((failure.error as? FilePackageError)?.code == .busy)
    _ = try await append(.collected(begun), after: hash, at: begun + 1)
    try await sync(b, a)
    #expect(try await countOfVersions(a) == 2)
  }

  @Test func `are one version if two have the same content`() async throws {
    let (a, b, _) = try await makeConflict()
    for _ in 0..<2 { try await addVersion(to: b) }
    try await sync(b, a)
    for device in [a, b] { #expect(try await countOfVersions(device) == 2) }
    #expect(try await b.sync().documents.isEmpty)
  }

  @Test func `have the same children on a machine that meets them later, and take no newer text back`()
    async throws
  {
    let (a, b, store) = try await makeConflict()
    try await a.edit("Trip.imageNotes", ["2.bin": "two, and more"])
    try await sync(a, b)
    let c = try await DeviceFixture("c", store)
    try await c.receive("Trip.imageNotes")
    for device in [a, b, c] {
      #expect(try await conflict(device, "Trip.imageNotes") == ["1.bin": "one of b"])
    }
    let package = try await PackageStore.open(at: c.url.appending(path: "Trip.imageNotes"))
    let version = try #require(await package.conflictVersions().first)
    try await package.resolveConflicts(package.conflictVersions(), keeping: version.id)
    try await package.close()
    for device in [c, a, b] {
      try await device.sync()
      #expect(device.text("Trip.imageNotes/1.bin") == "one of b")
      #expect(device.text("Trip.imageNotes/2.bin") == "two, and more")
    }
  }

  @Test func `have the same children after thirty days and a collection of garbage`() async throws {
    let clock = ModelClock()
    let (_, a, b) = try await DeviceFixture.two(clock: clock)
    try await a.share("Trip.imageNotes", ["1.bin": "one", "2.bin": "two"], with: b)
    try await a.edit("Trip.imageNotes", ["1.bin": "one of a", "2.bin": "two of a"])
    try await b.edit("Trip.imageNotes", ["1.bin": "one of b"])
    try await sync(a, b)
    clock.advance(40 * 86_400)
    _ = try await a.container.collectGarbage(isDryRun: false)
    try await a.sync()
    #expect(try await conflict(a, "Trip.imageNotes") == ["1.bin": "one of b"])
    #expect(try await conflict(b, "Trip.imageNotes") == ["1.bin": "one of b"])
  }
}
