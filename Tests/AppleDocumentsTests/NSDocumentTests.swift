import AppleDocuments
import Documents
import SystemPackage
import TestSupport
import Testing

/// A text document, as on macOS.
private class Text: NSDocument {
  var text = ""
  var calls: [String] = []
  var presented = 0
  var refuses = false

  func setText(_ new: String) {
    let old = text
    undoManager?.registerUndo(withTarget: self) { $0.setText(old) }
    undoManager?.setActionName("Typing")
    text = new
  }

  override func data(ofType typeName: String) throws -> Data {
    calls.append("data(\(typeName))")
    if refuses { throw NSError(domain: NSOSStatusErrorDomain, code: unimpErr, userInfo: nil) }
    return Data(text.utf8)
  }

  override func read(from data: Data, ofType typeName: String) throws {
    calls.append("read(\(typeName))")
    guard let text = String(data: data, encoding: .utf8) else { throw CocoaError(.fileReadCorruptFile) }
    self.text = text
  }

  override func presentError(_ error: any Error) -> Bool {
    presented += 1
    return super.presentError(error)
  }
}

private final class SavingText: Text {
  override nonisolated class var autosavesInPlace: Bool { true }
}

/// A text that registers an undo of each change, also of that by reading.
private final class WatchedText: NSDocument {
  var text = "" { didSet { undoManager?.registerUndo(withTarget: self) { $0.text = oldValue } } }

  override func data(ofType typeName: String) throws -> Data { Data(text.utf8) }

  override func read(from data: Data, ofType typeName: String) throws {
    text = String(decoding: data, as: UTF8.self)
  }
}

/// A package that holds the wrapper which it was read from.
private final class Folder: NSDocument {
  private var package = FileWrapper(directoryWithFileWrappers: [:])

  func set(_ name: String, _ data: Data) {
    if let old = package.fileWrappers?[name] { package.removeFileWrapper(old) }
    package.addRegularFile(withContents: data, preferredFilename: name)
    updateChangeCount(.changeDone)
  }

  func bytes(_ name: String) -> Data? { package.fileWrappers?[name]?.regularFileContents }

  override func fileWrapper(ofType typeName: String) throws -> FileWrapper { package }

  override func read(from fileWrapper: FileWrapper, ofType typeName: String) throws { package = fileWrapper }
}

@Suite("An NSDocument", .temporaryDirectory)
@MainActor
struct NSDocumentTests {
  private let type = "public.plain-text"

  @Test func `is made, closed, opened, edited, saved, undone, redone, saved and opened again`() async throws {
    let url = url("Trip.txt")
    let new = try Text(type: type)
    #expect(new.fileURL == nil && new.displayName == "Untitled" && !new.isDocumentEdited)
    new.setText("One")
    #expect(new.isDocumentEdited)
    try await new.save(to: url, ofType: type, for: .saveAsOperation)
    #expect(new.fileURL == url && new.displayName == "Trip" && !new.isDocumentEdited)
    #expect(text(at: url) == "One" && new.calls == ["data(\(type))"])
    #expect(await new.finishClosing())

    let document = try Text(contentsOf: url, ofType: type)
    #expect(document.text == "One" && document.fileURL == url && !document.isDocumentEdited)
    document.setText("Two")
    #expect(document.undoManager?.undoMenuItemTitle == "Undo Typing")
    try await document.save(to: url, ofType: type, for: .saveOperation)
    #expect(text(at: url) == "Two" && !document.isDocumentEdited)
    document.undoManager?.undo()
    #expect(document.text == "One" && document.isDocumentEdited)
    document.undoManager?.redo()
    #expect(document.text == "Two" && !document.isDocumentEdited)
    document.undoManager?.undo()
    try await document.save(to: url, ofType: type, for: .saveOperation)
    #expect(await document.finishClosing())
    #expect(try Text(contentsOf: url, ofType: type).text == "One")
    // The contents were read once, since nothing changed before the file was open.
    #expect(document.calls.filter { $0.hasPrefix("read") }.count == 1)
  }

  @Test func `has nothing to undo after it was read, although its model registers an undo`() async throws {
    let url = url("Trip.txt")
    try Data("One".utf8).write(to: url)
    let document = try WatchedText(contentsOf: url, ofType: type)
    #expect(document.undoManager?.canUndo == false && !document.isDocumentEdited)
    await nextTurn()
    #expect(document.text == "One" && !document.isDocumentEdited)
    #expect(await document.finishClosing())
  }

