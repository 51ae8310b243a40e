import Documents
import FoundationEssentials
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("Restoring an earlier version of ImageNotes", .temporaryDirectory)
struct ImageNotesRestoringTests {
  private static func image(_ name: String) throws -> Data { Data(try ImageBytes.file("Images/\(name)")) }

  /// Makes a document with a history of two states, and calls `body` with its store and the first state.
  private static func withHistory(
    _ change: (inout ImageNotes) throws -> Void, _ body: (PackageStore, ImageNotes) async throws -> Void
  ) async throws {
    let url = url("Trip.imageNotes")
    var notes = ImageNotes(text: "Three valleys")
    for name in ["ridge.png", "ridge.gif"] {
      try notes.add(imageData: image(name), originalFilename: name, caption: "Old")
    }
    try await PackageStore.create(notes, at: url).0.close()
    let first: ImageNotes = try await PackageStore.open(at: url).content()
    for image in first.images { _ = try image.file().contents() }
    let store = try await PackageStore.open(at: url)
    var changed: ImageNotes = try await store.content()
    try change(&changed)
    try await store.save(changed)
    try await body(store, first)
    try await store.close()
  }

  @Test func `writes only what differs`() async throws {
    try await Self.withHistory { notes in
      notes.text = "Rain"
      notes.customName = "Wet"
      try notes.setCaption("New", ofImage: "ridge.png")
      try notes.replace(image: "ridge.gif", withImageData: Self.image("ridge.bmp"), originalFilename: "b.bmp")
    } _: { store, first in
      var notes: ImageNotes = try await store.content()
      try notes.restore(first)
      #expect(notes.text == "Three valleys" && notes.customName == nil)
      let report = try await store.save(notes)
      #expect(!report.written.contains("Images/ridge.png"))
      let again: ImageNotes = try await store.content()
      #expect(again.images.map(\.name) == first.images.map(\.name))
      #expect(again.images.map(\.caption) == ["Old", "Old"])
      for (one, other) in zip(again.images, first.images) {
        #expect(try one.file().hasSameContents(as: other.file()), "\(one.name)")
      }
    }
  }

  @Test func `names an image that went with its package, and saves the rest without it`() async throws {
    let (url, other) = (
      URL(filePath: folder.appending("Trip.imageNotes").string),
      URL(filePath: folder.appending("Other.imageNotes").string)
    )
    var notes = ImageNotes(text: "Three valleys")
    try notes.add(imageData: Self.image("ridge.png"), originalFilename: "ridge.png", caption: "")
    try await PackageStore.create(notes, at: url).0.close()
    let store = try await PackageStore.open(at: url)
    let content: ImageNotes = try await store.content()
    try await store.close()
    try FileManager.default.removeItem(at: url)
    let error = await #expect(throws: (any Error).self) {
      _ = try await PackageStore.create(content, at: other)
    }
    let expected = ImageNotesError.imageIsGone("Images/ridge.png", reason: "")
    #expect("\(try #require(error))".contains("\(expected)".prefix(40)), "\(String(describing: error))")
    #expect(!FileManager.default.fileExists(atPath: other.path))
    var lost = content
    try lost.remove(image: "ridge.png")
    #expect(try await PackageStore.create(lost, at: other).1.written.contains("Text.txt"))
  }

  @Test func `takes over one image, whether it is there or gone`() async throws {
    try await Self.withHistory { notes in
      notes.text = "Rain"
      try notes.remove(image: "ridge.png")
      try notes.setCaption("New", ofImage: "ridge.gif")
    } _: { store, first in
      var notes: ImageNotes = try await store.content()
      try notes.restore(image: "ridge.png", from: first)
      try notes.restore(image: "ridge.gif", from: first)
      #expect(notes.text == "Rain")
      #expect(notes.images.map(\.name) == ["ridge.png", "ridge.gif"])
      #expect(notes.images.map(\.caption) == ["Old", "Old"])
      #expect(throws: ImageNotesError.self) { try notes.restore(image: "none.png", from: first) }
    }
  }
}
