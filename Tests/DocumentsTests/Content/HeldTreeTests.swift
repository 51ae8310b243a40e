import Documents
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A value that has its tree as its content, and changes it in place, as many models do.
struct Binder: FileDocument {
  static var readableContentTypes: [UTType] { [.package] }
  var title = ""
  var root: FileWrapper

  init(_ root: FileWrapper) { self.root = root }

  var heldFolders: [FileWrapper] { [root] }

  init(configuration: ReadConfiguration) throws { root = configuration.file }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper { root }

  func put(_ name: String, _ text: String) throws {
    try root.setDescendant(FileWrapper(regularFileWithContents: Data(text.utf8)), at: name)
  }

  var texts: [String: String] {
    get throws { try ConflictTests.texts(root) }
  }
}

/// Holds folders and a file, and names all of them.
private struct Shelf: FileDocument {
  static var readableContentTypes: [UTType] { [.package] }
  var named: [String: FileWrapper] = [:]
  var last: FileWrapper?

  var folders: [FileWrapper] { named.values.filter(\.isDirectory) + (last.map { [$0, $0] } ?? []) }
  var heldFolders: [FileWrapper] { Array(named.values) + folders }

  init() {}
  init(configuration: ReadConfiguration) throws {}
  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(directoryWithFileWrappers: [:])
  }

  var names: [[String]] { get throws { try Set(folders).map { try $0.childNames() } } }
}

/// Holds a folder, and does not name it.
private struct Sealed: FileDocument {
  static var readableContentTypes: [UTType] { [.package] }
  var title = ""
  var folder = FileWrapper(directoryWithFileWrappers: [:])

  init() {}
  init(configuration: ReadConfiguration) throws {}
  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    FileWrapper(directoryWithFileWrappers: [:])
  }
}

@Suite("Trees in a content", .temporaryDirectory)
struct HeldTreeTests {
  @Test func `are undone and redone with it, also past a save`() async throws {
    let url = url("Trip.album")
    let document = try await Document.create(Binder(FileWrapper(directoryWithFileWrappers: [:])), at: url)
    let states: [[String: String]] = [
      [:], ["a": "1"], ["a": "1", "b/c": "2"], ["a": "1", "b/c": "3", "b/d": "4"], ["b/d": "4"],
      ["b/d": "4", "a": "5"],
    ]
    let edits: [@Sendable (Binder) throws -> Void] = [
      { try $0.put("a", "1") }, { try $0.put("b/c", "2") },
      {
        try $0.put("b/c", "3")
        try $0.put("b/d", "4")
      },
      {
        try $0.root.removeDescendant(at: "a")
        try $0.root.removeDescendant(at: "b/c")
      }, { try $0.put("a", "5") },
    ]
    for (index, edit) in edits.enumerated() {
      try await document.edit { try edit($0) }
      #expect(try await document.content.texts == states[index + 1])
      // Some states are saved, so that undoing crosses them.
      if index.isMultiple(of: 2) {
        try await document.saveAndPublish()
      }
    }
    for state in states.dropLast().reversed() {
      #expect(try await document.undo())
      #expect(try await document.content.texts == state)
    }
    #expect(try await !document.undo())
    for state in states.dropFirst() {
      #expect(try await document.redo())
      #expect(try await document.content.texts == state)
    }
    for _ in 0..<3 { try await document.undo() }
    try await document.close()
    #expect(try await Document<Binder>.open(at: url).content.texts == states[2])
  }

  private struct Refused: Error {}

  private static func fail(_ document: Document<Binder>) async throws {
    try await document.edit {
      try $0.put("b", "2")
      try $0.root.removeDescendant(at: "a")
      throw Refused()
    }
  }

  @Test func `stay as they are if the content does not name them`() async throws {
    let document = try await Document.create(Sealed(), at: url("Sealed.album"))
    try await document.edit { content in
      content.title = "Trip"
      try content.folder.setDescendant(FileWrapper(regularFileWithContents: Data()), at: "a")
    }
    #expect(try await document.undo())
    let content = try await document.content
    #expect(content.title == "")
    #expect(try content.folder.childNames() == ["a"])
    try await document.close()
  }

