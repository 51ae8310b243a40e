import Documents
import Foundation
import Observation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@MainActor @Suite("A document for a user interface", .temporaryDirectory)
struct ObservableDocumentTests {
  private static func document() async throws -> ObservableDocument<Pages> {
    try await ObservableDocument.create(Pages(["a.txt": ""]), at: url("Trip.pages"), options: .quiet(nil))
  }

  private static func append(_ text: String) -> @Sendable (inout Pages) throws -> Void {
    { $0["a.txt"] = ($0["a.txt"] ?? "") + text }
  }

  @Test func `has an edit before the call returns, and makes it once`() async throws {
    let document = try await Self.document()
    var expected = ""
    for number in 0..<500 {
      try document.edit("", Self.append("\(number) "))
      expected += "\(number) "
      #expect(document.content["a.txt"] == expected)
      if number.isMultiple(of: 50) { await Task.yield() }
    }
    await document.drain()
    #expect(document.content["a.txt"] == expected)
    #expect(try await document.document.content["a.txt"] == expected)
    #expect(document.undoState.undoCount == 500 && document.undoState.canUndo)
    try await document.save()
    try await document.close()
    #expect(document.documentState.contains(.closed) && document.content["a.txt"] == expected)
    #expect(try String(contentsOf: url("Trip.pages/a.txt"), encoding: .utf8) == expected)
  }

  @Test func `joins its edits with those of another caller`() async throws {
    let document = try await Self.document()
    let other = document.document
    let others = Task.detached {
      for number in 0..<100 { try await other.edit { $0["b.txt"] = ($0["b.txt"] ?? "") + "\(number) " } }
    }
    for number in 0..<100 {
      try document.edit("", Self.append("\(number) "))
      if number.isMultiple(of: 7) { await Task.yield() }
    }
    try await others.value
    await document.drain()
    let numbers = (0..<100).map { "\($0) " }.joined()
    #expect(document.content == Pages(["a.txt": numbers, "b.txt": numbers]))
    #expect(try await other.content == document.content)
    try await document.close()
  }

  @Test func `goes back and forward`() async throws {
    let document = try await Self.document()
    try document.edit("Type", Self.append("one"))
    try document.edit("Add", Self.append(" two"))
    #expect(document.content["a.txt"] == "one two")
    document.undo()
    await document.drain()
    #expect(document.content["a.txt"] == "one")
    #expect(document.undoState.undoMenuItemTitle == "Undo Type")
    #expect(document.undoState.redoMenuItemTitle == "Redo Add")
    document.undo()
    document.redo()
    try document.edit("", Self.append(" three"))
    await document.drain()
    #expect(document.content["a.txt"] == "one three")
    #expect(!document.undoState.canRedo && document.undoState.undoCount == 2)
    try await document.close()
  }

  @Test func `takes back an edit that the document refuses, and has the error`() async throws {
    let document = try await Self.document()
    await document.document.disableEditing()
    try document.edit("", Self.append("refused"))
    await document.drain()
    #expect(document.content["a.txt"] == "")
    #expect((document.lastError as? DocumentError)?.code == .editingDisabled)
    #expect(document.documentState.contains(.editingDisabled))
    await document.document.enableEditing()
    // An edit that fails at once changes nothing.
    #expect(throws: Pages.NotText.self) { try document.edit { _ in throw Pages.NotText() } }
    await document.drain()
    #expect(await !document.document.hasUnsavedChanges)
    // The error is that of the last step.
    try document.edit("", Self.append("taken"))
    await document.drain()
    #expect(document.lastError == nil)
    try await document.close()
  }

  @Test func `shows other programs' changes, and tells its observers`() async throws {
    let document = try await Self.document()
    let changes = Mutex(0)
    withObservationTracking {
      _ = document.content
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    #expect(changes.withLock { $0 } == 0)
    try Data("theirs".utf8).write(to: url("Trip.pages/b.txt"))
    _ = try await document.document.checkForExternalChanges()
    await document.drain()
    #expect(document.content["b.txt"] == "theirs")
    #expect(changes.withLock { $0 } == 1)
    try await document.close()
  }

  @Test func `makes an edit of a tree once, and takes it back whole`() async throws {
    let url = url("Trip.album")
    let root = FileWrapper(directoryWithFileWrappers: [:])
    let document = try await ObservableDocument.create(Binder(root), at: url, options: .quiet(nil))
    for _ in 0..<3 {
      try document.edit { $0.root.addRegularFile(withContents: Data(), preferredFilename: "x") }
    }
    await document.drain()
    // A second run of an edit would make a child of another key.
    #expect(try document.content.root.childNames().count == 3)
    try document.edit("Title") { $0.title = "Lake" }
    try document.edit { album in
      album.root.addRegularFile(withContents: Data(), preferredFilename: "y")
      throw CocoaError(.featureUnsupported)
    }
    await document.drain()
    #expect(document.content.title == "Lake" && document.lastError is CocoaError)
    #expect(try document.content.root.childNames().count == 3)
    for count in [3, 2, 1, 0] {
      document.undo()
      await document.drain()
      #expect(try document.content.root.childNames().count == count)
    }
    document.redo()
    try await document.close()
    #expect(try await Document<Binder>.open(at: url).content.root.childNames() == ["x"])
  }
}
