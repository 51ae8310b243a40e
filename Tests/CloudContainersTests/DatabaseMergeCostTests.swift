import CloudContainers
import Foundation
import GRDB
import ManagedDocuments
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("The cost of a merge of databases", .temporaryDirectory)
struct DatabaseMergeCostTests {
  /// The size of the pieces of a database, in bytes.
  private static let piece = 256 << 10

  @Test func `is the pieces that this machine lacks`() async throws {
    let store = MeteredStore()
    let (counted, other) = (CountingStore(store), CountingStore(store))
    let laptop = RecipesFixture(device: try await DeviceFixture("laptop", other))
    let desktop = RecipesFixture(device: try await DeviceFixture("desktop", counted))
    try await laptop.edit(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
      INSERT INTO recipe SELECT i, 'Recipe ' || i, 1, hex(randomblob(2000)) FROM n
      """)
    try await laptop.device.share(RecipesFixture.name, with: desktop.device)
    let database = desktop.url.appending(path: "StoreContent/persistentStore")
    let size = try #require(try database.resourceValues(forKeys: [.fileSizeKey]).fileSize)
    #expect(size > 60 * Self.piece)
    // In the second round, the two databases already have other bytes.
    for round in 1...2 {
      try await laptop.edit("UPDATE recipe SET minutes = \(round) WHERE id = '100'")
      try await desktop.edit("UPDATE recipe SET minutes = -\(round) WHERE id = '3900'")
      try await laptop.device.sync()
      let before = counted.traffic
      #expect(try await desktop.device.sync().documents.map(\.merged) == [true])
      let traffic = counted.traffic - before
      #expect(traffic.bytesReceived <= 12 * Self.piece, "\(traffic) of \(size)")
      #expect(traffic.bytesSent <= 6 * Self.piece, "\(traffic) of \(size)")
      #expect(traffic.requests <= 40, "\(traffic)")
      // The other machine takes the change in. It has no change of its own.
      let earlier = other.traffic
      try await laptop.device.sync()
      #expect((other.traffic - earlier).bytesReceived <= 12 * Self.piece, "\(other.traffic - earlier)")
      #expect(try await laptop.digest() == desktop.digest())
      #expect(
        try await laptop.rows("SELECT minutes FROM recipe WHERE id IN ('100', '3900') ORDER BY id") == [
          "\(round)", "-\(round)",
        ])
    }
  }

  @Test func `takes bytes of a package here only if it has all of them`() async throws {
    let directory = folder
    let folder = URL(filePath: directory.string, directoryHint: .isDirectory).appending(path: "Book/Store")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("0123456789".utf8).write(to: folder.appending(path: "rows"))
    let package = NearbyPackage(at: directory.appending("Book"))
    let path = PackagePath("Store/rows")
    #expect(await package.bytes(of: path, in: 2..<10) == Data("23456789".utf8))
    for range: Range<UInt64> in [2..<11, 0..<(1 << 50), 20..<30] {
      #expect(await package.bytes(of: path, in: range) == nil)
    }
    #expect(await package.bytes(of: PackagePath("Store/other"), in: 0..<1) == nil)
    #expect(await package.bytes(of: PackagePath("Store"), in: 0..<1) == nil)
  }
}
