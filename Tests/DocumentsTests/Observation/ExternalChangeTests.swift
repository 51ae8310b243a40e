import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Another program's changes")
struct ExternalChangeTests {
  private func document(
    on disk: any Disk, _ change: (inout DocumentOptions<Pages>) -> Void = { _ in }
  ) async throws -> Document<Pages> {
    try await Trip.create(Pages(["a.txt": "a", "b.txt": "b"]), on: disk, change)
  }

  @Test func `are none after the document's own saves`() async throws {
    // The document's own saves do not count (D6).
    let document = try await document(on: CrashDisk())
    #expect(try await document.checkForExternalChanges() == .nothing)
    for number in 0..<5 {
      try await document.edit { $0["\(number).txt"] = "x" }
      try await document.edit { $0["a.txt"] = "\(number)" }
      try await document.save()
      #expect(try await document.checkForExternalChanges() == .nothing)
    }
    try await document.edit { $0["b.txt"] = nil }
    try await document.save(to: URL(filePath: "/Copy.pages"), for: .forCreating)
    #expect(try await document.checkForExternalChanges() == .nothing)
    // The same holds with unsaved edits.
    try await document.edit { $0["b.txt"] = "again" }
    #expect(try await document.checkForExternalChanges() == .nothing)
    #expect(await document.hasUnsavedChanges)
  }

