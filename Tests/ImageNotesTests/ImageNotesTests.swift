import Documents
import FoundationEssentials
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("An ImageNotes document", .temporaryDirectory)
struct ImageNotesTests {
  private func url(_ folder: FilePath) -> URL { URL(filePath: folder.appending("Trip.imageNotes").string) }

  private func made(in folder: FilePath) async throws -> PackageStore {
    var notes = ImageNotes(text: "Three valleys\nand a hut\n")
    try notes.add(imageData: Data(ImageBytes.file("Images/ridge.png")), originalFilename: "ridge.png")
    try notes.add(
      imageData: Data(ImageBytes.file("Images/ridge.gif")), originalFilename: "a.gif",
      caption: "A\ttab \\ and\nline")
    return try await PackageStore.create(notes, at: url(folder)).store
  }

  @Test func `keeps text, order, captions and original names`() async throws {
    _ = try await made(in: folder)
    let notes: ImageNotes = try await PackageStore.open(at: url(folder)).content()
    #expect(notes.text == "Three valleys\nand a hut\n")
    #expect(notes.images.map(\.name) == ["ridge.png", "a.gif"])
    #expect(notes.images[1].caption == "A\ttab \\ and\nline")
    #expect(notes.displayName == "Three valleys")
    #expect(try notes.images[0].header().format == .png)
    #expect(try notes.images[0].header().displayWidth == 61)
  }

  @Test func `writes only what changed`() async throws {
    let package = try await made(in: folder)
    var notes: ImageNotes = try await package.content()
    #expect(try await package.save(notes).strategy == .none)

    notes.text += "more"
    #expect(try await package.save(notes).written == ["Metadata.plist", "Text.txt"])

    try notes.setCaption("B", ofImage: "a.gif")
    #expect(try await package.save(notes).written == ["Images.txt", "Metadata.plist"])

    notes.customName = "My trip"
    #expect(try await package.save(notes).written == ["Metadata.plist"])
    #expect(try await package.metadata()?.displayName == "My trip")

    try notes.remove(image: "a.gif")
    let report = try await package.save(notes)
    #expect(report.removed == ["Images/a.gif"] && report.written.contains("Images.txt"))

    let last: ImageNotes = try await PackageStore.open(at: url(folder)).content()
    #expect(last.displayName == "My trip" && last.images.map(\.name) == ["ridge.png"])
    #expect(try await PackageStore.open(at: url(folder)).metadata()?.generation == 5)
  }

  @Test func `gives an image no name that something else in its folder has`() async throws {
    _ = try await made(in: folder)
    try createFolder(at: url(folder).appending(path: "Images").appending(path: "b.gif"))
    let package = try await PackageStore.open(at: url(folder))
    var notes: ImageNotes = try await package.content()
    let name = try notes.add(
      imageData: Data(ImageBytes.file("Images/ridge.gif")), originalFilename: "B.gif", caption: "Evening")
    #expect(name == "B 2.gif")
    try await package.save(notes)
    let saved: ImageNotes = try await PackageStore.open(at: url(folder)).content()
    #expect(saved.images.map(\.name) == ["ridge.png", "a.gif", "B 2.gif"])
    #expect(saved.images[2].caption == "Evening")

    try notes.add(imageData: Data(ImageBytes.file("Images/ridge.gif")), originalFilename: "c.gif")
    try await package.tree.setDescendant(FileWrapper(directoryWithFileWrappers: [:]), at: "Images/c.gif")
    let error = await #expect(throws: FilePackageError.self) { try await package.save(notes) }
    #expect(error?.code == .fileExists && error?.child == "Images/c.gif")
  }

