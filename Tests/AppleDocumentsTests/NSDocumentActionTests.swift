import AppleDocuments
import Documents
import SystemPackage
import TestSupport
import Testing

/// A text document whose presenter methods wait for the main queue, as they may on macOS.
private final class Letter: NSDocument, DuplicableDocument {
  var text = ""
  var errors: [any Error] = []
  /// The values that the presenter methods got, with the main actor's text at that moment.
  nonisolated let calls = NoteList<String>()

  func setText(_ new: String) {
    let old = text
    undoManager?.registerUndo(withTarget: self) { $0.setText(old) }
    text = new
  }

  override func data(ofType typeName: String) throws -> Data { Data(text.utf8) }
  override func read(from data: Data, ofType typeName: String) throws {
    text = String(decoding: data, as: UTF8.self)
  }

  override func makeWindowControllers() {
    let storyboard = NSStoryboard(name: NSStoryboard.Name("Main"), bundle: nil)
    let identifier = NSStoryboard.SceneIdentifier("Document Window Controller")
    if let controller = storyboard.instantiateController(withIdentifier: identifier) as? NSWindowController {
      addWindowController(controller)
    }
  }

  override func presentError(_ error: any Error) -> Bool {
    errors.append(error)
    return true
  }

  override nonisolated func presentedItemDidChange() {
    super.presentedItemDidChange()
    let text = DispatchQueue.main.sync { MainActor.assumeIsolated { self.text } }
    calls.add("changed: \(text)")
  }

  override nonisolated func presentedItemDidMove(to newURL: URL) {
    super.presentedItemDidMove(to: newURL)
    calls.add("moved \(newURL.lastPathComponent) \(presentedItemURL?.lastPathComponent ?? "")")
  }

  override nonisolated func accommodatePresentedItemDeletion(
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    calls.add("deleted, on the main thread: \(Thread.isMainThread)")
    super.accommodatePresentedItemDeletion(completionHandler: { _ in })
    completionHandler(nil)
  }
}

/// A package, with presenter methods for children.
private final class Folder: NSDocument {
  nonisolated let calls = NoteList<String>()
  private var package = FileWrapper(directoryWithFileWrappers: [:])

  override func fileWrapper(ofType typeName: String) throws -> FileWrapper { package }
  override func read(from fileWrapper: FileWrapper, ofType typeName: String) throws { package = fileWrapper }

  override nonisolated func presentedSubitemDidAppear(at url: URL) {
    calls.add("appeared \(url.lastPathComponent)")
  }
  override nonisolated func presentedSubitemDidChange(at url: URL) {
    calls.add("changed \(url.lastPathComponent)")
  }
}

@Suite("The actions of an NSDocument", .temporaryDirectory)
@MainActor
struct NSDocumentActionTests {
  private let type = "public.plain-text"

