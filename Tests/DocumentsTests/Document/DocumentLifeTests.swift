import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("The life of a document", .temporaryDirectory)
struct DocumentLifeTests {
  @Test func `begins with creating, and everything else reads again`() async throws {
    let disk = try CrashDisk()
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: disk)
    #expect(await document.documentState == .normal)
    #expect(await document.localizedName == "Trip")
    #expect(await document.fileType == Pages.readableContentTypes[0])
    #expect(await document.fileModificationDate != nil)
    #expect(try disk.text("a.txt", in: Trip.path) == "one")

    try await document.edit { $0["b.txt"] = "two" }
    #expect(await document.hasUnsavedChanges)
    #expect(try await document.save().written == ["Metadata.plist", "b.txt"])
    #expect(await !document.hasUnsavedChanges)
    try await document.close()
    #expect(await document.documentState == .closed)
    await #expect(throws: DocumentError.self) { try await document.content }

    let again = try await Trip.open(on: disk)
    #expect(try await again.content == Pages(["a.txt": "one", "b.txt": "two"]))
    #expect(await !again.hasUnsavedChanges)
    try await again.close()
  }

  @Test func `is the same for a single file`() async throws {
    let disk = try CrashDisk()
    let document = try await DocumentFixture<Plain>.create(Plain("one"), on: disk)
    #expect(try disk.text("Trip.pages", in: "/") == "one")
    try await document.edit { $0.text = "two" }
    #expect(try await document.save().written == ["Trip.pages"])
    #expect(try disk.text("Trip.pages", in: "/") == "two")
    // Equal bytes are not written again.
    #expect(try await document.save().written == [])
    try await document.close()
    #expect(try await DocumentFixture<Plain>.open(on: disk).content == Plain("two"))
    #expect(disk.tree.entries.keys.sorted() == ["Trip.pages"])
  }

  @Test func `keeps mode and attributes of a single file`() async throws {
    let (disk, name) = (PosixDisk(), FileName("Letter.txt"))
    let directory = try disk.openDirectory(at: folder)
    try disk.makeFile(name, Array("one".utf8), in: directory, mode: 0o600)
    try disk.setMode(0o640, of: disk.openFile(name, in: directory))
    let url = url("Letter.txt")
    let document = try await Document<Plain>.open(at: url, options: .quiet(nil))
    try await document.edit { $0.text = "two" }
    try await document.save()
    #expect(try disk.status(of: name, in: directory).mode == 0o640)
    #expect(try disk.text(name, in: folder) == "two")
  }

  @Test func `goes on elsewhere after it was saved to another place`() async throws {
    let disk = try CrashDisk()
    let document = try await Trip.create(Pages(["a.txt": "one", "b.txt": "two"]), on: disk)
    let first = try await identifier(Trip.path, on: disk)
    try await document.edit { $0["a.txt"] = "edited" }
    let other = URL(filePath: "/Copy.pages", directoryHint: .notDirectory)
    try await document.save(to: other, for: .forCreating)
    #expect(await document.fileURL == other)
    #expect(await !document.hasUnsavedChanges)
    #expect(try disk.text("a.txt", in: "/Trip.pages") == "one")
    #expect(try disk.text("a.txt", in: "/Copy.pages") == "edited")
    #expect(try await identifier("/Copy.pages", on: disk) != first)
    // The next save goes there, and writes only the changed children.
    try await document.edit { $0["c.txt"] = "three" }
    #expect(try await document.save().written == ["Metadata.plist", "c.txt"])
    try await document.close()
    #expect(try disk.text("c.txt", in: "/Copy.pages") == "three")
    #expect(try !disk.holds("c.txt", in: "/Trip.pages"))
    #expect(try !disk.holds(".docpkg.new", in: "/"))
  }

  private func identifier(_ path: FilePath, on disk: any Disk) async throws -> UUID? {
    try await PackageStore.open(path, on: disk).metadata()?.identifier
  }

  @Test func `does not replace what stands at another place`() async throws {
    let disk = try CrashDisk(["Copy.pages": ["x.txt": "theirs"]])
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: disk)
    try await document.edit { $0["a.txt"] = "edited" }
    await expect(\DocumentError.fileError?.code, .fileExists) {
      try await document.save(to: URL(filePath: "/Copy.pages"), for: .forOverwriting)
    }
    #expect(await document.fileURL == Trip.url)
    #expect(await document.hasUnsavedChanges)
    #expect(try disk.text("x.txt", in: "/Copy.pages") == "theirs")
    // The next save still goes to the old place.
    try await document.saveAndPublish()
    #expect(try disk.text("a.txt", in: Trip.path) == "edited")
  }

  @Test func `gives up its edits when it is reverted, and what could be undone`() async throws {
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: CrashDisk())
    try await document.edit { $0["a.txt"] = "two" }
    try await document.revert(toContentsOf: Trip.url)
    #expect(try await document.content == Pages(["a.txt": "one"]))
    #expect(await !document.hasUnsavedChanges)
    #expect(await !document.undoState.canUndo)
    #expect(await document.documentState == .normal)
  }

  @Test func `is another document when it is reverted to another place`() async throws {
    let disk = try CrashDisk()
    let other = try await Trip.create(Pages(["a.txt": "other"]), on: disk)
    let place = URL(filePath: "/Other.pages", directoryHint: .notDirectory)
    try await other.save(to: place, for: .forCreating)
    try await other.close()
    let document = try await Trip.open(on: disk)
    try await document.edit { $0["a.txt"] = "mine" }
    try await document.revert(toContentsOf: place)
    #expect(await document.fileURL == place)
    try await document.edit { $0["b.txt"] = "b" }
    try await document.close()
    #expect(try disk.text("b.txt", in: "/Other.pages") == "b")
    #expect(try !disk.holds("b.txt", in: "/Trip.pages"))
  }

  @Test func `stays as it was when it cannot be reverted`() async throws {
    let disk = try CrashDisk()
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: disk)
    try await document.edit { $0["a.txt"] = "two" }
    await #expect(throws: DocumentError.self) {
      try await document.revert(toContentsOf: URL(filePath: "/Nowhere.pages"))
    }
    #expect(await document.fileURL == Trip.url)
    #expect(try await document.content == Pages(["a.txt": "two"]))
    #expect(await document.documentState == .savingError)
    try await document.save()
    #expect(await document.documentState == .normal)
    try await document.synchronize()
    #expect(try disk.text("a.txt", in: Trip.path) == "two")
  }

  @Test func `stays at its place when it is closed and cannot be reverted`() async throws {
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: CrashDisk())
    try await document.close()
    await #expect(throws: DocumentError.self) {
      try await document.revert(toContentsOf: URL(filePath: "/Nowhere.pages"))
    }
    #expect(await document.fileURL == Trip.url)
    // A closed document follows no move.
    let modified = await document.fileModificationDate
    await document.presentedItemDidMove(to: URL(filePath: "/Moved.pages"))
    #expect(await document.fileURL == Trip.url)
    #expect(await document.fileModificationDate == modified)
    try await document.open()
    #expect(try await document.content == Pages(["a.txt": "one"]))
  }

  @Test func `tells of each state once, and of the present one first`() async throws {
    // Each step tells the state once (D5).
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: CrashDisk())
    var early = await document.stateChanges.makeAsyncIterator()
    try await document.edit { $0["a.txt"] = "two" }
    try await document.save()
    await document.disableEditing()
    await document.disableEditing()
    await document.enableEditing()
    var late = await document.stateChanges.makeAsyncIterator()
    await document.enableEditing()
    try await document.close()
    var seen: [DocumentState] = []
    while let state = await early.next() {
      seen.append(state)
      if state == .closed { break }
    }
    #expect(
      seen == [
        .normal, .progressAvailable, .normal, .editingDisabled, .normal, .editingDisabled,
        [.closed, .editingDisabled], .closed,
      ])
    #expect(await late.next() == .editingDisabled)
    #expect(await late.next() == .normal)
  }

  /// Makes a document with an edit on a disk where a save waits.
  private static func edited() async throws -> (FaultyDisk, Document<Pages>) {
    let gate = FaultyDisk(try CrashDisk())
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: gate.disk)
    try await document.edit { $0["a.txt"] = "two" }
    gate.close(for: .synchronize)
    return (gate, document)
  }

  @Test func `saves a change that is made while it is written by the next save`() async throws {
    // The edit after the beginning of the save is not saved by it (CT2).
    let (gate, document) = try await Self.edited()
    async let saved = document.save()
    await gate.arrival()
    // The save stands still during all these edits.
    for number in 0..<1000 {
      try await document.edit("Typing") { $0["a.txt"] = "\(number)" }
      #expect(await document.progress?.activity == .saving)
    }
    try await document.undo()
    try await document.redo()
    #expect(try await document.content["a.txt"] == "999")
    gate.open()
    _ = try await saved
    #expect(
      try gate.disk.text("a.txt", in: Trip.path) == "two", "other programs see the save when it returns")
    #expect(await document.hasUnsavedChanges)
    try await document.close()
    #expect(try gate.disk.text("a.txt", in: Trip.path) == "999")
  }

  @Test func `makes one save of those that wait, and gives each its result`() async throws {
    // The callers that wait share one save (A4).
    let (gate, document) = try await Self.edited()
    async let first = document.save()
    await gate.arrival()
    try await document.edit { $0["b.txt"] = "b" }
    let others = (0..<10).map { _ in Task { try await document.save() } }
    // All saves wait by the time of this access.
    async let done: Void = document.performAsynchronousFileAccess {}
    gate.open()
    #expect(try await first.written == ["Metadata.plist", "a.txt"])
    var reports: Set<SaveReport> = []
    for other in others { reports.insert(try await other.value) }
    #expect(reports.contains { $0.written.contains("b.txt") })
    // Saves that came after the beginning of that one found nothing to write.
    #expect(reports.count <= 2)
    await done
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `is saved whole when whoever asked for it is cancelled`() async throws {
    // The save runs to its end (A2).
    let (gate, document) = try await Self.edited()
    let task = Task { try await document.save() }
    await gate.arrival()
    task.cancel()
    gate.open()
    #expect(try await task.value.written == ["Metadata.plist", "a.txt"])
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `waits, when it is closed, for the save that is running`() async throws {
    // The close is an access after the save (A1).
    let (gate, document) = try await Self.edited()
    async let saved = document.save()
    await gate.arrival()
    async let closed: Void = document.close()
    // The close waits for the end of the save.
    while await !document.documentState.contains(.editingDisabled) { await Task.yield() }
    #expect(await document.isOpen)
    gate.open()
    _ = try await saved
    try await closed
    #expect(await document.documentState == .closed)
    #expect(try gate.disk.text("a.txt", in: Trip.path) == "two")
  }

  @Test func `is opened and closed by several at once`() async throws {
    let disk = try CrashDisk()
    try await Trip.create(Pages(["a.txt": "one"]), on: disk).close()
    let document = Document<Pages>(fileURL: Trip.url, options: .quiet(nil), on: .test(disk))
    try await withDeadline("opening and closing at once") {
      try await withThrowingTaskGroup { group in
        for _ in 0..<20 {
          group.addTask { try await document.open() }
          group.addTask { try await document.close() }
        }
        try await group.waitForAll()
      }
      try await document.open()
      #expect(try await document.content["a.txt"] == "one")
      try await document.close()
    }
    #expect(await document.documentState == .closed)
    #expect(disk.openDescriptors < 16)
  }

  @Test func `saves within a file access as part of it`() async throws {
    // The save does not wait for the access that it is part of (A3).
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: CrashDisk())
    try await document.edit { $0["a.txt"] = "two" }
    let isSaved = try await withDeadline("a save within an access") {
      await document.performAsynchronousFileAccess {
        _ = try? await document.save()
        return await !document.hasUnsavedChanges
      }
    }
    #expect(isSaved)
  }

  @Test func `stays open with its edits when closing cannot save`() async throws {
    let disk = FaultyDisk(try CrashDisk())
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: disk.disk)
    try await document.edit { $0["a.txt"] = "two" }
    disk.fail(.requests(from: 0), with: .noSpace)
    let error = await #expect(throws: DocumentError.self) { try await document.close() }
    #expect(error?.fileError?.code == .noSpace)
    #expect(error?.hasUnsavedChanges == true)
    #expect(await document.documentState == .savingError)
    disk.stopFailing()
    try await document.close()
    #expect(try disk.disk.text("a.txt", in: Trip.path) == "two")
  }

  @Test func `tells what its own code throws, and goes on`() async throws {
    let disk = try CrashDisk()
    let document = try await Trip.create(Pages(["a.txt": "one"]), on: disk)
    try await document.edit { $0["a.txt"] = Pages.poison }
    let error = await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(error?.code == .content && error?.cause is Pages.NotText)
    #expect(await document.documentState == .savingError)
    try await document.undo()
    try await document.close()
    #expect(try disk.text("a.txt", in: Trip.path) == "one")
  }
}
