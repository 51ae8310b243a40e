import Documents
import FoundationEssentials
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("A merge of ImageNotes documents")
struct ImageNotesMergingTests {
  private static func url(_ folder: FilePath) -> URL {
    URL(filePath: folder.appending("Trip.imageNotes").string)
  }

  private static func image(_ name: String) throws -> Data { Data(try ImageBytes.file("Images/\(name)")) }

  /// Merges two edits of one document on disk, saves the result over the second, and reads it again.
  private static func merged(
    ours: (inout ImageNotes) throws -> Void, theirs: (inout ImageNotes) throws -> Void
  ) async throws -> (notes: ImageNotes, conflicts: [MergeConflict], written: [String]) {
    try await withTemporaryDirectory { folder in
      var notes = ImageNotes(text: "One\nTwo\nThree\n")
      for name in ["ridge.png", "ridge.gif", "ridge.bmp"] {
        try notes.add(imageData: image(name), originalFilename: name, caption: "Old")
      }
      _ = try await PackageStore.create(notes, at: url(folder))
      let base: ImageNotes = try await PackageStore.open(at: url(folder)).content()
      // Read the pictures, as an application that shows them does.
      for image in base.images { _ = try image.file().contents() }
      var mine = base
      try ours(&mine)
      let other = try await PackageStore.open(at: url(folder))
      var others: ImageNotes = try await other.content()
      try theirs(&others)
      try await other.save(others)
      try await other.close()

      let store = try await PackageStore.open(at: url(folder))
      let onDisk: ImageNotes = try await store.content()
      let result = try ImageNotes.merged(base: base, ours: mine, theirs: onDisk)
      let report = try await store.save(result.content)
      let again: ImageNotes = try await PackageStore.open(at: url(folder)).content()
      for image in again.images { _ = try image.file().contents() }
      return (again, result.conflicts, report.written)
    }
  }

  @Test func `has the lines and the images of both`() async throws {
    let (notes, conflicts, written) = try await Self.merged { notes in
      notes.text = "One of mine\nTwo\nThree\n"
      try notes.add(imageData: Self.image("ridge-lossy.webp"), originalFilename: "mine.webp", at: 1)
      try notes.setCaption("Mine", ofImage: "ridge.gif")
    } theirs: { notes in
      notes.text += "Four of theirs\n"
      notes.customName = "Theirs"
      try notes.add(imageData: Self.image("ridge.png"), originalFilename: "theirs.png")
      try notes.remove(image: "ridge.bmp")
    }
    #expect(conflicts == [])
    #expect(notes.text == "One of mine\nTwo\nThree\nFour of theirs\n" && notes.customName == "Theirs")
    #expect(notes.images.map(\.name) == ["ridge.png", "mine.webp", "ridge.gif", "theirs.png"])
    #expect(notes.images.map(\.caption) == ["Old", "", "Mine", ""])
    #expect(written == ["Images.txt", "Images/mine.webp", "Metadata.plist", "Text.txt"])
  }