  @Test func `writes only the changed children of a package that it has read`() async throws {
    let url = url("Trip.folder")
    let new = Folder()
    let large = Data(repeating: 7, count: 50_000)
    new.set("Large", large)
    new.set("Small", Data("one".utf8))
    try await new.save(to: url, ofType: "public.folder", for: .saveAsOperation)
    #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).contains("Metadata.plist") == false)
    #expect(await new.finishClosing())
    func inode(_ name: String) throws -> Int? { try fileNumber(of: url.appending(path: name)) }
    let (largeFile, smallFile) = (try inode("Large"), try inode("Small"))
    let document = try Folder(contentsOf: url, ofType: "public.folder")
    document.set("Small", Data("two!".utf8))
    try await document.save(to: url, ofType: "public.folder", for: .saveOperation)
    #expect(await document.finishClosing())
    #expect(try inode("Large") == largeFile && inode("Small") != smallFile)
    let again = try Folder(contentsOf: url, ofType: "public.folder")
    #expect(again.bytes("Small") == Data("two!".utf8) && again.bytes("Large") == large)
  }

  @Test func `has the new bytes in its package when a save says that it succeeded`() async throws {
    let url = url("Trip.folder")
    let document = Folder()
    document.set("Small", Data("one".utf8))
    try await document.save(to: url, ofType: "public.folder", for: .saveAsOperation)
    for text in ["two", "three", "four"] {
      document.set("Small", Data(text.utf8))
      try await document.save(to: url, ofType: "public.folder", for: .saveOperation)
      #expect(AppleDocumentsTests.text(at: url.appending(path: "Small")) == text)
    }
    #expect(await document.finishClosing())
  }

