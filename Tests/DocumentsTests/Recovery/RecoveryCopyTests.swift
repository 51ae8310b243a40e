import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A recovery copy")
struct RecoveryCopyTests {
  /// Makes a document with edits that its disk refuses, and another disk for recovery copies.
  private func failed(
    _ code: Errno, _ fault: FaultyDisk.Fault = .changes(from: 0)
  ) async throws -> (document: Document<Pages>, disk: FaultyDisk, recovery: CrashDisk) {
    let (disk, recovery) = (FaultyDisk(try CrashDisk()), try CrashDisk())
    let document = try await Trip.create(
      Pages(["a.txt": "a", "b.txt": "b", "c.txt": "c"]), on: disk.disk, recoveryDisk: recovery)
    try await document.edit { $0["a.txt"] = "edited" }
    try await document.edit { $0["b.txt"] = nil }
    try await document.edit { $0["new.txt"] = "new" }
    disk.fail(fault, with: code)
    let error = await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(error?.recoveryCopy != nil, "\(String(describing: error))")
    return (document, disk, recovery)
  }

  @Test(arguments: [Errno.noSpace, .readOnlyFileSystem, .ioError, .permissionDenied])
  func `of edits that could not be saved is found again, and taken in`(code: Errno) async throws {
    let (document, disk, recovery) = try await failed(code)
    #expect(recovery.tree["Recovery"]?.entries.count == 1)
    // The program ends.
    try await document.close(discardingChanges: true)
    disk.stopFailing()

    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    #expect(try await again.content == Pages(["a.txt": "a", "b.txt": "b", "c.txt": "c"]))
    let copy = try #require(await again.recoveryCopies.first)
    #expect(copy.documentURL == Trip.url)
    try await again.recover(copy)
    let expected = Pages(["a.txt": "edited", "c.txt": "c", "new.txt": "new"])
    #expect(try await again.content == expected)
    #expect(await again.hasUnsavedChanges)
    #expect(await again.documentState == .normal)
    // The copy stays until the edits are saved.
    #expect(recovery.tree["Recovery"]?.entries.count == 1)
    try await again.save()
    #expect(recovery.tree["Recovery"]?.entries.isEmpty == true)
    try await again.close()
    #expect(try await Trip.open(on: disk.disk).content == expected)
  }

