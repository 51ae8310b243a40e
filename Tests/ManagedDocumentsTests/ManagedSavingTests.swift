import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A save returns at its commit (MS1). Its publishing follows, and these tests hold it up with a clock that stands.
@Suite("A save of a document with a database", .temporaryDirectory)
struct ManagedSavingTests {
  @Test func `returns at its commit, and is published once together with the next ones`() async throws {
    let events = PublishingList()
    let book = try await fixture.open(standing { $0.eventHandler = { events.add($0) } })
    for number in 1...5 {
      try await book.add(Recipe(id: Int64(number), title: "\(number)"), picture: "\(number)")
      let report = try await book.save()
      #expect(report.written == ["AdditionalContent/Pictures/\(number).jpeg", "Metadata.plist"])
      #expect(!report.isPublished && report.synchronizations == 1 && report.generation == number + 1)
      #expect(report.description.contains("being published"))
    }
    #expect(await !book.hasUnsavedChanges)
    #expect(try fixture.visibleFiles == [:] && fixture.generation == 1)
    #expect(try await book.book.files.count == 5, "a reader of the library needs no publishing")
    try await book.synchronize()
    #expect(try fixture.visibleFiles.count == 5 && fixture.generation == 6)
    #expect(events.published.map(\.generation) == [6])
    #expect(events.published[0].isPublished && events.published[0].written.count == 6)
    // Nothing is left to do.
    try await book.synchronize()
    #expect(events.published.count == 1)
    try await book.close()
  }

  @Test func `is published by itself a moment later`() async throws {
    let (clock, events) = (ManualClock(), PublishingList())
    let book = try await fixture.open {
      $0.clock = clock
      $0.eventHandler = { events.add($0) }
    }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.save()
    #expect(await clock.nextDeadline().offset == .milliseconds(20))
    clock.advance(by: .milliseconds(20))
    await events.nextPublishing()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await book.close()
  }

  @Test func `removes a file whose removal failed, with the next publishing`() async throws {
    let isBroken = Mutex(false)
    let disk = CountingDisk(PosixDisk()) { event throws(SystemError) in
      guard event.operation == .rename, isBroken.withLock({ $0 }) else { return }
      throw SystemError("renameat2", event.name, code: .ioError)
    }
    let book = try await fixture.open(standing { ($0.disk, $0.watchesDisk) = (disk, false) })
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.saveAndPublish()
    try await book.edit { _, content in try content.remove("Pictures/1.jpeg") }
    isBroken.withLock { $0 = true }
    try await book.save()
    #expect(await documentError { try await book.synchronize() }?.fileError?.code == .inputOutput)
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    isBroken.withLock { $0 = false }
    try await book.synchronize()
    #expect(try fixture.visibleFiles == [:])
    try await book.close()
  }

  @Test func `waits for no other program that has the package's lock`() async throws {
    let book = try await fixture.open(standing())
    let other = try OtherWriter(fixture.path)
    try await book.add(Recipe(id: 1, title: "Rösti"))
    try await book.save()
    #expect(await !book.hasUnsavedChanges)
    let refusal = await documentError { _ = try await fixture.open() }
    #expect(refusal?.fileError?.code == .busy)
    await other.unlock()
    try await book.synchronize()
    #expect(try fixture.generation == 2)
    try await book.close()
  }

  @Test func `is published after a snapshot that took longer than a publishing waits`() async throws {
    let (clock, events, errors) = (ManualClock(), PublishingList(), NoteList<DocumentError>())
    let book = try await fixture.open {
      $0.clock = clock
      $0.eventHandler = { events.add($0) }
      $0.errorHandler = { errors.add($0) }
    }
    try await book.withSnapshot { _ in
      try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
      try await book.save()
      _ = await clock.nextDeadline()
      clock.advance(by: .milliseconds(20))
      try await withDeadline("the end of a publishing") { while errors.all.isEmpty { await Task.yield() } }
    }
    #expect(errors.all.map { $0.fileError?.code } == [.busy])
    try await withDeadline("the next publishing") {
      _ = await clock.nextDeadline()
      clock.advance(by: .milliseconds(20))
      await events.nextPublishing()
    }
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await book.close()
  }

  @Test func `is in one file after closing, also while another program has the package's lock`() async throws
  {
    let book = try await fixture.open(standing())
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    let other = try OtherWriter(fixture.path)
    try await book.close()
    #expect(try fixture.names(in: "StoreContent") == ["persistentStore"])
    await other.unlock()
    let again = try await fixture.open()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    #expect(try await again.book.titles == ["Rösti"])
    try await again.close()
  }

