import AppleDocuments
import Documents
import Testing

/// A text document, as on iOS.
final class Note: UIDocument {
  struct Refused: Error {}

  var text = ""
  /// The overrides that were called, and the states that were posted.
  var calls: [String] = []
  var errors: [any Error] = []
  var refuses = false
  var refusesToLoad = false

  override init(fileURL url: URL) {
    super.init(fileURL: url)
    recoveryFolder = nil
  }

  /// Makes a document that saves only when it is told to.
  static func make(at url: URL, _ text: String? = nil) async -> Note {
    let note = Note(fileURL: url)
    note.autosavePolicy = nil
    if let text { note.setText(text) }
    #expect(await note.save(to: url, for: .forCreating))
    return note
  }

  func setText(_ new: String) {
    let old = text
    undoManager.registerUndo(withTarget: self) { $0.setText(old) }
    undoManager.setActionName("Typing")
    text = new
  }

  override func contents(forType typeName: String) throws -> Any {
    calls.append("contents(\(typeName))")
    if refuses { throw Refused() }
    return Data(text.utf8)
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    calls.append("load(\(typeName ?? "nil"))")
    if refusesToLoad { throw Refused() }
    guard let data = contents as? Data, let text = String(data: data, encoding: .utf8) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.text = text
  }

  override func changeCountToken(for saveOperation: SaveOperation) -> Any {
    calls.append("token")
    return super.changeCountToken(for: saveOperation)
  }

  override func updateChangeCount(withToken changeCountToken: Any, for saveOperation: SaveOperation) {
    calls.append("update with token")
    super.updateChangeCount(withToken: changeCountToken, for: saveOperation)
  }

  override var savingFileType: String? {
    calls.append("savingFileType")
    return super.savingFileType
  }

  override func disableEditing() { calls.append("disableEditing") }
  override func enableEditing() { calls.append("enableEditing") }

  override func handleError(_ error: any Error, userInteractionPermitted: Bool) {
    calls.append("handleError")
    errors.append(error)
    super.handleError(error, userInteractionPermitted: userInteractionPermitted)
  }

  /// Returns the calls since the last call of this method.
  func takenCalls() -> [String] {
    defer { calls = [] }
    return calls
  }
}

/// A package with a text and photos, as on iOS: it holds the wrapper that it was loaded from.
final class Album: UIDocument {
  var title = ""
  var errors: [any Error] = []
  private var package = FileWrapper(directoryWithFileWrappers: [:])

  var photos: [String] { (package.fileWrappers ?? [:]).keys.filter { $0.hasSuffix(".png") }.sorted() }

  override init(fileURL url: URL) {
    super.init(fileURL: url)
    recoveryFolder = nil
  }

  func setTitle(_ new: String) {
    let old = title
    undoManager.registerUndo(withTarget: self) { $0.setTitle(old) }
    title = new
    if let child = package.fileWrappers?["Title.txt"] { package.removeFileWrapper(child) }
  }

  func add(_ data: Data, named name: String) {
    undoManager.registerUndo(withTarget: self) { $0.remove(name) }
    package.addRegularFile(withContents: data, preferredFilename: name)
  }

  func remove(_ name: String) {
    guard let photo = package.fileWrappers?[name], let data = photo.regularFileContents else { return }
    undoManager.registerUndo(withTarget: self) { $0.add(data, named: name) }
    package.removeFileWrapper(photo)
  }

  override func handleError(_ error: any Error, userInteractionPermitted: Bool) { errors.append(error) }

  override func contents(forType typeName: String) throws -> Any {
    if package.fileWrappers?["Title.txt"] == nil {
      package.addRegularFile(withContents: Data(title.utf8), preferredFilename: "Title.txt")
    }
    return package
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    guard let package = contents as? FileWrapper, let children = package.fileWrappers else {
      throw CocoaError(.fileReadCorruptFile)
    }
    self.package = package
    title = String(decoding: children["Title.txt"]?.regularFileContents ?? Data(), as: UTF8.self)
  }
}

/// A package that is made anew for each save, as many models do.
final class Pages: UIDocument {
  var pages: [String: String] = [:]

  override init(fileURL url: URL) {
    super.init(fileURL: url)
    (recoveryFolder, autosavePolicy) = (nil, nil)
  }

  override func contents(forType typeName: String) throws -> Any {
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    folder.preferredFilename = "Pages"
    for (name, text) in pages {
      folder.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
    }
    return FileWrapper(directoryWithFileWrappers: ["Pages": folder])
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    let folder = (contents as? FileWrapper)?.fileWrappers?["Pages"]
    pages = (folder?.fileWrappers ?? [:]).mapValues {
      String(decoding: $0.regularFileContents ?? Data(), as: UTF8.self)
    }
  }
}

/// A document that reads and writes its files itself.
final class Database: UIDocument {
  var rows: [String: String] = [:]
  var originals: [URL?] = []
  var deletions = 0
  var moves: [URL] = []
  var changes = 0

  override init(fileURL url: URL) {
    super.init(fileURL: url)
    (recoveryFolder, autosavePolicy) = (nil, nil)
  }

  // A snapshot that is neither bytes nor a tree.
  override func contents(forType typeName: String) throws -> Any { rows }

  override func writeContents(
    _ contents: Any, to url: URL, for saveOperation: SaveOperation, originalContentsURL: URL?
  ) throws {
    originals.append(originalContentsURL)
    guard let rows = contents as? [String: String] else { throw CocoaError(.fileWriteUnknown) }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    for (name, text) in rows { try Data(text.utf8).write(to: url.appendingPathComponent(name)) }
  }

  override func read(from url: URL) throws {
    rows = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) where !name.hasPrefix(".") {
      rows[name] = try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
    }
  }

  override func presentedItemDidMove(to newURL: URL) { moves.append(newURL) }
  override func presentedItemDidChange() { changes += 1 }
  override func accommodatePresentedItemDeletion(completionHandler: @escaping ((any Error)?) -> Void) {
    deletions += 1
    super.accommodatePresentedItemDeletion(completionHandler: completionHandler)
  }
}

/// A document with the simplest text.
class TextDocument: UIDocument {
  var text = ""

  override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
  }
}

/// The number of a file's node.
func fileNumber(of url: URL) throws -> Int? {
  try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber] as? Int
}

/// The texts of a flat file's conflict copies.
func copies(of url: URL) throws -> [String] {
  try ConflictCopy.all(of: url).map { try String(decoding: $0.file().contents(), as: UTF8.self) }
}

/// The text on disk; nil if it cannot be read.
func text(at url: URL) -> String? { try? String(contentsOf: url, encoding: .utf8) }