  @Test func `is found by the document that was moved since, and not by one that was copied`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let moved = URL(filePath: "/Moved.pages")
    let folder = try disk.disk.openDirectory(at: "/")
    func copies(_ options: DocumentOptions<Pages> = .quiet(Trip.recovery)) async throws -> Int {
      let there = Document<Pages>(
        fileURL: moved, options: options, on: .test(disk.disk), recoveryDisk: recovery)
      try await there.open()
      let count = await there.recoveryCopies.count
      try await there.close()
      return count
    }
    try FileWrapper("/Trip.pages", on: disk.disk).write(
      to: "/Moved.pages", options: [], original: nil, on: disk.disk)
    #expect(try await copies() == 0)
    disk.disk.removeEverything("Moved.pages", from: folder)
    try disk.disk.rename("Trip.pages", in: folder, to: "Moved.pages", in: folder, .replace)
    #expect(try await copies() == 1)
  }

  @Test func `is of the state that the document merged`() async throws {
    let (disk, recovery) = (FaultyDisk(try CrashDisk()), try CrashDisk())
    let document = try await Trip.create(
      Pages(["a.txt": "a", "c.txt": "c"]), on: disk.disk, recoveryDisk: recovery
    ) { $0.merge = Pages.merge }
    try await document.edit { $0["a.txt"] = "edited" }
    let other = try await Trip.open(on: disk.disk)
    try await other.edit { $0["c.txt"] = "others" }
    try await other.close()
    #expect(try await document.checkForExternalChanges() == .merged)
    disk.fail(.changes(from: 0), with: .noSpace)
    await #expect(throws: DocumentError.self) { try await document.save() }
    try await document.close(discardingChanges: true)
    disk.stopFailing()

    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    try await again.recover(#require(await again.recoveryCopies.first))
    #expect(try await again.content == Pages(["a.txt": "edited", "c.txt": "others"]))
    #expect(await !again.documentState.contains(.inConflict))
  }

  @Test func `stays, and the document as it was, if another state cannot be kept beside it`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let other = try await Trip.open(on: disk.disk)
    try await other.edit { $0["a.txt"] = "others" }
    try await other.close()
    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    let copy = try #require(await again.recoveryCopies.first)
    disk.fail(.changes(from: 0), with: .noSpace)
    await #expect(throws: DocumentError.self) { try await again.recover(copy) }
    #expect(try await again.content["a.txt"] == "others")
    #expect(await !again.hasUnsavedChanges)
    #expect(await again.recoveryCopies.map(\.id) == [copy.id])
    disk.stopFailing()
    try await again.recover(copy)
    #expect(try await again.content["a.txt"] == "edited")
    #expect(await again.documentState == .inConflict)
  }

  @Test func `stays if a revert gives its edits up`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    let copy = try #require(await again.recoveryCopies.first)
    try await again.recover(copy)
    try await again.revert(toContentsOf: Trip.url)
    #expect(await again.recoveryCopies.map(\.id) == [copy.id])
    try await again.edit { $0["c.txt"] = "later" }
    try await again.save()
    #expect(recovery.tree["Recovery"]?.entries.count == 1)
  }

  @Test func `outlasts a later one of the same document, opened again`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    try await document.open()
    let copy = try #require(await document.recoveryCopies.first)
    try await document.edit { $0["c.txt"] = "later" }
    disk.fail(.changes(from: 0), with: .noSpace)
    await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(recovery.tree["Recovery"]?.entries.count == 2)
    disk.stopFailing()
    try await document.recover(copy)
    #expect(try await document.content == Pages(["a.txt": "edited", "c.txt": "later", "new.txt": "new"]))
  }

  @Test func `has only what was edited`() async throws {
    let (_, _, recovery) = try await failed(.noSpace)
    let copy = try #require(recovery.tree["Recovery"]?.entries.values.first)
    #expect(copy["Contents"]?.entries.keys.sorted() == ["a.txt", "new.txt"])
  }

  @Test func `is made of a disk that is gone altogether`() async throws {
    let (document, _, recovery) = try await failed(.ioError, .requests(from: 0))
    #expect(recovery.tree["Recovery"]?.entries.count == 1)
    #expect(await document.documentState == .savingError)
  }

  @Test func `follows the edits, and goes once they are saved`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.edit { $0["a.txt"] = "edited more" }
    await #expect(throws: DocumentError.self) { try await document.save() }
    let copies = try #require(recovery.tree["Recovery"]?.entries.values)
    #expect(copies.count == 1)
    #expect(copies.first?["Contents"]?["a.txt"] == .file(Array("edited more".utf8), mode: 0o644))
    disk.stopFailing()
    try await document.save()
    #expect(recovery.tree["Recovery"]?.entries.isEmpty == true)
  }

  @Test(arguments: [false, true])
  func `over a document that others saved keeps what they wrote`(isOpenBefore: Bool) async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    // The first document to open gets the copy.
    if !isOpenBefore { try await again.close() }
    let other = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    try await other.edit { $0["a.txt"] = "others" }
    try await other.edit { $0["c.txt"] = "others" }
    try await other.close()

    // If it is open, no watcher tells it of that save.
    try await again.open()
    try await again.recover(#require(await again.recoveryCopies.first))
    #expect(await again.documentState == .inConflict)
    #expect(try await again.content == Pages(["a.txt": "edited", "c.txt": "others", "new.txt": "new"]))
    let kept = try #require(try await again.conflictVersionURLs().first)
    #expect(try disk.disk.text("a.txt", in: FilePath(kept.path)) == "others")
    try await again.close()
  }

  @Test func `beside a state of others that could not be kept keeps that state when it is taken in`()
    async throws
  {
    let (disk, recovery) = (FaultyDisk(try CrashDisk()), try CrashDisk())
    let document = try await Trip.create(Pages(["a.txt": "a"]), on: disk.disk, recoveryDisk: recovery)
    try await document.edit { $0["a.txt"] = "ours" }
    try disk.disk.replace("a.txt", "theirs", in: Trip.path)
    disk.fail(.changes(from: 0), with: .noSpace)
    #expect(try await document.checkForExternalChanges() == .conflict)
    await #expect(throws: DocumentError.self) { try await document.save() }
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    try await again.recover(#require(await again.recoveryCopies.first))
    #expect(try await again.content["a.txt"] == "ours")
    let kept = try #require(try await again.conflictVersionURLs().first)
    #expect(try disk.disk.text("a.txt", in: FilePath(kept.path)) == "theirs")
  }

  @Test func `that nobody wants can be removed`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    try await again.discard(#require(await again.recoveryCopies.first))
    #expect(await again.recoveryCopies.isEmpty)
    #expect(try await Trip.open(on: disk.disk, recoveryDisk: recovery).recoveryCopies.isEmpty)
  }

  @Test(arguments: [false, true])
  func `that cannot be read is told, and offered once it can be`(isDamaged: Bool) async throws {
    let (document, disk, copies) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let recovery = FaultyDisk(copies)
    let folder = try #require(copies.tree["Recovery"]?.entries.keys.first)
    let place = FilePath("/Recovery").appending(folder.string)
    if isDamaged {
      try copies.rot("Recovery.json", in: place)
    } else {
      recovery.fail(.operation(.openFile), with: .ioError)
    }
    let errors = Mutex<[String]>([])
    func open() async throws -> Document<Pages> {
      try await Trip.open(on: disk.disk, recoveryDisk: recovery.disk) {
        $0.errorHandler = { error in errors.withLock { $0.append("\(error)") } }
      }
    }
    #expect(try await open().recoveryCopies.isEmpty)
    let told = errors.withLock { $0 }
    #expect(told.count == 1 && told[0].contains(folder.string), "\(told)")
    if isDamaged { try copies.rot("Recovery.json", in: place) } else { recovery.stopFailing() }
    #expect(try await open().recoveryCopies.count == 1)
    #expect(errors.withLock { $0.count } == 1)
  }

  @Test func `that is removed is there whole after a power cut, or not offered`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    recovery.synchronizeAll()
    let whole = try #require(recovery.tree["Recovery"])
    let again = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    let copy = try #require(await again.recoveryCopies.first)
    for point in try await CrashDisk.crashPoints(of: recovery, during: { try await again.discard(copy) }) {
      for state in point.states() {
        let offered = state.tree["Recovery"]?.entries.filter { $0.key.string.hasSuffix(".recovery") } ?? [:]
        #expect(offered.isEmpty || offered == whole.entries, "\(point)\n\(state)")
      }
    }
  }

  @Test func `belongs to one document at a time`() async throws {
    let (document, disk, recovery) = try await failed(.noSpace)
    disk.stopFailing()
    // The first document is open, with the edits in memory.
    let second = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    #expect(await second.recoveryCopies.isEmpty)
    try await second.close()
    try await document.close(discardingChanges: true)
    let third = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    #expect(await third.recoveryCopies.count == 1)
    let fourth = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    #expect(await fourth.recoveryCopies.isEmpty)
    // A document that does not take the copy leaves it to the next one.
    try await third.close()
    try await fourth.close()
    let fifth = try await Trip.open(on: disk.disk, recoveryDisk: recovery)
    try await fifth.recover(#require(await fifth.recoveryCopies.first))
    #expect(try await fifth.content["new.txt"] == "new")
    // The edits are taken in and not saved: no other document gets the copy.
    #expect(try await Trip.open(on: disk.disk, recoveryDisk: recovery).recoveryCopies.isEmpty)
    try await fifth.close()
    #expect(recovery.tree["Recovery"]?.entries.isEmpty == true)
  }

  @Test func `is made of a single file, too`() async throws {
    let (disk, recovery) = (FaultyDisk(try CrashDisk()), try CrashDisk())
    let document = try await DocumentFixture<Plain>.create(
      Plain("one"), on: disk.disk, recoveryDisk: recovery)
    try await document.edit { $0.text = "two" }
    disk.fail(.changes(from: 0), with: .readOnlyFileSystem)
    await #expect(throws: DocumentError.self) { try await document.save() }
    try await document.close(discardingChanges: true)
    disk.stopFailing()
    let again = try await DocumentFixture<Plain>.open(on: disk.disk, recoveryDisk: recovery)
    try await again.recover(#require(await again.recoveryCopies.first))
    #expect(try await again.content == Plain("two"))
    #expect(await again.documentState == .normal)
    try await again.close()
    #expect(try disk.disk.text("Trip.pages", in: "/") == "two")
  }

  @Test func `that cannot be made leaves the edits in memory, and says so`() async throws {
    let disk = FaultyDisk(try CrashDisk())
    let document = try await Trip.create(Pages(["a.txt": "a"]), on: disk.disk)
    try await document.edit { $0["a.txt"] = "edited" }
    disk.fail(.changes(from: 0), with: .noSpace)
    let error = try #require(await #expect(throws: DocumentError.self) { try await document.save() })
    #expect(error.recoveryCopy == nil && error.hasUnsavedChanges)
    #expect("\(error)".hasSuffix("The edits are still in memory."))
    #expect(try await document.content["a.txt"] == "edited")
  }
}