  @Test func `moves and replaces images`() async throws {
    let package = try await made(in: folder)
    let file = folder.appending("new.webp")
    try Data(ImageBytes.file("Images/ridge-lossy.webp")).write(to: URL(filePath: file.string))
    var notes: ImageNotes = try await package.content()
    try notes.move(image: "a.gif", to: 0)
    #expect(notes.images.map(\.name) == ["a.gif", "ridge.png"])
    #expect(try notes.replace(image: "ridge.png", withImageAt: URL(filePath: file.string)) == "new.webp")
    #expect(try await package.save(notes).removed == ["Images/ridge.png"])
    let last: ImageNotes = try await PackageStore.open(at: url(folder)).content()
    #expect(last.images.map(\.name) == ["a.gif", "new.webp"])
    #expect(try last.images[1].header().format == .webP)
    let bytes = try Data(ImageBytes.file("Images/ridge-lossy.webp"))
    #expect(try last.images[1].file().contents() == bytes)
    #expect(try notes.replace(image: "a.gif", withImageData: bytes, originalFilename: "b.webp") == "b.webp")
    #expect(try notes.images[0].file().contents() == bytes)
  }

  @Test func `leaves children alone that it knows nothing of`() async throws {
    let package = try await made(in: folder)
    let tree = await package.tree
    try tree.setDescendant(FileWrapper(regularFileWithContents: Data([1])), at: "Extra/Deep/x.bin")
    try await package.save()
    let again = try await PackageStore.open(at: url(folder))
    var notes: ImageNotes = try await again.content()
    notes.text = "other"
    try await again.save(notes)
    let extra = try await PackageStore.open(at: url(folder)).tree.regularFile(at: "Extra/Deep/x.bin")
    #expect(try extra.contents() == Data([1]))
  }

  @Test func `opens in the classic shape and keeps it`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    tree.addRegularFile(withContents: Data("Old\n".utf8), preferredFilename: "Text.txt")
    tree.addRegularFile(
      withContents: Data(try ImageBytes.file("Images/ridge.png")), preferredFilename: "Image.png")
    _ = try await PackageStore.create(tree, at: url(folder), contentType: nil)