  @Test func `is published by closing, and before another program reads`() async throws {
    let book = try await fixture.open(standing())
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.save()
    try await book.savePresentedItemChanges()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await book.write("a", "b")
    try await book.save()
    try await book.close()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden", "a": "b"])
  }

  /// The rows of an unsaved edit do not hold up the file of the save before (MT5).
  @Test(arguments: [UndoPolicy(), nil])
  func `is published though the same file was edited since`(undo: UndoPolicy?) async throws {
    let book = try await fixture.open(standing { $0.undo = undo })
    try await book.write("a", "one")
    try await book.save()
    try await book.write("a", "two")
    #expect(try await book.book.files == ["a": "two"])
    try await book.synchronize()
    #expect(try fixture.visibleFiles == ["a": "one"])
    #expect(try await book.book.files == ["a": "two"])
    try await book.save()
    try await book.edit { _, content in try content.remove("a") }
    try await book.synchronize()
    #expect(try fixture.visibleFiles == ["a": "two"])
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == [:])
    #expect(await book.documentState == .normal)
    try await book.close()
  }

  /// The old bytes are there until the newer file is published, and after that for a reader of an older moment (MT3).
  @Test(arguments: ["small", "large"])
  func `leaves the bytes of earlier moments to readers`(_ size: String) async throws {
    let rest = String(repeating: "x", count: size == "large" ? 300_000 : 0)
    let book = try await fixture.open(standing { $0.undo = nil })
    for number in 1...3 {
      try await book.write("a", "\(number)\(rest)")
      if number > 1 {
        try await book.save()
        #expect(try await book.book.files == ["a": "\(number)\(rest)"])
        // This read began before the next save is published, and ends after that.
        let gate = Gate()
        async let old = book.read { _, content in
          gate.enter()
          return try content.read("a")
        }
        try await gate.entered()
        try await book.synchronize()
        gate.leave()
        #expect(try await String(decoding: old, as: UTF8.self) == "\(number)\(rest)")
      } else {
        try await book.saveAndPublish()
      }
    }
    try await book.close()
    #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
  }

  /// A failed publishing is no unsaved change, and the first error counts.
  @Test func `is saved if it cannot be published, and the next save publishes it`() async throws {
    let errors = NoteList<DocumentError>()
    let book = try await fixture.open(
      standing {
        $0.errorHandler = { errors.add($0) }
        $0.configuration.busyMode = .immediateError
      })
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book.save()
    let folder = fixture.url.appending(path: "AdditionalContent")
    try FileManager.default.removeItem(at: folder)
    try Data().write(to: folder)
    // Noting the files fails, too: the database is locked.
    let other = try DatabaseQueue(
      path: fixture.url.appending(path: "StoreContent/persistentStore").path, configuration: .unsafe)
    try other.inDatabase { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    let failure = await documentError { try await book.synchronize() }
    try other.inDatabase { db in try db.execute(sql: "ROLLBACK") }
    try other.close()
    #expect(failure?.fileError?.code == .wrongKind, "\(String(describing: failure))")
    #expect(errors.all.count == 1)
    #expect(await !book.hasUnsavedChanges)
    #expect(await book.documentState == .normal)
    try FileManager.default.removeItem(at: folder)
    #expect(try await book.save().strategy == .none)
    try await book.synchronize()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await book.close()
  }

  /// Options with a clock that stands.
  private func standing(
    _ change: @escaping (inout ManagedDocumentOptions) -> Void = { _ in }
  ) -> (inout ManagedDocumentOptions) -> Void {
    { options in
      options.clock = ManualClock()
      change(&options)
    }
  }
}

/// Another program that has the package's lock.
private actor OtherWriter {
  private let folder: HiddenFolder

  init(_ path: FilePath) throws {
    let location = Location(path, on: PosixDisk())
    folder = try HiddenFolder.open(location, on: location.disk, LockWait())
  }

  func unlock() { folder.unlock() }
}

/// Lets a test wait until a reader is within its closure, and hold it there.
final class Gate: Sendable {
  private let inside = DispatchSemaphore(value: 0)
  private let outside = DispatchSemaphore(value: 0)

  /// Called within the closure.
  func enter() {
    inside.signal()
    outside.wait()
  }

  func entered() async throws { try await waiting { [inside] in inside.wait() } }

  func leave() { outside.signal() }
}

extension Configuration {
  /// A configuration whose transactions may stay open between calls.
  static var unsafe: Configuration { with(.init()) { $0.allowsUnsafeTransactions = true } }
}

extension BookFixture {
  var path: FilePath { folder.appending("Recipes.recipebook") }
}