  @Test func `are as they were after an edit that fails`() async throws {
    let url = url("Trip.album")
    let root = FileWrapper(directoryWithFileWrappers: ["a": FileWrapper(regularFileWithContents: Data())])
    let document = try await Document.create(Binder(root), at: url)
    await #expect(throws: Refused.self) { try await Self.fail(document) }
    #expect(try await document.content.texts == ["a": ""])
    #expect(await !document.hasUnsavedChanges)
    try await document.close()
  }

  @Test func `keep the keys of children that want one name`() async throws {
    let url = url("Trip.album")
    let document = try await Document.create(Binder(FileWrapper(directoryWithFileWrappers: [:])), at: url)
    try await document.edit { album in
      for text in ["1", "2", "3"] {
        album.root.addRegularFile(withContents: Data(text.utf8), preferredFilename: "x")
      }
    }
    let before = try await document.content.texts
    try await document.edit { album in
      for child in try album.root.children().values { album.root.removeFileWrapper(child) }
    }
    try await document.undo()
    #expect(try await document.content.texts == before)
    try await document.close()
  }

  @Test func `are those that the content names, each once, and files are none`() async throws {
    func folder() -> FileWrapper {
      let folder = FileWrapper(directoryWithFileWrappers: [:])
      folder.addRegularFile(withContents: Data(), preferredFilename: "one")
      return folder
    }
    var shelf = Shelf()
    shelf.named = ["a": folder(), "b": FileWrapper(regularFileWithContents: Data()), "c": folder()]
    shelf.last = folder()
    let document = try await Document.create(shelf, at: url("A.shelf"))
    try await document.edit { shelf in
      for folder in Set(shelf.folders) {
        folder.addRegularFile(withContents: Data(), preferredFilename: "two")
      }
    }
    #expect(try await document.content.names == Array(repeating: ["one", "two"], count: 3))
    try await document.undo()
    #expect(try await document.content.names == Array(repeating: ["one"], count: 3))
    try await document.close()
  }

  @Test func `may change places`() async throws {
    let inner = FileWrapper(directoryWithFileWrappers: [:])
    let outer = FileWrapper(directoryWithFileWrappers: ["in": inner])
    let document = try await Document.create(
      Binder(FileWrapper(directoryWithFileWrappers: ["out": outer])),
      at: url("Trip.album"))
    try await document.edit { album in
      outer.removeFileWrapper(inner)
      album.root.removeFileWrapper(outer)
      inner.addFileWrapper(outer)
      album.root.addFileWrapper(inner)
    }
    try await document.undo()
    #expect(try outer.childNames() == ["in"] && inner.childNames() == [])
    try await document.redo()
    #expect(try inner.childNames() == ["out"] && outer.childNames() == [])
    try await document.close()
  }

  @Test func `that cannot be read are an error of undoing, which changes nothing`() async throws {
    let url = URL(filePath: folder.appending("Trip.album").string)
    let file = FileWrapper(regularFileWithContents: Data("1".utf8))
    let folder = FileWrapper(directoryWithFileWrappers: ["a": file])
    try await Document.create(Binder(FileWrapper(directoryWithFileWrappers: ["F": folder])), at: url).close()
    let errors = Mutex<[String]>([])
    let document = try await Document<Binder>.open(
      at: url,
      options: .quiet(nil) { options in
        options.watchesDisk = false
        options.errorHandler = { error in errors.withLock { $0.append("\(error)") } }
      })
    let inner = try #require(try await document.content.root.child(named: "F"))
    // Another program removes the folder before the document has listed it.
    try FileManager.default.removeItem(at: url.appending(path: "F"))
    try await document.edit("Title") { $0.title = "Lake" }
    try await document.edit("Add") { _ in
      inner.addRegularFile(withContents: Data(), preferredFilename: "b")
    }
    let error = await #expect(throws: DocumentError.self) { try await document.undo() }
    #expect(error?.code == .file && error?.operation == .undo)
    #expect(error?.description.contains("'F'") == true, "\(error as Any)")
    #expect(try await document.content.title == "Lake")
    #expect(await document.undoState.undoActionName == "Add")
    #expect(await !document.undoState.canRedo)
    // An edit that fails throws its own error, and the handler gets the other one.
    await #expect(throws: Refused.self) {
      try await document.edit { _ in
        inner.addRegularFile(withContents: Data(), preferredFilename: "c")
        throw Refused()
      }
    }
    #expect(errors.withLock { $0.count } == 1 && errors.withLock { $0[0].contains("'F'") })
    try await document.close(discardingChanges: true)
  }
}
