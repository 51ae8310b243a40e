import AppleDocuments
import Documents
import SystemPackage
import TestSupport
import Testing

@Suite("A UIDocument whose file another program changes", .temporaryDirectory)
@MainActor
struct UIDocumentChangeTests {
  @Test func `loads what another program has written`() async throws {
    let url = url("Shared.txt")
    let note = Note(fileURL: url)
    note.setText("mine")
    #expect(await note.save(to: url, for: .forCreating))
    try Data("theirs".utf8).write(to: url)
    while note.text != "theirs" { await Task.yield() }
    while note.documentState != .normal { await Task.yield() }
    #expect(!note.hasUnsavedChanges && !note.undoManager.canUndo)
    note.setText("mine again")
    #expect(await note.close())
    #expect(text(at: url) == "mine again")
  }

  /// Returns a document whose engine has read "Three" of another program, and whose model still has "Two".
  private func noteBeforeItLoads(at url: URL, _ alongside: () throws -> Void = {}) async throws -> Note {
    let note = await Note.make(at: url, "One")
    // The watcher runs when it has told of this one.
    try "Two".write(to: url, atomically: false, encoding: .utf8)
    while note.text != "Two" { await Task.yield() }
    try alongside()
    try "Three".write(to: url, atomically: false, encoding: .utf8)
    // The engine has time to read it, and the model gets none to load it.
    usleep(500_000)
    return note
  }

  // MF4
  @Test(arguments: [false, true])
  func `writes an edit that comes before the model has another program's change`(isClosed: Bool) async throws
  {
    let url = url("Trip.txt")
    let note = try await noteBeforeItLoads(at: url)
    note.setText("Ours")
    if isClosed {
      #expect(await note.close())
    } else {
      #expect(await note.save(to: url, for: .forOverwriting))
    }
    #expect(text(at: url) == "Ours")
    #expect(try copies(of: url) == ["Three"])
    if !isClosed { #expect(await note.close()) }
  }

  @Test func `writes such an edit to another place, too`() async throws {
    let url = url("Trip.txt")
    let elsewhere = url.deletingLastPathComponent().appending(path: "Elsewhere.txt")
    let note = try await noteBeforeItLoads(at: url)
    note.setText("Ours")
    #expect(await note.save(to: elsewhere, for: .forCreating))
    #expect(text(at: elsewhere) == "Ours" && text(at: url) == "Three")
    #expect(!note.hasUnsavedChanges && note.text == "Ours")
    #expect(await note.close())
  }

  @Test func `keeps another program's change that arrives together with a conflict copy`() async throws {
    let url = url("Trip.txt")
    let note = try await noteBeforeItLoads(at: url) {
      let copy = url.deletingLastPathComponent().appending(
        path: "Trip.sync-conflict-20261128-120000-ABCDEFG.txt")
      try "Elsewhere".write(to: copy, atomically: false, encoding: .utf8)
    }
    note.setText("Ours")
    for _ in 0..<500 { await Task.yield() }
    #expect(await note.save(to: url, for: .forOverwriting))
    #expect(text(at: url) == "Ours")
    #expect(try Set(copies(of: url)) == ["Three", "Elsewhere"])
    #expect(await note.close())
  }

  @Test func `keeps its edits where another program has changed the same`() async throws {
    let url = url("Both.album")
    let album = Album(fileURL: url)
    album.autosavePolicy = nil
    album.setTitle("first")
    album.add(Data("photo".utf8), named: "a.png")
    #expect(await album.save(to: url, for: .forCreating))
    album.setTitle("mine")
    album.undoManager.endEventGrouping()
    let file = url.appending(path: "Title.txt")
    while text(at: file) != "first" { await Task.yield() }
    try Data("theirs".utf8).write(to: file)
    while !album.documentState.contains(.inConflict) { await Task.yield() }
    #expect(album.title == "mine" && album.hasUnsavedChanges)
    #expect(await album.close(), "\(album.errors)")
    #expect(text(at: file) == "mine" && album.photos == ["a.png"])
    let versions = url.appending(path: ".docpkg/conflicts")
    let kept = FileManager.default.enumerator(at: versions, includingPropertiesForKeys: nil)?
      .compactMap { ($0 as? URL).flatMap { text(at: $0) } }
    #expect(kept?.contains("theirs") == true)
  }
}
