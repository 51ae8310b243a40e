import AppleDocuments
import TestSupport
import Testing

/// Random edits, undos and saves of a package whose model changes the very tree that it writes.
@Suite("Random calls of a UIDocument", .temporaryDirectory)
@MainActor
struct UIDocumentProgramTests {
  private func makeAlbum(_ url: URL) -> Album {
    let album = Album(fileURL: url)
    album.autosavePolicy = nil
    return album
  }

  /// Closes the document, and returns another one that has read the same.
  private func reopened(_ album: Album) async -> Album {
    let closed = await album.close()
    #expect(closed, "\(album.errors)")
    let again = makeAlbum(album.fileURL)
    let opened = await again.open()
    #expect(opened, "\(again.errors)")
    #expect(again.title == album.title && again.photos == album.photos)
    return again
  }

  private func step(_ album: Album, _ number: Int, _ random: inout SeededGenerator) async {
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: album.setTitle("Title \(number)")
    case 2: album.add(Data("\(number)".utf8), named: "\(number).png")
    case 3: if let name = album.photos.randomElement(using: &random) { album.remove(name) }
    case 4: album.undoManager.undo()
    case 5: album.undoManager.redo()
    case 6: album.save(to: album.fileURL, for: .forOverwriting, completionHandler: nil)
    case 7: await album.autosave()
    default: await Task.yield()
    }
    if Bool.random(using: &random) { album.undoManager.endEventGrouping() }
  }

  // MF1, MF2
  @Test(arguments: [45] + Array(1...8))
  func `never look saved if they are not`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var album = makeAlbum(url("Random.album"))
    let made = await album.save(to: album.fileURL, for: .forCreating)
    #expect(made)
    for number in 1...40 {
      await step(album, number, &random)
      guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
      // It waits for the saves that run, and does nothing else.
      await album.open()
      if !album.hasUnsavedChanges { album = await reopened(album) }
    }
    album = await reopened(album)
    await album.close()
  }
}
