import AppleDocuments
import Documents
import SystemPackage
import TestSupport
import Testing

/// A package that never asks for its children when it is loaded, and writes down what its presenter methods get.
private final class LazyAlbum: UIDocument {
  var loads = 0
  var calls: [String] = []
  var refuses = false
  private var package = FileWrapper(directoryWithFileWrappers: [:])

  override init(fileURL url: URL) {
    super.init(fileURL: url)
    (recoveryFolder, autosavePolicy) = (nil, nil)
  }

  override func contents(forType typeName: String) throws -> Any { package }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    loads += 1
    package = contents as? FileWrapper ?? package
  }

  override func presentedItemDidChange() { calls.append("changed") }
  override func presentedSubitemDidAppear(at url: URL) { calls.append("appeared \(url.lastPathComponent)") }
  override func presentedSubitemDidChange(at url: URL) { calls.append("changed \(url.lastPathComponent)") }
  override func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
    calls.append("moved \(oldURL.lastPathComponent) \(newURL.lastPathComponent)")
  }
  override func presentedItemDidGain(_ version: NSFileVersion) { calls.append("gained a version") }
  override func presentedItemDidResolveConflict(_ version: NSFileVersion) { calls.append("resolved") }

  // A handler that is not `Sendable`, as many models have it.
  override func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping ((any Error)?) -> Void
  ) {
    calls.append("deleting \(url.lastPathComponent)")
    completionHandler(refuses ? CocoaError(.fileWriteNoPermission) : nil)
  }
}

@Suite("A UIDocument beside other programs", .temporaryDirectory)
@MainActor
struct UIDocumentPresenterTests {
  @Test(.timeLimit(.minutes(60)))
  func `hears of each change in a package whose children it never asked for`() async throws {
    let url = url("Trip.rtfd")
    try createFolder(at: url.appending(path: "Inside"))
    let album = LazyAlbum(fileURL: url)
    #expect(await album.open())
    for name in ["one", "two", "Inside/three", "Inside/four"] {
      let (loads, calls) = (album.loads, album.calls.count)
      try Data(name.utf8).write(to: url.appending(path: name))
      while album.loads == loads || album.calls.count == calls || album.calls.last != "changed" {
        await Task.yield()
      }
    }
    #expect(album.calls.filter { $0.hasPrefix("appeared") }.count == 4, "\(album.calls)")
    try Data("one!".utf8).write(to: url.appending(path: "one"))
    while !album.calls.contains("changed one") { await Task.yield() }
    #expect(await album.close())
  }

  @Test(.timeLimit(.minutes(60))) func `takes part in coordinated writes of one child`() async throws {
    let url = url("Trip.rtfd")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for name in ["one", "two"] { try Data(name.utf8).write(to: url.appending(path: name)) }
    let album = LazyAlbum(fileURL: url)
    #expect(await album.open())
    let (one, two, three) = (
      url.appending(path: "one"), url.appending(path: "two"), url.appending(path: "three")
    )
    let error = try await waiting {
      var error: NSError?
      let coordinator = NSFileCoordinator()
      coordinator.coordinate(
        writingItemAt: one, options: .forMoving, writingItemAt: three, options: .forReplacing, error: &error
      ) { old, new in
        try? FileManager.default.moveItem(at: old, to: new)
        coordinator.item(at: old, didMoveTo: new)
      }
      return error
    }
    #expect(error == nil)
    while !album.calls.contains("moved one three") { await Task.yield() }
    album.refuses = true
    let refusal = try await waiting {
      var error: NSError?
      NSFileCoordinator().coordinate(writingItemAt: two, options: .forDeleting, error: &error) { _ in }
      return error
    }
    #expect(refusal != nil && album.calls.contains("deleting two"))
    #expect(await album.close())
  }

  @Test(.timeLimit(.minutes(60)))
  func `makes a conflict version of a change that it reads during an edit`() async throws {
    let url = url("Note.txt")
    let note = ConflictNote(fileURL: url)
    (note.recoveryFolder, note.autosavePolicy) = (nil, nil)
    note.text = "one"
    #expect(await note.save(to: url, for: .forCreating))
    // The engine knows an edit only when its group is closed.
    note.undoManager.groupsByEvent = false
    note.undoManager.beginUndoGrouping()
    note.undoManager.registerUndo(withTarget: note) { $0.text = "one" }
    note.text = "mine"
    try Data("theirs".utf8).write(to: url)
    while note.changed == 0 { await Task.yield() }
    #expect(note.text == "mine" && note.hasUnsavedChanges && note.documentState == .inConflict)
    note.undoManager.endUndoGrouping()
    #expect(await note.close())
    #expect(try String(contentsOf: url, encoding: .utf8) == "mine")
    let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
    #expect(try versions.map { try String(contentsOf: $0.url, encoding: .utf8) } == ["theirs"])
  }

  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `ends the conflict of a flat file when its version is resolved`(_ takesTheirs: Bool) async throws {
    let (url, recovery) = (url("Note.txt"), url("Recovery"))
    let note = ConflictNote(fileURL: url)
    (note.recoveryFolder, note.autosavePolicy) = (recovery, nil)
    note.text = "one"
    #expect(await note.save(to: url, for: .forCreating))
    note.text = "mine"
    note.updateChangeCount(.done)
    try Data("theirs".utf8).write(to: url)
    while !note.documentState.contains(.inConflict) { await Task.yield() }
    while note.gained == 0 { await Task.yield() }
    let versions = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url))
    let version = try #require(versions.first)
    #expect(versions.count == 1 && version.isConflict && !version.isResolved && version.hasLocalContents)
    #expect(try String(contentsOf: version.url, encoding: .utf8) == "theirs")
    #expect(
      NSFileVersion.version(itemAt: url, forPersistentIdentifier: version.persistentIdentifier) == version)
    if takesTheirs {
      #expect(try version.replaceItem(at: url) == url)
      #expect(await note.revert(toContentsOf: url))
      #expect(note.text == "theirs")
    } else {
      #expect(await note.save(to: url, for: .forOverwriting))
    }
    #expect(note.documentState.contains(.inConflict))
    for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
      version.isResolved = true
    }
    try NSFileVersion.removeOtherVersionsOfItem(at: url)
    #expect(version.isResolved && NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == [])
    while note.documentState != .normal || note.resolved == 0 { await Task.yield() }
    #expect(try String(contentsOf: version.url, encoding: .utf8) == "theirs")
    #expect(await note.close())
    #expect(try String(contentsOf: url, encoding: .utf8) == (takesTheirs ? "theirs" : "mine"))
    let again = ConflictNote(fileURL: url)
    again.recoveryFolder = recovery
    #expect(await again.open())
    #expect(again.documentState == .normal)
    #expect(await again.close())
  }
}

private final class ConflictNote: TextDocument {
  var (changed, gained, resolved) = (0, 0, 0)
  override func presentedItemDidChange() { changed += 1 }
  override func presentedItemDidGain(_ version: NSFileVersion) { gained += 1 }
  override func presentedItemDidResolveConflict(_ version: NSFileVersion) { resolved += 1 }
}
