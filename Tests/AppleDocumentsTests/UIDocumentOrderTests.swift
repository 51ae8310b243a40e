import AppleDocuments
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A text document that asks the user before it saves by itself.
private final class AskingNote: TextDocument {
  private var question: (() -> Void)?

  override func autosave(completionHandler: ((Bool) -> Void)? = nil) {
    question = { super.autosave(completionHandler: completionHandler) }
  }

  /// Gives the user's answer; false if there was no question.
  func answer() -> Bool {
    defer { question = nil }
    question?()
    return question != nil
  }
}

// UI1
@Suite("The calls of a UIDocument", .temporaryDirectory)
@MainActor
struct UIDocumentOrderTests {
  @Test(arguments: [false, true]) func `end in their order, also after a close`(isEdited: Bool) async throws {
    let url = url("Order.txt")
    let note = await Note.make(at: url)
    if isEdited { note.setText("edited") }
    var results: [String] = []
    func result(_ name: String) -> (Bool) -> Void { { results.append("\(name) \($0)") } }
    note.close(completionHandler: result("close"))
    note.open(completionHandler: result("open"))
    while results.count < 2 { await Task.yield() }
    #expect(results == ["close true", "open true"])
    #expect(note.documentState == .normal && note.text == (isEdited ? "edited" : ""))
    #expect(await note.close())
  }

  @Test func `wait for an access, and the access for them`() async throws {
    let url = url("Order.txt")
    let note = Note(fileURL: url)
    note.autosavePolicy = nil
    let log = Mutex<[String]>([])
    func noting(_ line: String) -> (Bool) -> Void { { _ in log.withLock { $0.append(line) } } }
    note.save(to: url, for: .forCreating, completionHandler: noting("save"))
    note.performAsynchronousFileAccess {
      let isThere = FileManager.default.fileExists(atPath: url.path)
      log.withLock { $0.append("access \(isThere)") }
    }
    note.close(completionHandler: noting("close"))
    note.performAsynchronousFileAccess { log.withLock { $0.append("access when closed") } }
    note.open(completionHandler: noting("open"))
    while log.withLock({ $0.count }) < 5 { await Task.yield() }
    #expect(log.withLock { $0 } == ["save", "access true", "close", "access when closed", "open"])
    #expect(await note.close())
  }

  @Test func `let a close wait for an autosave that the subclass begins later`() async throws {
    let url = url("Order.txt")
    let note = AskingNote(fileURL: url)
    note.autosavePolicy = nil
    #expect(await note.save(to: url, for: .forCreating))
    note.text = "edited"
    note.updateChangeCount(.done)
    var result: Bool?
    note.close { result = $0 }
    while !note.answer() { await Task.yield() }
    while result == nil { await Task.yield() }
    #expect(result == true && note.documentState == .closed)
    #expect(try String(contentsOf: url, encoding: .utf8) == "edited")
  }
}
