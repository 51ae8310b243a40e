import AppleDocuments
import Documents
import SystemPackage
import TestSupport
import Testing

/// A text that registers an undo of each change, also of that by loading.
private final class WatchedNote: UIDocument {
  var text = "" { didSet { undoManager.registerUndo(withTarget: self) { $0.text = oldValue } } }

  override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
  }
}

@Suite("A UIDocument", .temporaryDirectory)
@MainActor
struct UIDocumentTests {
  @Test func `is made, closed, opened, edited, saved, undone, redone, saved and opened again`() async throws {
    let url = url("Trip.txt")
    let note = Note(fileURL: url)
    #expect(note.documentState == .closed && note.fileModificationDate == nil)
    #expect(note.localizedName == "Trip" && note.fileType == "public.plain-text")
    note.setText("One")
    #expect(await note.save(to: url, for: .forCreating))
    #expect(note.documentState == .normal && !note.hasUnsavedChanges)
    #expect(text(at: url) == "One")
    #expect(await note.close())
    #expect(note.documentState == .closed)

    let again = Note(fileURL: url)
    again.autosavePolicy = nil
    #expect(await again.open())
    #expect(again.text == "One" && again.documentState == .normal && again.fileModificationDate != nil)
    again.setText("Two")
    #expect(again.hasUnsavedChanges && again.undoManager.undoMenuItemTitle == "Undo Typing")
    #expect(await again.save(to: url, for: .forOverwriting))
    #expect(text(at: url) == "Two")
    again.undoManager.undo()
    #expect(again.text == "One" && again.hasUnsavedChanges)
    again.undoManager.redo()
    #expect(again.text == "Two" && !again.hasUnsavedChanges)
    again.undoManager.undo()
    #expect(await again.save(to: url, for: .forOverwriting))
    #expect(text(at: url) == "One")
    #expect(await again.close())

    let third = Note(fileURL: url)
    #expect(await third.open())
    #expect(third.text == "One")
    #expect(await third.close())
  }

