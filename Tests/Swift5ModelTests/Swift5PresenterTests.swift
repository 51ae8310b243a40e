import AppleDocuments
import TestSupport
import Testing

/// A document whose presenter methods name no isolation, as an application of the Swift 5 mode has them.
private final class Script: NSDocument {
  var text = ""
  var lastChange: Date?
  var changes = 0

  override class var autosavesInPlace: Bool { true }
  override func data(ofType typeName: String) throws -> Data { Data(text.utf8) }
  override func read(from data: Data, ofType typeName: String) throws {
    text = String(decoding: data, as: UTF8.self)
  }

  override func presentedItemDidChange() {
    DispatchQueue.main.sync {
      guard !isDocumentEdited else { return }
      lastChange = fileModificationDate
      changes += 1
    }
    super.presentedItemDidChange()
  }

  override func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
    super.accommodatePresentedItemDeletion { completionHandler($0) }
  }
}

/// The same with a package of iOS.
private final class Notebook: UIDocument {
  var text = ""
  var changes = 0

  override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }
  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
  }

  override func presentedItemDidChange() {
    super.presentedItemDidChange()
    changes += 1
  }

  override func presentedSubitemDidChange(at url: URL) { changes += 1 }
  override func savePresentedItemChanges(completionHandler: @escaping (Error?) -> Void) {
    super.savePresentedItemChanges { completionHandler($0) }
  }
}

@Suite("A presenter of the Swift 5 mode", .temporaryDirectory)
@MainActor
struct Swift5PresenterTests {
  @Test(.timeLimit(.minutes(60))) func `may wait for the main queue`() async throws {
    let url = url("A.script")
    try Data("one".utf8).write(to: url)
    let script = try Script(contentsOf: url, ofType: "public.plain-text")
    try await script.autosave(withImplicitCancellability: true)
    try Data("two".utf8).write(to: url)
    while script.changes == 0 { await Task.yield() }
    #expect(script.text == "two" && script.lastChange != nil)
    #expect(await script.finishClosing())
  }

  @Test(.timeLimit(.minutes(60))) func `overrides the methods of a UIDocument`() async throws {
    let url = url("A.notebook")
    try Data("one".utf8).write(to: url)
    let notebook = Notebook(fileURL: url)
    #expect(await notebook.open())
    try Data("two".utf8).write(to: url)
    while notebook.changes == 0 { await Task.yield() }
    #expect(notebook.text == "two")
    #expect(await notebook.close())
  }
}
