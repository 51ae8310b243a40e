import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// FAT has no hard links, FUSE and network file systems often neither links nor exchange.
@Suite("A document with a database where the file system lacks a feature", .temporaryDirectory)
struct ManagedLimitedDiskTests {
  enum Lack: String, CaseIterable {
    case nothing, links, exchange, rules, all

    /// The real disk without the feature.
    var disk: any Disk {
      CountingDisk(PosixDisk()) { (event) throws(SystemError) in
        let isLink = event.operation == .link
        let isRule = event.rule == .exchange || event.rule == .noReplace && self != .exchange
        switch self {
        case .links where isLink, .all where isLink:
          throw SystemError("linkat", event.name, code: .notPermitted)
        case .exchange where isRule, .rules where isRule, .all where isRule:
          throw SystemError("renameat2", event.name, code: .invalidArgument)
        default: return
        }
      }
    }
  }

  private static let large = String(repeating: "large", count: 100_000)

  private static func open(_ lack: Lack) async throws -> (ManagedDocument, PublishingList) {
    let events = PublishingList()
    let book = try await fixture.open {
      $0.disk = lack.disk
      $0.watchesDisk = false
      $0.eventHandler = { events.add($0) }
    }
    return (book, events)
  }

  @Test(arguments: Lack.allCases)
  func `publishes new, changed, large and removed files, and undoes that`(lack: Lack) async throws {
    let (book, events) = try await Self.open(lack)
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.add(Recipe(id: 2, title: "Soup"), picture: Self.large)
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": Self.large])

    try await book.edit("Change") { _, content in
      try content.write("Pictures/1.jpeg", Data("brown".utf8))
      try content.write("Pictures/2.jpeg", Data((Self.large + "r").utf8))
    }
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "brown", "Pictures/2.jpeg": Self.large + "r"])

    try await book.edit("Remove") { _, content in try content.remove("Pictures/2.jpeg") }
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "brown"])

    try await book.undo()
    try await book.undo()
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": Self.large])
    #expect(
      events.published.count == 4 && events.published.allSatisfy { $0.isPublished && $0.conflicts == [] })
    try await book.close()

    let again = try await fixture.open { $0.disk = lack.disk }
    #expect(try await again.book.files == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": Self.large])
    try await again.close()
    let verified = try await #require(try ManagedPackage(at: fixture.url)).verify()
    #expect(verified.isWhole, "\(verified)")
  }

  @Test func `gives a copy its name only when its bytes are durable`() async throws {
    let calls = Mutex<[CountingDisk.Event]>([])
    let book = try await fixture.open {
      $0.disk = CountingDisk(Lack.links.disk) { (event) throws(SystemError) in
        calls.withLock { $0.append(event) }
      }
      $0.watchesDisk = false
    }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: Self.large)
    calls.withLock { $0 = [] }
    try await book.saveAndPublish()
    try await book.close()
    let made = calls.withLock { $0 }
    let copies = made.indices.filter { made[$0].operation == .createFile && made[$0].name == "unfinished" }
    #expect(!copies.isEmpty)
    for copy in copies {
      let end = try #require(made[copy...].firstIndex { $0.operation == .rename })
      #expect(made[copy..<end].contains { $0.operation == .synchronize })
    }
  }

  // The other program's bytes become a conflict version (MP3).
  @Test(arguments: Lack.allCases)
  func `makes a conflict version of another program's file`(lack: Lack) async throws {
    let (book, events) = try await Self.open(lack)
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.saveAndPublish()
    try await book.edit("Change") { _, content in
      try content.write("Pictures/1.jpeg", Data("brown".utf8))
    }
    try Data("theirs".utf8).write(to: fixture.url.appending(path: "AdditionalContent/Pictures/1.jpeg"))
    try await book.saveAndPublish()
    #expect(events.published.last?.conflicts == ["AdditionalContent/Pictures/1.jpeg"])
    #expect(await book.documentState == .inConflict)
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "brown"])
    let conflicts = fixture.url.appending(path: ".docpkg/conflicts")
    let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: conflicts.path).first)
    let kept = conflicts.appending(path: "\(folder)/AdditionalContent/Pictures/1.jpeg")
    #expect(try Data(contentsOf: kept) == Data("theirs".utf8))
    try await book.close()
  }
}
