import Documents
import Foundation
import PackageArchive

/// A checklist: a package with the items in `Items.json` and a text in `Notes.txt`.
struct Checklist: DocumentContent, Equatable {
  struct Item: Codable, Equatable {
    var title: String
    var isDone = false
  }

  static let type = UTType(
    exportedAs: "org.example.checklist", conformingTo: .package, filenameExtension: "checklist")
  static var readableContentTypes: [UTType] { [type] }

  var items: [Item] = []
  var notes = ""

  init() {}

  /// Reads the checklist; the wrapper reads a child from the disk when its `contents()` are asked for.
  init(configuration: ReadConfiguration) throws {
    let items = try configuration.file.regularFile(at: "Items.json").contents()
    self.items = try JSONDecoder().decode([Item].self, from: items)
    notes = String(decoding: try configuration.file.regularFile(at: "Notes.txt").contents(), as: UTF8.self)
  }

  /// Returns the tree to save: the one on disk, with the children of this type. A save writes only the changed ones.
  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try tree.setDescendant(FileWrapper(regularFileWithContents: encoder.encode(items)), at: "Items.json")
    try tree.setDescendant(FileWrapper(regularFileWithContents: Data(notes.utf8)), at: "Notes.txt")
    return tree
  }
}

@main
struct Example {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "Checklist-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }  // The temporary files may stay.

    // Create.
    var packing = Checklist()
    packing.items = [Checklist.Item(title: "Boots"), Checklist.Item(title: "Map")]
    let url = folder.appending(path: "Hut.checklist")
    let document = try await Document.create(packing, at: url)

    // Edit: an edit changes a copy of the value, and never waits for the disk.
    try await document.edit("Add Item") { $0.items.append(Checklist.Item(title: "Lamp")) }
    try await document.edit("Check Off") { $0.items[0].isDone = true }
    try await document.edit("Remove All") { $0.items.removeAll() }

    // Undo.
    check(try await document.undo(), "there is an edit to undo")
    check(try await document.content.items.count == 3, "undoing brings the items back")

    // Save: the report says which children the save wrote.
    let report = try await document.save()
    print(report)
    check(report.written.contains("Items.json"), "the changed child is written")
    check(!report.written.contains("Notes.txt"), "the unchanged child is not")
    try await document.close()

    // List the documents of this type in the folder.
    let found = await DocumentSearch(in: [folder], for: [Checklist.type]).documents().items
    check(found.map(\.displayName) == ["Hut"], "the search finds the document by its type")

    // Export it as one file.
    let archive = folder.appending(path: "Hut.zip")
    print(try await FileWrapper(url: url).snapshot().export(to: archive))

    // Reopen and print.
    let reopened = try await Document<Checklist>.open(at: url)
    let checklist = try await reopened.content
    for item in checklist.items { print(item.isDone ? "[x]" : "[ ]", item.title) }
    try await reopened.close()
    check(checklist.items.map(\.title) == ["Boots", "Map", "Lamp"], "the items are those that were saved")
    check(checklist.items.map(\.isDone) == [true, false, false], "and so are their marks")
  }

  /// Ends the program with status 1 if the example does not do what it says.
  static func check(_ isTrue: Bool, _ claim: String) {
    if isTrue { return }
    print("Checklist: not true: \(claim)")
    exit(1)
  }
}