  @Test(arguments: ["replaced", "overwritten", "added", "removed", "touched"])
  func `are read where nothing was edited`(way: String) async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk)
    try await document.edit { $0["a.txt"] = "mine" }
    try await document.saveAndPublish()
    switch way {
    case "replaced": try disk.replace("a.txt", "theirs", in: Trip.path)
    case "overwritten": try disk.overwrite("a.txt", "them", in: Trip.path)
    case "added": try disk.replace("c.txt", "theirs", in: Trip.path)
    case "removed": try disk.removeFile("b.txt", in: disk.openDirectory(at: Trip.path))
    default:
      try disk.setModified(
        .init(seconds: 1, nanoseconds: 0), of: "a.txt", in: disk.openDirectory(at: Trip.path))
    }
    #expect(try await document.checkForExternalChanges() == .reloaded)
    let expected: Pages =
      switch way {
      case "replaced": Pages(["a.txt": "theirs", "b.txt": "b"])
      case "overwritten": Pages(["a.txt": "them", "b.txt": "b"])
      case "added": Pages(["a.txt": "mine", "b.txt": "b", "c.txt": "theirs"])
      case "removed": Pages(["a.txt": "mine"])
      default: Pages(["a.txt": "mine", "b.txt": "b"])
      }
    #expect(try await document.content == expected)
    #expect(await !document.hasUnsavedChanges)
    #expect(await !document.undoState.canUndo)
    #expect(try await document.checkForExternalChanges() == .nothing)
    // The next save goes on from there, and takes over the digests of what the document has read.
    try await document.edit { $0["d.txt"] = "d" }
    try await document.close()
    let report = try await PackageStore.open(Trip.path, on: disk).verify()
    #expect(report.changed == [] && report.extra == [] && report.damaged == [], "\(report)")
    #expect(report.missing == (way == "removed" ? ["b.txt"] : []))
    try await document.open()
    try await document.edit { $0["a.txt"] = "mine again" }
    try await document.close()
    #expect(try disk.text("a.txt", in: Trip.path) == "mine again")
  }

  @Test func `are merged where something was edited`() async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk) { $0.merge = Pages.merge }
    try await document.edit { $0["a.txt"] = "ours" }
    try disk.replace("b.txt", "theirs", in: Trip.path)
    #expect(try await document.checkForExternalChanges() == .merged)
    #expect(try await document.content == Pages(["a.txt": "ours", "b.txt": "theirs"]))
    #expect(await document.hasUnsavedChanges)
    #expect(await document.documentState == .normal)
    try await document.close()
    #expect(try disk.text("a.txt", in: Trip.path) == "ours")
    #expect(try disk.text("b.txt", in: Trip.path) == "theirs")
  }

  @Test func `are taken in by a save that they stand in the way of`() async throws {
    // The save merges the other content before it writes (D3).
    let disk = try CrashDisk()
    let document = try await document(on: disk) { $0.merge = Pages.merge }
    try await document.edit { $0["a.txt"] = "ours" }
    try await document.edit { $0["c.txt"] = "ours" }
    // Both sides add a page of the same name with the same bytes.
    try disk.replace("c.txt", "ours", in: Trip.path)
    try disk.replace("b.txt", "theirs", in: Trip.path)
    try await document.save()
    #expect(try await document.content == Pages(["a.txt": "ours", "b.txt": "theirs", "c.txt": "ours"]))
    #expect(await document.documentState == .normal)
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `are in conflict where the same was edited, and both are kept`() async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk) { $0.merge = Pages.merge }
    try await document.edit { $0["a.txt"] = "ours" }
    try disk.replace("a.txt", "theirs", in: Trip.path)
    #expect(try await document.checkForExternalChanges() == .conflict)
    #expect(await document.documentState == .inConflict)
    let versions = try await document.conflictVersionURLs()
    #expect(versions.count == 1)
    let kept = try #require(versions.first)
    #expect(try disk.text("a.txt", in: FilePath(kept.path)) == "theirs")
    try await document.close()
    #expect(try disk.text("a.txt", in: Trip.path) == "ours")

    // Each opening finds the conflict, until a user has looked.
    let again = try await Trip.open(on: disk)
    #expect(await again.documentState == .inConflict)
    try await again.removeConflictVersions(again.conflictVersions())
    #expect(await again.documentState == .normal)
    #expect(try await again.conflictVersionURLs().isEmpty)
    try await again.close()
    #expect(try await Trip.open(on: disk).documentState == .normal)
  }

  @Test func `leave earlier edits of another owner, although the document refuses edits`() async throws {
    let disk = try CrashDisk()
    let errors = Mutex<[DocumentError.Code]>([])
    let document = try await document(on: disk) { options in
      options.errorHandler = { error in errors.withLock { $0.append(error.code) } }
    }
    try disk.replace("b.txt", "theirs", in: Trip.path)
    #expect(try await document.checkForExternalChanges() == .reloaded)
    await document.disableEditing()
    await document.resume(withEarlierEdits: Pages(["a.txt": "ours"]))
    #expect(await document.hasUnsavedChanges)
    await document.enableEditing()
    try await document.close()
    #expect(try disk.text("a.txt", in: Trip.path) == "ours")
    #expect(errors.withLock { $0.isEmpty })
    await document.resume(withEarlierEdits: Pages(["a.txt": "lost"]))
    #expect(errors.withLock { $0 } == [.closed])
  }

  @Test func `that wait for their conflict version outlast the removal of other versions`() async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk)
    try disk.replace("a.txt", "theirs", in: Trip.path)
    #expect(try await document.checkForExternalChanges() == .reloaded)
    await document.resume(withEarlierEdits: Pages(["a.txt": "ours"]), clashingAt: ["a.txt"])
    try await document.removeConflictVersions([])
    #expect(await document.documentState == .inConflict)
    try await document.saveAndPublish()
    #expect(try disk.text("a.txt", in: Trip.path) == "ours")
    let kept = try #require(try await document.conflictVersionURLs().first)
    #expect(try disk.text("a.txt", in: FilePath(kept.path)) == "theirs")
  }

  @Test func `that cannot be kept are not written over`() async throws {
    // The other content is a conflict version before the save writes over it (D3).
    let base = try CrashDisk()
    let disk = FaultyDisk(base)
    let document = try await document(on: disk.disk)
    try await document.edit { $0["a.txt"] = "ours" }
    try disk.disk.replace("a.txt", "theirs", in: Trip.path)
    disk.fail(.changes(from: 0), with: .noSpace)
    #expect(try await document.checkForExternalChanges() == .conflict)
    await #expect(throws: DocumentError.self) { try await document.save() }
    #expect(try base.text("a.txt", in: Trip.path) == "theirs")
    #expect(await document.documentState == [.inConflict, .savingError])
    disk.stopFailing()
    try await document.saveAndPublish()
    let kept = try #require(try await document.conflictVersionURLs().first)
    #expect(try base.text("a.txt", in: FilePath(kept.path)) == "theirs")
    #expect(try base.text("a.txt", in: Trip.path) == "ours")
    #expect(await document.documentState == .inConflict)
  }

  @Test func `that cannot be read leave the document as it was`() async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk)
    let directory = try disk.openDirectory(at: Trip.path)
    try disk.makeFile("bad.txt", [0xFF, 0xFE], in: directory)
    await expect(\DocumentError.code, .content) { try await document.checkForExternalChanges() }
    #expect(await document.documentState == .savingError)
    #expect(try await document.content == Pages(["a.txt": "a", "b.txt": "b"]))
    try disk.removeFile("bad.txt", in: directory)
    try disk.replace("b.txt", "theirs", in: Trip.path)
    #expect(try await document.checkForExternalChanges() == .reloaded)
    #expect(try await document.content["b.txt"] == "theirs")
    #expect(await document.documentState == .normal)
  }

  @Test func `in a package that was put in its place are read, too`() async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk)
    try await document.edit { $0["a.txt"] = "mine" }
    try await document.save()
    let other = try await Trip.create(
      Pages(["z.txt": "new"]), at: URL(filePath: "/Other.pages"), on: disk)
    try await other.close()
    let folder = try disk.openDirectory(at: "/")
    try disk.rename("Trip.pages", in: folder, to: "Old", in: folder, .replace)
    try disk.rename("Other.pages", in: folder, to: "Trip.pages", in: folder, .replace)
    #expect(try await document.checkForExternalChanges() == .reloaded)
    #expect(try await document.content == Pages(["z.txt": "new"]))
    try await document.edit { $0["y.txt"] = "y" }
    try await document.close()
    #expect(try disk.text("y.txt", in: Trip.path) == "y")
  }

  @Test func `that remove an item at its earlier place leave it open`() async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk)
    try await document.edit { $0["a.txt"] = "unsaved" }
    try await document.save(to: URL(filePath: "/Moved.pages"), for: .forCreating)
    try await document.edit { $0["a.txt"] = "edited there" }
    // The word of the removal comes late.
    await document.hear(.deleted, at: Trip.url, in: DocumentTurn())
    #expect(await document.isOpen)
    try await document.close()
    #expect(try disk.text("a.txt", in: "/Moved.pages") == "edited there")
  }

  @Test(arguments: ["told", "found", "saved"])
  func `that remove it close it, and it is not made again`(way: String) async throws {
    let disk = try CrashDisk()
    let document = try await document(on: disk)
    try await document.edit { $0["a.txt"] = "unsaved" }
    let folder = try disk.openDirectory(at: "/")
    try disk.removeEntries(of: disk.openDirectory(at: Trip.path))
    try disk.removeDirectory("Trip.pages", in: folder)
    switch way {
    case "told": try await document.accommodatePresentedItemDeletion()
    case "found": #expect(try await document.checkForExternalChanges() == .deleted)
    default:
      let error = await #expect(throws: DocumentError.self) { try await document.save() }
      #expect(error?.code == .deleted && error?.recoveryCopy != nil)
    }
    #expect(await document.documentState == .closed)
    #expect(try !disk.holds("Trip.pages", in: "/"))
    // The edits are in memory and in a recovery copy.
    #expect(try await document.content["a.txt"] == "unsaved")
    try await document.save(to: Trip.url, for: .forCreating)
    #expect(await document.documentState == .normal)
    try await document.close()
    let again = try await Trip.open(on: disk)
    #expect(try await again.content["a.txt"] == "unsaved")
    // The edits are saved, so that no copy is offered.
    #expect(await again.recoveryCopies.isEmpty)
  }
}

extension Pages {
  /// Merges pages that only one side changed.
  @Sendable static func merge(_ input: DocumentMerge<Pages>) -> Pages? {
    var merged = input.ours
    let names = Set(input.base.pages.keys).union(input.ours.pages.keys).union(input.theirs.pages.keys)
    for name in names {
      let (base, ours, theirs) = (input.base[name], input.ours[name], input.theirs[name])
      if ours == theirs || base == theirs { continue }
      guard base == ours else { return nil }
      merged[name] = theirs
    }
    return merged
  }
}