    let package = try await PackageStore.open(at: url(folder))
    var notes: ImageNotes = try await package.content()
    #expect(notes.images.map(\.path) == ["Image.png"])
    notes.text = "New\n"
    #expect(try await package.save(notes).written == ["Text.txt"])
    try await package.close()
    #expect(try await PackageStore.open(at: url(folder)).tree.childNames() == ["Image.png", "Text.txt"])
  }

  @Test func `shows images that another program put there, and not those that are gone`() async throws {
    _ = try await made(in: folder)
    let images = folder.appending("Trip.imageNotes").appending("Images")
    try Data(ImageBytes.file("Images/ridge.bmp")).write(to: URL(filePath: images.appending("new.bmp").string))
    try Data().write(to: URL(filePath: images.appending(".hidden").string))
    try FileManager.default.removeItem(atPath: images.appending("ridge.png").string)
    let notes: ImageNotes = try await PackageStore.open(at: url(folder)).content()
    #expect(notes.images.map(\.name) == ["a.gif", "new.bmp"])
  }

  @Test func `takes no file for an image by its name`() throws {
    var notes = ImageNotes()
    #expect(throws: ImageNotesError.notAnImage("x.png", .unknownFormat)) {
      try notes.add(imageData: Data("no image".utf8), originalFilename: "x.png")
    }
    #expect(notes.images.isEmpty)
    #expect(throws: ImageNotesError.noSuchImage("y", has: [])) { try notes.remove(image: "y") }
  }

  @Test func `gives every image a name that a file can have`() throws {
    var notes = ImageNotes()
    let png = Data(try ImageBytes.file("Images/ridge.png"))
    func added(_ original: String) throws -> String {
      try notes.add(imageData: png, originalFilename: original)
    }
    #expect(try added("a.png") == "a.png")
    #expect(try added("A.PNG") == "A 2.PNG")
    #expect(try added("a.png") == "a 3.png")
    #expect(try added("photo") == "photo.png")
    #expect(try added("wrong.jpeg") == "wrong.jpeg.png")
    #expect(try added(".hidden.png") == "hidden.png")
    #expect(try added("..") == "Image.png")
    #expect(try added("a/b.png") == "a:b.png")
    #expect(try added(String(repeating: "é", count: 200) + ".png").utf8.count <= 255)
    #expect(notes.images[4].originalFilename == "wrong.jpeg")
  }

  /// One name, with a composed and with a decomposed letter: equal strings, and two files.
  private static let (composed, decomposed) = ("\u{E9}.png", "e\u{301}.png")

  @Test func `keeps images apart whose names differ only in the way of writing accents`() async throws {
    let pictures = [Self.composed: Data(try ImageBytes.file("Images/ridge.png")) + [1], "b.png": Data([2])]
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for (name, bytes) in pictures {
      try tree.setDescendant(FileWrapper(regularFileWithContents: bytes), at: "Images/\(name)")
    }
    let list = "Images/\(Self.composed)\t1.png\tone\nImages/b.png\nImages/\(Self.decomposed)\t2.png\ttwo\n"
    tree.addRegularFile(withContents: Data(list.utf8), preferredFilename: "Images.txt")
    let (store, _) = try await PackageStore.create(tree, at: url(folder), contentType: .imageNotes)
    try await store.close()
    let other = folder.appending("Trip.imageNotes/Images").appending(Self.decomposed)
    try Data([3]).write(to: URL(filePath: other.string))
    func read() async throws -> ImageNotes { try await PackageStore.open(at: url(folder)).content() }

    var notes = try await read()
    #expect(notes.images.map(\.caption) == ["one", "", "two"] && notes.missingImages.isEmpty)
    #expect(
      try notes.images.map { try $0.file().contents() } == [pictures[Self.composed], Data([2]), Data([3])])
    try notes.setCaption("1", ofImage: Self.composed)
    try notes.setCaption("2", ofImage: Self.decomposed)
    try notes.move(image: "b.png", to: 2)
    try await PackageStore.open(at: url(folder)).save(notes)
    notes = try await read()
    #expect(notes.images.map(\.caption) == ["1", "2", ""])
    // In the order of their names, the list has to say the order of these two.
    for name in [Self.composed, Self.decomposed] { try notes.setCaption("", ofImage: name) }
    try await PackageStore.open(at: url(folder)).save(notes)
    #expect(try await read().images[0].file().contents() == pictures[Self.composed])

    var edited = notes
    try edited.remove(image: Self.composed)
    try await PackageStore.open(at: url(folder)).save(edited)
    let last = try await read()
    #expect(try last.images.map { try $0.file().contents() } == [Data([3]), Data([2])])
    #expect(try FileManager.default.contentsOfDirectory(atPath: url(folder).path + "/Images").count == 2)
  }

  @Test func `saves a text and a caption in which only the way of writing accents changed`() async throws {
    let package = try await made(in: folder)
    for letter in ["\u{E9}", "e\u{301}"] {
      var notes: ImageNotes = try await package.content()
      notes.text = letter
      try notes.setCaption(letter, ofImage: "a.gif")
      try await package.save(notes)
      let saved: ImageNotes = try await PackageStore.open(at: url(folder)).content()
      #expect(Array(saved.text.utf8) == Array(letter.utf8))
      #expect(Array(saved.images[1].caption.utf8) == Array(letter.utf8))
    }
  }

  @Test func `says that its text is not UTF-8`() async throws {
    let package = try await made(in: folder)
    let text = folder.appending("Trip.imageNotes").appending("Text.txt")
    try Data([0x61, 0xFF]).write(to: URL(filePath: text.string))
    _ = package
    let damaged = try await PackageStore.open(at: url(folder))
    let error = await #expect(throws: FilePackageError.self) {
      let _: ImageNotes = try await damaged.content()
    }
    #expect(error?.code == .invalidContent && error?.child == "Text.txt")
  }

  @Test(arguments: [
    ("", "Untitled"), (" \n\n  First \nSecond", "First"), ("One", "One"),
    (" ![Peak](Images/7.png) \nFirst", "First"), ("![Peak](Images/7.png)", "Untitled"),
    ("![Peak](Images/7.png) and words", "![Peak](Images/7.png) and words"),
    (String(repeating: "x", count: 90), String(repeating: "x", count: 79) + "…"),
  ])
  func `is called by the first line of its text`(text: String, name: String) {
    #expect(ImageNotes(text: text).displayName == name)
  }
}