  @Test func `says which lines, captions, names and orders are to be decided`() async throws {
    let (notes, conflicts, _) = try await Self.merged { notes in
      notes.text = "One\nMine\nThree\n"
      notes.customName = "Mine"
      try notes.setCaption("Mine", ofImage: "ridge.gif")
      try notes.move(image: "ridge.bmp", to: 0)
    } theirs: { notes in
      notes.text = "One\nTheirs\nThree\n"
      notes.customName = "Theirs"
      try notes.setCaption("Theirs", ofImage: "ridge.gif")
      try notes.move(image: "ridge.png", to: 1)
    }
    #expect(notes.text == "One\nMine\nThree\n" && notes.customName == "Mine")
    #expect(notes.images.map(\.name) == ["ridge.bmp", "ridge.png", "ridge.gif"])
    #expect(notes.images[2].caption == "Mine")
    #expect(
      conflicts == [
        MergeConflict(
          "Text.txt", .bothChanged, kept: .ours,
          lines: [.init(base: "Two\n", ours: "Mine\n", theirs: "Theirs\n", baseLine: 1)]),
        MergeConflict("Metadata.plist", .bothChanged, kept: .ours),
        MergeConflict("Images/ridge.gif", .bothChanged, kept: .ours),
        MergeConflict("Images.txt", .bothMoved, kept: .ours),
      ])
  }

  @Test func `keeps an image that one side removed and the other one changed`() async throws {
    let (notes, conflicts, _) = try await Self.merged { notes in
      try notes.remove(image: "ridge.png")
      try notes.remove(image: "ridge.bmp")
      try notes.setCaption("Mine", ofImage: "ridge.gif")
    } theirs: { notes in
      try notes.setCaption("Theirs", ofImage: "ridge.png")
      try notes.remove(image: "ridge.gif")
    }
    #expect(
      conflicts == [
        MergeConflict("Images/ridge.gif", .removedByThem, kept: .ours),
        MergeConflict("Images/ridge.png", .removedByUs, kept: .theirs),
      ])
    #expect(Set(notes.images.map(\.name)) == ["ridge.png", "ridge.gif"])
    #expect(Set(notes.images.map(\.caption)) == ["Mine", "Theirs"])
  }

  @Test func `keeps two different images that got one name, and one that both added`() async throws {
    let (notes, conflicts, _) = try await Self.merged { notes in
      try notes.add(imageData: Self.image("ridge.png"), originalFilename: "new.png")
      try notes.add(imageData: Self.image("ridge.gif"), originalFilename: "same.gif")
    } theirs: { notes in
      // A different picture.
      try notes.add(imageData: Self.image("ridge.png") + Data([0]), originalFilename: "new.png")
      try notes.add(imageData: Self.image("ridge.gif"), originalFilename: "same.gif")
    }
    #expect(conflicts == [])
    #expect(
      Set(notes.images.map(\.name)) == [
        "ridge.png", "ridge.gif", "ridge.bmp", "new.png", "new 2.png", "same.gif",
      ])
    #expect(notes.images.count == 6)
    let pictures = try notes.images.filter { $0.name.hasPrefix("new") }.map { try $0.file().contents().count }
    #expect(Set(pictures).count == 2)
  }

  @Test func `keeps two images whose names differ only in the way of writing accents`() async throws {
    let (notes, conflicts, _) = try await Self.merged { notes in
      try notes.add(imageData: Self.image("ridge.png"), originalFilename: "\u{E9}.png", caption: "Ours")
    } theirs: { notes in
      try notes.add(imageData: Self.image("ridge.gif"), originalFilename: "e\u{301}.png", caption: "Theirs")
      try notes.replace(
        image: "e\u{301}.png.gif", withImageData: Self.image("ridge.png") + [0],
        originalFilename: "e\u{301}.png")
    }
    #expect(conflicts == [])
    #expect(notes.images.map(\.caption).suffix(2).sorted() == ["Ours", "Theirs"])
    let sizes = try notes.images.suffix(2).map { try $0.file().contents().count }
    #expect(Set(sizes).count == 2)
  }

  @Test func `is the one side where the other one changed nothing`() async throws {
    for isOurs in [true, false] {
      func edit(_ notes: inout ImageNotes) throws {
        notes.text = "Other\n"
        try notes.remove(image: "ridge.png")
        try notes.move(image: "ridge.bmp", to: 0)
        try notes.add(imageData: Self.image("ridge-lossy.webp"), originalFilename: "new.webp", at: 1)
      }
      let (notes, conflicts, _) = try await Self.merged { notes in
        if isOurs { try edit(&notes) }
      } theirs: { notes in
        if !isOurs { try edit(&notes) }
      }
      #expect(conflicts == [])
      #expect(notes.text == "Other\n")
      #expect(notes.images.map(\.name) == ["ridge.bmp", "new.webp", "ridge.gif"])
    }
  }
}
