import CloudContainers
import Documents
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("The cost of a merge of databases")
struct DatabaseMergeCostTests {
  /// The size of the pieces of a database, in bytes.
  private static let piece = 256 << 10

  @Test func `is the pieces that this machine lacks`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MeteredStore()
      let (counted, other) = (CountingStore(store), CountingStore(store))
      let laptop = RecipesFixture(device: try await DeviceFixture("laptop", in: directory, other))
      let desktop = RecipesFixture(device: try await DeviceFixture("desktop", in: directory, counted))
      try await laptop.edit(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        INSERT INTO recipe SELECT i, 'Recipe ' || i, 1, hex(randomblob(2000)) FROM n
        """)
      try await laptop.device.sync()
      try await desktop.device.sync()
      try await desktop.device.container.download(itemNamed: RecipesFixture.name)
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
  }

  /// The locks of this process on a file, as the kernel lists them.
  private func locks(on file: URL) throws -> Int {
    let inode = try #require(
      try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? UInt64)
    let list = try #require(try FileHandle(forReadingFrom: URL(filePath: "/proc/locks")).readToEnd())
    return String(decoding: list, as: UTF8.self).split(separator: "\n").filter { line in
      let words = line.split(separator: " ")
      return words.contains("\(ProcessInfo.processInfo.processIdentifier)")
        && words.contains { $0.hasSuffix(":\(inode)") }
    }.count
  }

  @Test func `is no lock of a program that has the database open`() async throws {
    try await withTemporaryDirectory { directory in
      let package = URL(filePath: directory.appending("Book.recipebook").string, directoryHint: .isDirectory)
      let database = package.appending(path: "StoreContent/persistentStore")
      try FileManager.default.createDirectory(
        at: database.deletingLastPathComponent(), withIntermediateDirectories: true)
      let pool = try DatabasePool(path: database.path)
      try await pool.write { db in try db.execute(sql: "CREATE TABLE recipe(id INTEGER PRIMARY KEY)") }
      let before = try locks(on: database)
      #expect(before > 0)
      do {
        let nearby = try DatabaseMerger().bytes(ofPackageAt: package)
        let path = PackagePath("StoreContent/persistentStore")
        #expect(await nearby.bytes(of: path, in: 0..<16) == Data("SQLite format 3\0".utf8))
        #expect(await nearby.bytes(of: path, in: 0..<(1 << 30)) == nil)
        #expect(await nearby.bytes(of: PackagePath("StoreContent/other"), in: 0..<16) == nil)
        #expect(await nearby.bytes(of: PackagePath("StoreContent"), in: 0..<16) == nil)
      }
      #expect(try locks(on: database) == before)
      // Another descriptor of the file ends them.
      try FileHandle(forReadingFrom: database).close()
      #expect(try locks(on: database) == 0)
      try pool.close()
    }
  }
}