  @Test func `gives each error to one handler`() async throws {
    let url = url("Trip.txt")
    let document = Text()
    document.setText("One")
    document.refuses = true
    let error = await #expect(throws: NSError.self) {
      try await document.save(to: url, ofType: type, for: .saveAsOperation)
    }
    #expect(error?.code == unimpErr && document.presented == 0)
    #expect(document.isDocumentEdited && document.fileURL == nil && text(at: url) == nil)
    document.refuses = false
    let gone = url.deletingLastPathComponent().appending(path: "Gone/Trip.txt")
    await #expect(throws: (any Error).self) {
      try await document.save(to: gone, ofType: type, for: .saveToOperation)
    }
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    #expect(text(at: url) == "One")
    #expect(throws: (any Error).self) { try Text(contentsOf: gone, ofType: type) }
    #expect(throws: (any Error).self) { try document.revert(toContentsOf: gone, ofType: type) }
    #expect(document.text == "One" && document.fileURL == url)
    #expect(await document.finishClosing())
  }

  @Test func `gives each of two saves its own error`() async throws {
    let url = url("Trip.txt")
    let document = Text()
    document.setText("One")
    let gone = url.deletingLastPathComponent().appending(path: "Gone/Trip.txt")
    var errors: [(any Error)?] = []
    document.save(to: gone, ofType: type, for: .saveAsOperation) { errors.append($0) }
    document.refuses = true
    document.save(to: url, ofType: type, for: .saveAsOperation) { errors.append($0) }
    while errors.count < 2 { await Task.yield() }
    #expect(errors[0] is DocumentError, "\(errors)")
    #expect((errors[1] as? NSError)?.code == unimpErr, "\(errors)")
    #expect(document.presented == 0)
  }

  @Test func `closes at the second attempt, if the first one could not save`() async throws {
    let url = url("Trip.txt")
    let document = SavingText()
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    document.setText("One")
    document.refuses = true
    document.close()
    while document.presented == 0 || document.documentState.contains(.editingDisabled) {
      await Task.yield()
    }
    #expect(!document.documentState.contains(.closed))
    document.refuses = false
    #expect(await document.finishClosing())
    #expect(text(at: url) == "One" && document.documentState == .closed)
  }

  @Test func `gives up the changes of an open group, too`() async throws {
    let url = url("Trip.txt")
    let document = Text()
    document.undoManager?.groupsByEvent = false
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    document.undoManager?.beginUndoGrouping()
    document.setText("One")
    #expect(await document.finishClosing())
    #expect(text(at: url) == "" && document.documentState == .closed)
  }

  @Test func `saves a copy, goes on elsewhere and reverts`() async throws {
    let url = url("Trip.txt")
    let copy = url.deletingLastPathComponent().appending(path: "Copy.txt")
    let other = url.deletingLastPathComponent().appending(path: "Other.txt")
    let document = Text()
    document.setText("One")
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    document.setText("Two")
    try await document.save(to: copy, ofType: type, for: .saveToOperation)
    #expect(text(at: copy) == "Two" && text(at: url) == "One")
    #expect(document.fileURL == url && document.isDocumentEdited)
    try document.revert(toContentsOf: url, ofType: type)
    #expect(document.text == "One" && !document.isDocumentEdited && document.undoManager?.canUndo == false)
    // The present event's group of undo actions closes later.
    document.setText("Lost")
    try document.revert(toContentsOf: url, ofType: type)
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    #expect(document.text == "One" && !document.isDocumentEdited)
    document.setText("Three")
    try await document.save(to: other, ofType: type, for: .saveAsOperation)
    #expect(text(at: other) == "Three")
    #expect(text(at: url) == "One")
    #expect(document.fileURL == other)
    // A save over a document that is there.
    try await document.save(to: copy, ofType: type, for: .saveAsOperation)
    #expect(text(at: copy) == "Three" && document.fileURL == copy)
    #expect(await document.finishClosing())
  }

  @Test func `closes with or without a save, as its class wants`() async throws {
    let url = url("Trip.txt")
    let document = Text()
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    document.setText("One")
    #expect(await document.finishClosing())
    #expect(text(at: url) == "" && document.documentState == .closed)
    let saving = try SavingText(contentsOf: url, ofType: type)
    saving.setText("Two")
    #expect(await saving.finishClosing())
    #expect(text(at: url) == "Two")
    var results: [String] = []
    let fresh = SavingText()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      fresh.autosave(withImplicitCancellability: true) { error in
        results.append("\(error as Any)")
        continuation.resume()
      }
    }
    #expect(results == ["nil"])
  }

  @Test(arguments: [false, true])
  func `writes what it was saved with before it closed, over another program's change`(isRead: Bool)
    async throws
  {
    let url = url("Trip.txt")
    let document = Text()
    document.setText("One")
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    // The watcher runs when it has told of this one.
    try "Two".write(to: url, atomically: false, encoding: .utf8)
    while document.text != "Two" { await Task.yield() }
    try "Three".write(to: url, atomically: false, encoding: .utf8)
    // The engine has time to read it, and the model gets none to load it.
    if isRead { usleep(500_000) }
    document.setText("Ours")
    var errors: [(any Error)?] = []
    document.save(to: url, ofType: type, for: .saveOperation) { errors.append($0) }
    #expect(await document.finishClosing())
    #expect(errors.count == 1 && errors[0] == nil)
    #expect(text(at: url) == "Ours")
    #expect(try copies(of: url) == ["Three"])
  }

  @Test func `keeps what another program wrote between its own two reads`() async throws {
    let url = url("Trip.txt")
    try "One".write(to: url, atomically: false, encoding: .utf8)
    let document = try Text(contentsOf: url, ofType: type)
    usleep(20_000)
    try "Theirs".write(to: url, atomically: false, encoding: .utf8)
    document.setText("Ours")
    try await document.save(to: url, ofType: type, for: .saveOperation)
    #expect(text(at: url) == "Ours" && !document.isDocumentEdited)
    #expect(try copies(of: url) == ["Theirs"])
    #expect(await document.finishClosing())
  }

  @Test func `writes its own type after a save as another one has failed`() async throws {
    let url = url("Trip.txt")
    let document = SavingText()
    try await document.save(to: url, ofType: type, for: .saveAsOperation)
    let gone = url.deletingLastPathComponent().appending(path: "Gone/Trip.rtf")
    await #expect(throws: (any Error).self) {
      try await document.save(to: gone, ofType: "public.rtf", for: .saveAsOperation)
    }
    document.setText("One")
    #expect(await document.finishClosing())
    #expect(document.calls.last == "data(\(type))" && text(at: url) == "One")
  }
}