  @Test func `writes only the changed children of a package, and no stranger`() async throws {
    let url = url("Trip.album")
    let album = Album(fileURL: url)
    album.setTitle("Trip")
    album.add(Data(repeating: 1, count: 9000), named: "a.png")
    album.add(Data(repeating: 2, count: 9000), named: "b.png")
    #expect(await album.save(to: url, for: .forCreating))
    #expect(await album.close())
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix(".") }.sorted()
    }
    func inode(_ name: String) throws -> Int? { try fileNumber(of: url.appending(path: name)) }
    #expect(try names() == ["Title.txt", "a.png", "b.png"])
    let before = (try inode("a.png"), try inode("Title.txt"))

    let again = Album(fileURL: url)
    again.autosavePolicy = nil
    #expect(await again.open())
    #expect(again.title == "Trip" && again.photos == ["a.png", "b.png"])
    again.setTitle("Long trip")
    again.remove("b.png")
    #expect(await again.save(to: url, for: .forOverwriting))
    again.undoManager.undo()
    #expect(again.title == "Trip" && again.photos == ["a.png", "b.png"] && again.hasUnsavedChanges)
    again.undoManager.redo()
    #expect(await again.close())
    #expect(try names() == ["Title.txt", "a.png"])
    #expect(try inode("a.png") == before.0 && inode("Title.txt") != before.1)
    #expect(text(at: url.appending(path: "Title.txt")) == "Long trip")
  }

  /// Models copy, send or archive `fileURL` in the handler of a save.
  @Test func `has the new bytes in its package when a save says that it succeeded`() async throws {
    let url = url("Trip.album")
    let album = Album(fileURL: url)
    album.autosavePolicy = nil
    album.setTitle("One")
    #expect(await album.save(to: url, for: .forCreating))
    for (number, title) in ["Two", "Three", "Four", "Five"].enumerated() {
      album.setTitle(title)
      #expect(await number.isMultiple(of: 2) ? album.save(to: url, for: .forOverwriting) : album.autosave())
      #expect(text(at: url.appending(path: "Title.txt")) == title)
    }
    #expect(await album.close())
  }

  // UI1
  @Test func `calls its subclass in Apple's order`() async throws {
    let url = url("Order.txt")
    let note = Note(fileURL: url)
    let token = NotificationCenter.default.addObserver(
      forName: UIDocument.stateChangedNotification, object: note, queue: nil
    ) { [weak note] _ in
      MainActor.assumeIsolated { note?.calls.append("state \(note?.documentState.description ?? "")") }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    note.autosavePolicy = nil
    let type = "public.plain-text"
    #expect(await note.save(to: url, for: .forCreating))
    #expect(
      note.takenCalls() == [
        "token", "savingFileType", "contents(\(type))", "update with token", "state normal",
      ])
    #expect(await note.close())
    #expect(
      note.takenCalls() == [
        "state editingDisabled", "disableEditing", "state closed, editingDisabled", "enableEditing",
        "state closed",
      ])
    #expect(await note.open())
    #expect(note.takenCalls() == ["load(\(type))", "state normal"])
    note.updateChangeCount(.done)
    #expect(await note.autosave())
    #expect(note.takenCalls() == ["token", "savingFileType", "contents(\(type))", "update with token"])
    #expect(await note.autosave())
    #expect(note.takenCalls() == [])

    // The handler of a save is called though the subclass throws; Apple's would not be.
    note.refuses = true
    note.updateChangeCount(.done)
    #expect(await !note.save(to: url, for: .forOverwriting))
    #expect(
      note.takenCalls() == [
        "token", "savingFileType", "contents(\(type))", "state savingError", "handleError",
      ])
    #expect(note.errors.last is Note.Refused && note.hasUnsavedChanges)
    #expect(await !note.close())
    #expect(note.documentState == .savingError)
    note.refuses = false
    _ = note.takenCalls()
    #expect(await note.revert(toContentsOf: url))
    #expect(
      note.takenCalls() == [
        "state savingError, editingDisabled", "disableEditing", "load(\(type))", "state editingDisabled",
        "enableEditing", "state normal",
      ])
    #expect(!note.hasUnsavedChanges && !note.undoManager.canUndo)
    #expect(await note.close())
  }

  // UI1
  @Test func `calls each completion handler once`() async throws {
    let url = url("Calls.txt")
    let note = Note(fileURL: url)
    note.autosavePolicy = nil
    var results: [String] = []
    func result(_ name: String) -> (Bool) -> Void { { results.append("\(name) \($0)") } }
    note.open(completionHandler: result("open missing"))
    note.save(to: url, for: .forCreating, completionHandler: result("create"))
    note.open(completionHandler: result("open"))
    note.save(to: url, for: .forCreating, completionHandler: result("create again"))
    #expect(results == [])
    note.setText("late")
    note.autosave(completionHandler: result("autosave"))
    note.revert(toContentsOf: url, completionHandler: result("revert"))
    while results.count < 6 { await Task.yield() }
    #expect(
      results == [
        "open missing false", "create true", "open true", "create again false", "autosave true",
        "revert true",
      ])
    #expect(note.text == "late" && note.errors.count == 2, "\(note.errors)")
    note.close(completionHandler: result("close"))
    note.close(completionHandler: result("close again"))
    while results.count < 8 { await Task.yield() }
    #expect(results.suffix(2) == ["close true", "close again true"])
    #expect(text(at: url) == "late")
  }

  // MF3
  @Test func `stays at its place if its model refuses another file`() async throws {
    let url = url("Good.txt")
    let other = url.deletingLastPathComponent().appending(path: "Other.txt")
    let note = await Note.make(at: url, "good")
    note.setText("edited")
    try Data([0xFF]).write(to: other)
    #expect(await !note.revert(toContentsOf: other))
    #expect(note.fileURL == url && note.text == "edited" && note.hasUnsavedChanges)
    #expect(note.documentState == .savingError && note.errors.count == 1)
    #expect(await note.close())
    #expect(try text(at: url) == "edited" && Data(contentsOf: other) == Data([0xFF]))
  }

  // MF3
  @Test func `keeps a copy of its file if its model refuses it`() async throws {
    let url = url("Good.txt")
    let note = await Note.make(at: url, "good")
    note.setText("edited")
    try Data([0xFF]).write(to: url)
    #expect(await !note.revert(toContentsOf: url))
    #expect(note.text == "edited" && note.hasUnsavedChanges)
    #expect(await note.close())
    #expect(text(at: url) == "edited")
    // If the engine has read the file by then, there may be two.
    #expect(try Set(ConflictCopy.all(of: url).map { try $0.file().contents() }) == [Data([0xFF])])
  }

  // MF3
  @Test func `stays as it was if it cannot be read again`() async throws {
    let url = url("Bad.txt")
    let note = await Note.make(at: url, "good")
    note.setText("edited")
    let other = url.deletingLastPathComponent().appending(path: "Other.txt")
    #expect(await !note.revert(toContentsOf: other))
    #expect(note.text == "edited" && note.hasUnsavedChanges && note.undoManager.canUndo)
    #expect(note.fileURL == url && note.documentState == .savingError && note.errors.count == 1)
    #expect(await note.close())
    #expect(text(at: url) == "edited")

    try Data([0xFF]).write(to: url)
    #expect(await !note.open())
    #expect((note.errors.last as? CocoaError)?.code == .fileReadCorruptFile)
    #expect(note.documentState == .closed && note.text == "edited")
  }

  @Test func `goes on at another place, and saves over a document that it has not opened`() async throws {
    let url = url("First.txt")
    let note = await Note.make(at: url, "one")
    let second = url.deletingLastPathComponent().appending(path: "Second.txt")
    note.setText("two")
    #expect(await note.save(to: second, for: .forCreating))
    #expect(note.fileURL.path == second.path && !note.hasUnsavedChanges)
    #expect(text(at: url) == "one")
    #expect(await note.close())

    let other = Note(fileURL: url)
    other.setText("three")
    #expect(await other.save(to: url, for: .forOverwriting))
    #expect(other.documentState == .normal && !other.hasUnsavedChanges)
    other.setText("four")
    #expect(await other.close())
    #expect(text(at: url) == "four")
  }

  @Test func `saves by itself, as its subclass gives its contents`() async throws {
    let url = url("Auto.txt")
    let note = Note(fileURL: url)
    note.autosavePolicy = AutosavePolicy(quietPeriod: .milliseconds(1), ceiling: .milliseconds(1))
    #expect(await note.save(to: url, for: .forCreating))
    _ = note.takenCalls()
    note.setText("typed")
    while note.calls.last != "update with token" { try await Task.sleep(for: .milliseconds(20)) }
    #expect(!note.hasUnsavedChanges)
    #expect(text(at: url) == "typed")
    #expect(
      note.takenCalls() == ["token", "savingFileType", "contents(public.plain-text)", "update with token"])
    #expect(await note.close())
  }

  @Test func `is unchanged after it has loaded, although its model registers an undo`() async throws {
    let url = url("Trip.txt")
    try Data("One".utf8).write(to: url)
    let note = WatchedNote(fileURL: url)
    (note.autosavePolicy, note.recoveryFolder) = (nil, nil)
    #expect(await note.open())
    await nextTurn()
    #expect(note.text == "One" && !note.hasUnsavedChanges && !note.undoManager.canUndo)
    note.text = "Two"
    #expect(await note.revert(toContentsOf: url))
    await nextTurn()
    #expect(note.text == "One" && !note.hasUnsavedChanges && !note.undoManager.canUndo)
    note.text = "Three"
    await nextTurn()
    #expect(note.hasUnsavedChanges)
    #expect(await note.close())
    #expect(text(at: url) == "Three")
  }

  @Test func `is changed after an undo of a saved edit, if the manager has forgotten a later one`()
    async throws
  {
    let note = await Note.make(at: url("Trip.txt"), "One")
    let other = NSObject()
    note.undoManager.registerUndo(withTarget: other) { _ in }
    note.undoManager.endEventGrouping()
    note.undoManager.removeAllActions(withTarget: other)
    note.undoManager.undo()
    #expect(note.text.isEmpty && note.hasUnsavedChanges)
    #expect(await note.close())
    #expect(text(at: note.fileURL) == "")
  }

  @Test func `writes no contents over later ones`() async throws {
    let url = url("Late.txt")
    let note = await Note.make(at: url)
    note.setText("early")
    var results: [Bool] = []
    note.save(to: url, for: .forOverwriting) { results.append($0) }
    note.setText("late")
    note.save(to: url, for: .forOverwriting) { results.append($0) }
    note.setText("later")
    while results.count < 2 { await Task.yield() }
    #expect(results == [true, true])
    note.undoManager.endEventGrouping()
    #expect(await note.close())
    #expect(text(at: url) == "later" && !note.hasUnsavedChanges)
  }

  @Test func `writes a package that is made anew each time, and only what differs`() async throws {
    let url = url("Book.pages")
    let book = Pages(fileURL: url)
    book.pages = ["1": "one", "2": "two", "3": "three"]
    #expect(await book.save(to: url, for: .forCreating))
    func inode(_ name: String) throws -> Int? { try fileNumber(of: url.appending(path: "Pages/\(name)")) }
    let again = Pages(fileURL: url)
    #expect(await book.close())
    #expect(await again.open())
    let before = try (inode("1"), inode("2"))
    again.pages["2"] = "changed"
    again.pages["3"] = nil
    again.updateChangeCount(.done)
    #expect(await again.close())
    #expect(try inode("1") == before.0 && inode("2") != before.1)
    #expect(text(at: url.appending(path: "Pages/2")) == "changed")
    #expect(text(at: url.appending(path: "Pages/3")) == nil)
  }

  @Test(arguments: [true, false]) func `keeps versions, unless it writes no metadata`(writes: Bool)
    async throws
  {
    let url = url("Book.pages")
    let book = Pages(fileURL: url)
    book.writesMetadata = writes
    for number in 1...3 {
      book.pages = ["1": "\(number)"]
      book.updateChangeCount(.done)
      #expect(await book.save(to: url, for: number == 1 ? .forCreating : .forOverwriting))
    }
    #expect(await book.close())
    #expect(FileManager.default.fileExists(atPath: url.appending(path: "Metadata.plist").path) == writes)
    #expect(try await PackageStore.open(at: url).versions().count == (writes ? 2 : 0))
  }

  @Test func `lets a subclass read and write its files itself`() async throws {
    let url = url("Rows.database")
    let new = Database(fileURL: url)
    new.rows = ["a": "one", "b": "two"]
    #expect(await new.save(to: url, for: .forCreating))
    let file = url.appending(path: "a")
    let old = try fileNumber(of: file)
    new.rows = ["a": "one", "c": "three"]
    new.updateChangeCount(.done)
    #expect(await new.save(to: url, for: .forOverwriting))
    #expect(try fileNumber(of: file) == old && new.originals == [nil, url])
    await withCheckedContinuation { continuation in
      new.performAsynchronousFileAccess {
        #expect((try? String(contentsOf: url.appending(path: "c"), encoding: .utf8)) == "three")
        continuation.resume()
      }
    }
    #expect(await new.close())
    let again = Database(fileURL: url)
    #expect(await again.open())
    #expect(again.rows == ["a": "one", "c": "three"])
    #expect(await again.close())
  }

  @Test func `stays open if the save of its close fails, and closes with the next one`() async throws {
    let url = url("Trip.txt")
    let document = Hesitant(fileURL: url)
    #expect(await document.save(to: url, for: .forCreating))
    document.text = "two"
    document.updateChangeCount(.done)
    document.refusals = 1
    // The user sees the error, and may look at the document.
    #expect(await !document.close())
    #expect(!document.documentState.contains(.closed) && document.hasUnsavedChanges)
    #expect(await document.close())
    #expect(text(at: url) == "two")
  }

  @Test func `tells its subclass of other programs, and is no stranger to its own coordinator`() async throws
  {
    let url = url("Rows.database")
    let document = Database(fileURL: url)
    document.rows = ["a": "one"]
    #expect(await document.save(to: url, for: .forCreating))
    document.updateChangeCount(.done)
    // The main thread waits, so that the document could not save if it were asked.
    var error: NSError?
    NSFileCoordinator(filePresenter: document).coordinate(writingItemAt: url, error: &error) { _ in }
    #expect(error == nil && document.presentedItemURL == url)
    #expect(await document.save(to: url, for: .forOverwriting))
    try Data("theirs".utf8).write(to: url.appending(path: "b"))
    while document.changes == 0 { await Task.yield() }
    #expect(document.rows["b"] == "theirs")
    let moved = url.deletingLastPathComponent().appending(path: "Moved.database")
    try FileManager.default.moveItem(at: url, to: moved)
    while document.moves.isEmpty { await Task.yield() }
    #expect(document.moves.map(\.path) == [moved.path] && document.fileURL.path == moved.path)
    try FileManager.default.removeItem(at: moved)
    while document.deletions == 0 { await Task.yield() }
    #expect(document.documentState.contains(.closed) && document.deletions == 1)
  }
}

/// A document whose contents are refused a few times.
private final class Hesitant: UIDocument {
  var text = "one"
  var refusals = 0

  override init(fileURL url: URL) {
    super.init(fileURL: url)
    (recoveryFolder, autosavePolicy) = (nil, nil)
  }

  override func contents(forType typeName: String) throws -> Any {
    if refusals > 0 {
      refusals -= 1
      throw CocoaError(.fileWriteUnknown)
    }
    return Data(text.utf8)
  }
}