  @Test(.timeLimit(.minutes(60)))
  func `calls presenter methods that wait for the main queue`() async throws {
    let url = url("Trip.txt")
    try Data("one".utf8).write(to: url)
    let letter = try Letter(contentsOf: url, ofType: type)
    let presenter: any NSFilePresenter = letter
    #expect(
      presenter.presentedItemURL == url && presenter.presentedItemOperationQueue !== OperationQueue.main)
    try await letter.autosave(withImplicitCancellability: true)
    for text in ["two", "three"] {
      try Data(text.utf8).write(to: url)
      while letter.calls.all.last != "changed: \(text)" { await Task.yield() }
    }
    let moved = url.deletingLastPathComponent().appending(path: "Moved.txt")
    try FileManager.default.moveItem(at: url, to: moved)
    while letter.calls.all.last != "moved Moved.txt Moved.txt" { await Task.yield() }
    try FileManager.default.removeItem(at: moved)
    while letter.calls.all.last != "deleted, on the main thread: false" { await Task.yield() }
  }

  @Test(.timeLimit(.minutes(60))) func `hears of each child of a package, at each depth`() async throws {
    let url = url("Trip.rtfd")
    try createFolder(at: url.appending(path: "Inside"))
    let folder = try Folder(contentsOf: url, ofType: "com.apple.rtfd")
    try await folder.autosave(withImplicitCancellability: true)
    for name in ["one", "Inside/two", "Inside/three"] {
      try Data(name.utf8).write(to: url.appending(path: name))
      let last = url.appending(path: name).lastPathComponent
      while !folder.calls.all.contains("appeared \(last)") { await Task.yield() }
    }
    try Data("two!".utf8).write(to: url.appending(path: "Inside/two"))
    while !folder.calls.all.contains("changed two") { await Task.yield() }
    #expect(await folder.finishClosing())
  }

  @Test func `saves, reverts, moves and duplicates by Apple's calls`() async throws {
    let url = url("Trip.txt")
    let letter = Letter()
    letter.fileType = type
    letter.setText("One")
    letter.save(nil)
    #expect(letter.errors.count == 1 && letter.isDocumentEdited)
    try await letter.save(to: url, ofType: type, for: .saveAsOperation)
    letter.setText("Two")
    letter.save(nil)
    while letter.isDocumentEdited { await Task.yield() }
    #expect(text(at: url) == "Two")
    letter.setText("Three")
    letter.revertToSaved(nil)
    #expect(letter.text == "Two" && !letter.isDocumentEdited)

    letter.setText("Four")
    let copy = try #require(try letter.duplicate() as? Letter)
    #expect(copy.text == "Four" && copy.fileURL == nil && copy.isDocumentEdited && copy.isDraft)
    #expect(copy.displayName == "Trip copy" && copy.fileType == type)
    let place = url.deletingLastPathComponent().appending(path: "Copy.txt")
    try await copy.save(to: place, ofType: type, for: .saveAsOperation)
    #expect(text(at: place) == "Four" && text(at: url) == "Two")
    #expect(throws: CocoaError.self) { try Folder().duplicate() }

    let moved = url.deletingLastPathComponent().appending(path: "Moved.txt")
    await #expect(throws: (any Error).self) { try await letter.move(to: place) }
    try await letter.move(to: moved)
    #expect(letter.fileURL?.path == moved.path && text(at: moved) == "Two" && text(at: url) == nil)
    #expect(letter.isDocumentEdited)
    try await letter.save(to: moved, ofType: type, for: .saveOperation)
    #expect(text(at: moved) == "Four" && text(at: url) == nil)
    #expect(await letter.finishClosing())
    #expect(await copy.finishClosing())
  }

  @Test func `lets work take its turn`() async throws {
    let url = url("Trip.txt")
    let letter = Letter()
    var order: [String] = []
    letter.setText("One")
    letter.save(to: url, ofType: type, for: .saveAsOperation) { _ in order.append("saved") }
    var endAccess: (() -> Void)?
    letter.performAsynchronousFileAccess { end in
      order.append("access")
      endAccess = end
    }
    letter.save(to: url, ofType: type, for: .saveOperation) { _ in order.append("saved again") }
    while endAccess == nil { await Task.yield() }
    #expect(order == ["saved", "access"])
    endAccess?()
    while order.count < 3 { await Task.yield() }
    letter.performSynchronousFileAccess { order.append("now") }
    var endActivity: (() -> Void)?
    letter.performActivity(withSynchronousWaiting: true) { end in
      letter.continueActivity { order.append("activity") }
      endActivity = end
    }
    letter.performActivity(withSynchronousWaiting: false) { end in
      order.append("next activity")
      end()
    }
    #expect(order == ["saved", "access", "saved again", "now", "activity"])
    endActivity?()
    #expect(order.last == "next activity")
    #expect(await letter.finishClosing())
  }

  @Test func `keeps a list of window controllers`() {
    let letter = Letter()
    letter.makeWindowControllers()
    let controller = letter.windowControllers.first
    #expect(letter.windowControllers.count == 1 && controller?.document === letter)
    if let controller {
      letter.addWindowController(controller)
      letter.removeWindowController(controller)
    }
    #expect(letter.windowControllers.isEmpty && controller?.document == nil)
    #expect(Selector("save:") == "save:" && Letter.restorableStateKeyPaths.isEmpty)
  }
}
