import AppleDocuments

/// A model for SwiftUI's `DocumentGroup`: a class with a list of colours, each a file in a package.
@Observable
// `@unchecked`: only the main actor changes it, and `snapshot(contentType:)` copies it.
final class Palette: ReferenceFileDocument, @unchecked Sendable {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.palette", conformingTo: .package)]
  }

  private(set) var colours: [String] = []

  init() {}

  init(configuration: ReadConfiguration) throws {
    guard let children = configuration.file.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
    colours = children.keys.filter { $0.hasSuffix(".colour") }.sorted().map { String($0.dropLast(7)) }
  }

  func snapshot(contentType: UTType) throws -> [String] { colours }

  func fileWrapper(snapshot: [String], configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    let children = tree.fileWrappers ?? [:]
    for (name, child) in children where name.hasSuffix(".colour") && !snapshot.contains("\(name.dropLast(7))")
    {
      tree.removeFileWrapper(child)
    }
    for colour in snapshot where children["\(colour).colour"] == nil {
      tree.addRegularFile(withContents: Data(colour.utf8), preferredFilename: "\(colour).colour")
    }
    return tree
  }

  func add(_ colour: String, undoManager: UndoManager?) {
    colours.append(colour)
    undoManager?.registerUndo(withTarget: self) { $0.remove(colour, undoManager: undoManager) }
    undoManager?.setActionName("Add \(colour)")
  }

  func remove(_ colour: String, undoManager: UndoManager?) {
    colours.removeAll { $0 == colour }
    undoManager?.registerUndo(withTarget: self) { $0.add(colour, undoManager: undoManager) }
    undoManager?.setActionName("Remove \(colour)")
  }
}

@main
struct Example {
  @MainActor
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "Palette-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "Hut.palette")

    let made = try await ReferenceDocument.create(Palette(), at: url)
    made.document.add("ochre", undoManager: made.undoManager)
    try await made.close()

    let file = try await ReferenceDocument<Palette>.open(at: url)
    check(file.document.colours == ["ochre"], "the colour is saved")
    file.document.add("slate", undoManager: file.undoManager)
    let first = try await file.save()
    print(first)
    check(first.written.contains("slate.colour"), "the new colour is written")
    check(!first.written.contains("ochre.colour"), "the unchanged one is not")
    file.undoManager.undo()
    check(file.document.colours == ["ochre"] && file.hasUnsavedChanges, "the colour is undone after the save")
    file.undoManager.redo()
    check(!file.hasUnsavedChanges, "redone, the document is as on disk")
    file.undoManager.undo()
    try await file.close()

    let again = try await ReferenceDocument<Palette>.open(at: url)
    print(again.document.colours)
    check(again.document.colours == ["ochre"], "the undo is saved")
    try await again.close()
  }

  /// Ends the program with status 1 if the example does not do what it says.
  static func check(_ isTrue: Bool, _ claim: String) {
    if isTrue { return }
    print("Palette: not true: \(claim)")
    exit(1)
  }
}
