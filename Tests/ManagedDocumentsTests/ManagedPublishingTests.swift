import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Publishing beside a program that writes the visible files", .temporaryDirectory)
struct ManagedPublishingTests {
  /// The row of a published file tells of the past.
  @Test(arguments: [1, 100_000])
  func `keeps the bytes of an edit that a replaced file had`(_ count: Int) async throws {
    let bytes = String(repeating: "abc", count: count)
    let book = try await fixture.open { $0.clock = ManualClock() }
    try await book.publish("b", bytes)
    try fixture.replace("b", "theirs")
    try await book.write("c", "red")
    try await book.save()
    try await book.write("a", bytes)
    // Publishing removes the bytes that nothing needs any more.
    try await book.synchronize()
    #expect(try await book.text("a") == bytes)
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["a": bytes, "b": "theirs", "c": "red"])
    try await book.close()
  }

  @Test func `goes on without a file whose bytes are gone, and names it`() async throws {
    let book = try await fixture.open { $0.clock = ManualClock() }
    try await book.write("a", String(repeating: "abc", count: 100_000))
    try await book.write("b", "golden")
    try await book.save()
    try FileManager.default.removeItem(at: fixture.url.appending(path: ".docpkg/objects"))
    for _ in 1...2 {
      let error = await documentError { try await book.synchronize() }
      #expect(error?.fileError?.code == .changedOnDisk)
      #expect(error?.fileError?.child == "AdditionalContent/a")
      #expect(try fixture.visibleFiles == ["b": "golden"] && fixture.generation == 2)
    }
    try await book.publish("a", "new")
    #expect(try fixture.visibleFiles == ["a": "new", "b": "golden"])
    try await book.close()
  }

  @Test func `refuses an undo to bytes that another program replaced`() async throws {
    let book = try await fixture.open { $0.mergePolicy = .overwrite }
    try await book.publish("a", "golden")
    try fixture.replace("a", "theirs")
    try await book.publish("a", "brown")
    let error = await documentError { try await book.undo() }
    #expect(error?.code == .conflict)
    #expect(error?.description.contains("'AdditionalContent/a'") == true)
    #expect(try await book.text("a") == "brown")
    try await book.close()
  }

  @Test func `leaves another program's file after an undo of an edit that no save has`() async throws {
    let book = try await fixture.open()
    try await book.publish("a", "golden")
    try fixture.replace("a", "theirs")
    try await book.write("a", "brown")
    try await book.undo()
    try await book.publish("b", "red")
    #expect(try fixture.visibleFiles == ["a": "theirs", "b": "red"])
    #expect(await documentError { _ = try await book.text("a") }?.fileError?.code == .changedOnDisk)
    try await book.close()
  }

  /// A program that writes in place changes all names of a node.
  @Test(arguments: [1, 100_000])
  func `gives each file a node of its own, also two of the same bytes`(_ count: Int) async throws {
    let bytes = String(repeating: "abc", count: count)
    let book = try await fixture.open()
    try await book.edit { _, content in
      for path in ["a", "b"] { try content.write(path, Data(bytes.utf8)) }
    }
    try await book.saveAndPublish()
    try await book.edit { _, content in for path in ["a", "b"] { try content.remove(path) } }
    try await book.saveAndPublish()
    try await book.undo()
    try await book.saveAndPublish()
    for path in ["a", "b"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.visible(path).path)
      #expect(attributes[.referenceCount] as? Int == 1, "\(path)")
    }
    try fixture.replace("a", "theirs")
    #expect(try await book.text("b") == bytes)
    try await book.close()
  }

  @Test func `gives each of two large files of one edit a node of its own`() async throws {
    let bytes = String(repeating: "abc", count: 100_000)
    let book = try await fixture.open()
    try await book.edit { _, content in
      for path in ["a", "b"] { try content.write(path, Data(bytes.utf8)) }
    }
    try await book.saveAndPublish()
    try fixture.replace("a", "theirs")
    #expect(try await book.text("b") == bytes)
    try await book.close()
  }

  /// A node that another program puts in the place of a file.
  enum Obstacle: String, CaseIterable {
    case file, folder, link

    func put(at url: URL) throws {
      try FileManager.default.removeItem(at: url)
      switch self {
      case .file: try Data("theirs".utf8).write(to: url)
      case .link: try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "theirs")
      case .folder:
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try Data("theirs".utf8).write(to: url.appending(path: "child"))
      }
    }

    func isKept(in folder: URL) -> Bool {
      let place = folder.appending(path: "AdditionalContent/a")
      switch self {
      case .file: return FileManager.default.contents(atPath: place.path) == Data("theirs".utf8)
      case .folder:
        return FileManager.default.contents(atPath: place.appending(path: "child").path)
          == Data("theirs".utf8)
      case .link:
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: place.path)) == "theirs"
      }
    }
  }

  /// It is in the staging folder meanwhile (MP3).
  @Test(arguments: Obstacle.allCases, [false, true])
  func `keeps what it displaced until that is a conflict version`(
    _ obstacle: Obstacle, closes: Bool
  ) async throws {
    let isFull = Mutex(false)
    let disk = CountingDisk(PosixDisk()) { event throws(SystemError) in
      guard event.operation == .makeDirectory, event.name == "conflicts", isFull.withLock({ $0 }) else {
        return
      }
      throw SystemError("mkdirat", event.name, code: .noSpace)
    }
    var book = try await fixture.open { ($0.disk, $0.watchesDisk) = (disk, false) }
    try await book.publish("a", "golden")
    try obstacle.put(at: fixture.visible("a"))
    try await book.write("a", "brown")
    isFull.withLock { $0 = true }
    try await book.save()
    #expect(await documentError { try await book.synchronize() }?.fileError?.code == .noSpace)
    if closes { try await book.close() }
    isFull.withLock { $0 = false }
    if closes { book = try await fixture.open() } else { try await book.synchronize() }
    #expect(try fixture.visibleFiles == ["a": "brown"])
    let conflicts = try fixture.conflicts
    #expect(conflicts.count == 1 && conflicts.allSatisfy { obstacle.isKept(in: $0) })
    try await book.close()
    #expect(try fixture.names(in: ".docpkg") == ["conflicts"])
  }

  /// A killed publisher left another program's file.
  @Test func `keeps a displaced file when the document cannot be opened for writing`() async throws {
    let newer: (inout ManagedDocumentOptions) -> Void = {
      $0.migrator?.registerMigration("newer") { _ in }
    }
    let book = try await fixture.open(newer)
    try await book.write("a", "golden")
    try await book.close()
    let staging = fixture.url.appending(path: ".docpkg/tmp")
    try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
    try Data("theirs".utf8).write(to: staging.appending(path: Self.stagedA))
    let older = try await fixture.open()
    #expect(await older.documentState == .editingDisabled)
    try await older.close()
    let again = try await fixture.open(newer)
    try await again.publish("a", "brown")
    let conflicts = try fixture.conflicts
    #expect(conflicts.count == 1 && conflicts.allSatisfy { Obstacle.file.isKept(in: $0) })
    try await again.close()
  }

  @Test func `keeps each of two states that another program gave a file`() async throws {
    let book = try await fixture.open()
    try await book.publish("a", "golden")
    // A killed publisher displaced the first one.
    try Data("first".utf8).write(to: fixture.url.appending(path: ".docpkg/tmp/\(Self.stagedA)"))
    try fixture.replace("a", "second")
    try await book.publish("a", "brown")
    let kept = try fixture.conflicts.map {
      try String(contentsOf: $0.appending(path: "AdditionalContent/a"), encoding: .utf8)
    }
    #expect(kept.sorted() == ["first", "second"])
    try await book.close()
  }

  /// The file of the path `a` in the staging folder.
  private static let stagedA = "file-\(ContentHash(of: Array("a".utf8)).bytes.hexadecimal)"

  /// From the moment of the rename, the file may be another program's.
  @Test(arguments: [1, 2])
  func `takes no edit of another program behind its rename for its own`(_ publishing: Int) async throws {
    let place = fixture.visible("a")
    // The numbers of renames to the name, and of edits of the other program.
    let counts = Mutex((renames: 0, edits: 0))
    let disk = CountingDisk(PosixDisk()) { event throws(SystemError) in
      let isDue = counts.withLock { counts in
        defer {
          if [.rename, .exchange].contains(event.operation) && event.name == "a" { counts.renames += 1 }
        }
        guard counts.renames == publishing && counts.edits == 0 else { return false }
        counts.edits += 1
        return true
      }
      // The edit that fails shows below.
      if isDue { try? Data("theirs".utf8).write(to: place) }
    }
    let events = PublishingList()
    let book = try await fixture.open {
      ($0.disk, $0.watchesDisk) = (disk, false)
      $0.eventHandler = { events.add($0) }
    }
    for number in 1...publishing {
      try await book.publish("a", "golden \(number)")
    }
    #expect(counts.withLock { $0.edits } == 1)
    #expect(try fixture.visibleFiles == ["a": "theirs"])
    #expect(await documentError { _ = try await book.text("a") }?.fileError?.code == .changedOnDisk)
    try await book.publish("a", "brown")
    #expect(events.published.last?.conflicts == ["AdditionalContent/a"])
    #expect(try fixture.conflicts.allSatisfy { Obstacle.file.isKept(in: $0) })
    try await book.close()
  }
}

extension ManagedDocument {
  fileprivate func text(_ path: String) async throws -> String {
    try await read { _, content in String(decoding: try content.read(path), as: UTF8.self) }
  }
}

extension BookFixture {
  fileprivate func visible(_ path: String) -> URL { url.appending(path: "AdditionalContent/\(path)") }

  /// Writes into a visible file in place, as another program.
  fileprivate func replace(_ path: String, _ text: String) throws {
    try Data(text.utf8).write(to: visible(path))
  }

  /// The folders of conflict versions.
  fileprivate var conflicts: [URL] {
    get throws {
      let folder = url.appending(path: ".docpkg/conflicts")
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
        folder.appending(path: $0)
      }
    }
  }
}
