import CloudContainers
import Documents
import Foundation
import GRDB
import StoreTestSupport
import TestSupport
import Testing

@Suite("A state with damaged pages", .temporaryDirectory)
struct DamagedStateTests {
  /// Overwrites the first page of a table.
  private func damage(_ table: String, _ device: DeviceFixture) async throws {
    let queue = device.container.session.state.database
    let (page, size) = try await queue.writeWithoutTransaction { db in
      _ = try db.checkpoint(.truncate)
      let page = try Int.fetchOne(
        db, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [table])
      return (try #require(page), try #require(try Int.fetchOne(db, sql: "PRAGMA page_size")))
    }
    let file = try FileHandle(
      forUpdating: device.url.appending(path: ".docpkg-cloud/state.sqlite"))
    try file.seek(toOffset: UInt64((page - 1) * size))
    try file.write(contentsOf: Data(repeating: 0xFF, count: size))
    try file.close()
  }

  @Test(arguments: ["document", "version", "setting", "page", "entry", "device", "blob"])
  func `is made again by a sync that says so, and deletes nothing`(table: String) async throws {
    let (store, a, b) = try await DeviceFixture.two()
    for name in ["1.txt", "2.txt", "3.txt"] { try a.write("text of \(name)", to: name) }
    try await a.makePackage("Trip.imageNotes", ["Text.txt": "Three valleys"])
    try await sync(a, b)
    try await a.container.evict(itemNamed: "3.txt")
    try await damage(table, a)
    // A listing tells what to do, or does not need the page.
    do { _ = try await CloudContainer.open(a.url, in: store).items() } catch {
      #expect("\(error)".contains("docpkg cloud sync"), "\(error)")
    }
    var (report, errors) = (nil as SyncReport?, [String]())
    for _ in 0..<3 where report == nil {
      do { report = try await CloudContainer.open(a.url, in: store).sync() } catch {
        errors.append("\(error)")
      }
    }
    #expect(errors.count <= 1 && errors.allSatisfy { $0.contains("state.sqlite.damaged") }, "\(errors)")
    #expect(report?.failures.isEmpty == true)
    #expect(report?.documents.filter { $0.uploaded || $0.deleted || $0.removed }.isEmpty == true)
    let again = DeviceFixture(try await CloudContainer.open(a.url, in: store))
    try await sync(again, b)
    let names = ["1.txt", "2.txt", "3.txt", "Trip.imageNotes"]
    #expect(try await b.container.items().map(\.name) == names)
    #expect(
      try await again.container.items().map(\.downloadingStatus) == [
        .current, .current, .notDownloaded, .current,
      ])
    #expect(try await b.container.deletedItems().isEmpty)
    // A program that has the old state open does not take an eviction since for a deletion.
    try await again.container.evict(itemNamed: "1.txt")
    if errors.isEmpty { return }
    await #expect(throws: FilePackageError.self) { try await a.container.sync() }
    try await b.sync()
    #expect(try await b.container.items().map(\.name) == names)
  }
}
