import AppleDocuments
import Documents
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A model in the form of Apple's samples: a class that registers the opposite of each change.
@Observable
// `@unchecked`: only the main actor changes it, and `snapshot(contentType:)` copies it.
final class Shapes: ReferenceFileDocument, @unchecked Sendable {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.shapes", conformingTo: .package)]
  }

  var names: [String]
  /// Called while a snapshot is written.
  @ObservationIgnored let isWriting = Mutex<(@Sendable () -> Void)?>(nil)
  @ObservationIgnored let fails = Mutex(false)

  init(_ names: [String] = []) { self.names = names }

  init(configuration: ReadConfiguration) throws {
    guard let children = configuration.file.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
    names = children.keys.filter { $0.hasSuffix(".shape") }.sorted().map { String($0.dropLast(6)) }
  }

  func snapshot(contentType: UTType) throws -> [String] {
    dispatchPrecondition(condition: .onQueue(.main))
    if fails.withLock({ $0 }) { throw CocoaError(.fileWriteUnknown) }
    return names
  }

  func fileWrapper(snapshot: [String], configuration: WriteConfiguration) throws -> FileWrapper {
    dispatchPrecondition(condition: .notOnQueue(.main))
    isWriting.withLock { $0 }?()
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    let children = tree.fileWrappers ?? [:]
    for (name, child) in children where name.hasSuffix(".shape") && !snapshot.contains("\(name.dropLast(6))")
    {
      tree.removeFileWrapper(child)
    }
    for name in snapshot where children["\(name).shape"] == nil {
      tree.addRegularFile(withContents: Data(name.utf8), preferredFilename: "\(name).shape")
    }
    return tree
  }

  func add(_ name: String, undoManager: UndoManager?) {
    names.append(name)
    undoManager?.registerUndo(withTarget: self) { $0.remove(name, undoManager: undoManager) }
    undoManager?.setActionName("Add \(name)")
  }

  func remove(_ name: String, undoManager: UndoManager?) {
    names.removeAll { $0 == name }
    undoManager?.registerUndo(withTarget: self) { $0.add(name, undoManager: undoManager) }
    undoManager?.setActionName("Add \(name)")
  }
}

@Suite("A document whose model is a class", .temporaryDirectory)
@MainActor
struct ReferenceDocumentTests {
  private typealias Options = DocumentOptions<ModelContent>

  /// Options without autosave and without recovery copies.
  private var quiet: Options {
    var options = Options()
    (options.autosave, options.recoveryFolder) = (nil, nil)
    return options
  }

  private func shapes(at url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".shape") }.sorted()
  }

  @Test func `is made, closed, opened, edited, saved, undone, redone, saved and opened again`() async throws {
    let url = url("Trip.shapes")
    try await ReferenceDocument.create(Shapes(["circle"]), at: url, options: quiet).close()
    #expect(try shapes(at: url) == ["circle.shape"])

    let file = try await ReferenceDocument<Shapes>.open(at: url, options: quiet)
    #expect(file.document.names == ["circle"] && !file.hasUnsavedChanges)
    file.document.add("square", undoManager: file.undoManager)
    #expect(file.hasUnsavedChanges)
    let first = try await file.save()
    #expect(first.written.filter { $0.hasSuffix(".shape") } == ["square.shape"])
    #expect(!file.hasUnsavedChanges && file.undoManager.undoMenuItemTitle == "Undo Add square")

    file.undoManager.undo()
    #expect(file.document.names == ["circle"] && file.hasUnsavedChanges)
    file.undoManager.redo()
    #expect(file.document.names == ["circle", "square"] && !file.hasUnsavedChanges)
    file.undoManager.undo()
    let second = try await file.save()
    #expect(!second.written.contains { $0.hasSuffix(".shape") })
    #expect(!file.hasUnsavedChanges)
    try await file.close()

    let again = try await ReferenceDocument<Shapes>.open(at: url, options: quiet)
    #expect(again.document.names == ["circle"])
    try await again.close()
    #expect(try shapes(at: url) == ["circle.shape"])
  }

  /// Edits a document while `call` writes its snapshot.
  private func edit(
    _ file: ReferenceDocument<Shapes>,
    during call: @escaping @MainActor (ReferenceDocument<Shapes>) async throws -> Void,
    _ body: (ReferenceDocument<Shapes>) -> Void
  ) async throws {
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let edited = DispatchSemaphore(value: 0)
    file.document.isWriting.withLock {
      $0 = {
        continuation.yield()
        edited.wait()
      }
    }
    let writing = Task { try await call(file) }
    for await _ in begun { break }
    body(file)
    file.document.isWriting.withLock { $0 = nil }
    edited.signal()
    try await writing.value
  }

  // MF1, MF2
  @Test func `goes on being edited while its snapshot is written`() async throws {
    let url = url("Trip.shapes")
    let file = try await ReferenceDocument.create(Shapes(), at: url, options: quiet)
    file.document.add("one", undoManager: file.undoManager)
    try await edit(file, during: { _ = try await $0.save() }) {
      $0.document.add("two", undoManager: $0.undoManager)
      $0.undoManager.endEventGrouping()
    }
    try await file.file.synchronize()
    #expect(try shapes(at: url) == ["one.shape"])
    #expect(file.hasUnsavedChanges)
    // Undone up to the snapshot, it is as on disk.
    file.undoManager.undo()
    #expect(!file.hasUnsavedChanges)
    file.undoManager.redo()
    try await file.close()
    #expect(try shapes(at: url) == ["one.shape", "two.shape"])
  }

  @Test(arguments: [false, true])
  func `writes an edit that comes while it closes`(endsItsEvent: Bool) async throws {
    let url = url("Trip.shapes")
    let file = try await ReferenceDocument.create(Shapes(), at: url, options: quiet)
    file.document.add("one", undoManager: file.undoManager)
    try await edit(file, during: { try await $0.close() }) {
      $0.document.add("two", undoManager: $0.undoManager)
      if endsItsEvent { $0.undoManager.endEventGrouping() }
    }
    #expect(try shapes(at: url) == ["one.shape", "two.shape"])
    #expect(!file.hasUnsavedChanges)
  }

  @Test func `saves by itself after an edit, an undo and a redo`() async throws {
    let url = url("Trip.shapes")
    let (saves, continuation) = AsyncStream.makeStream(of: SaveReport.self)
    var options = quiet
    options.autosave = AutosavePolicy(quietPeriod: .milliseconds(1), ceiling: .milliseconds(1))
    options.eventHandler = { if case .saved(let report) = $0 { continuation.yield(report) } }
    let file = try await ReferenceDocument.create(Shapes(), at: url, options: options)
    var reports = saves.makeAsyncIterator()
    _ = await reports.next()
    file.document.add("one", undoManager: file.undoManager)
    _ = await reports.next()
    try await file.file.synchronize()
    #expect(try shapes(at: url) == ["one.shape"])
    file.undoManager.undo()
    _ = await reports.next()
    try await file.file.synchronize()
    #expect(try shapes(at: url) == [])
    file.undoManager.redo()
    _ = await reports.next()
    try await file.close()
    #expect(try shapes(at: url) == ["one.shape"])
  }

  @Test func `keeps its edits if the model refuses`() async throws {
    let url = url("Trip.shapes")
    let file = try await ReferenceDocument.create(Shapes(), at: url, options: quiet)
    file.document.add("one", undoManager: file.undoManager)
    file.document.fails.withLock { $0 = true }
    let error = await #expect(throws: DocumentError.self) { try await file.save() }
    #expect(error?.code == .content && file.hasUnsavedChanges)
    await #expect(throws: DocumentError.self) { try await file.close() }
    file.document.fails.withLock { $0 = false }
    try await file.close()
    #expect(try shapes(at: url) == ["one.shape"])
  }

  @Test func `has a new model after a revert and after another program's change`() async throws {
    let url = url("Trip.shapes")
    let options = with(quiet) { $0.watchesDisk = false }
    let file = try await ReferenceDocument.create(Shapes(["one"]), at: url, options: options)
    let first = file.document
    first.add("two", undoManager: file.undoManager)
    try await file.revert()
    #expect(file.document !== first && file.document.names == ["one"])
    #expect(!file.undoManager.canUndo && !file.hasUnsavedChanges)

    try await file.file.synchronize()
    try Data("three".utf8).write(to: url.appending(path: "three.shape"))
    #expect(try await file.file.checkForExternalChanges() == .reloaded)
    while file.document.names.count < 2 { await Task.yield() }
    #expect(file.document.names == ["one", "three"])
    file.document.remove("one", undoManager: file.undoManager)
    try await file.close()
    #expect(try shapes(at: url) == ["three.shape"])
  }

  @Test func `is not changed by discardable actions`() async throws {
    let file = try await ReferenceDocument.create(Shapes(), at: url("Trip.shapes"), options: quiet)
    file.document.add("selection", undoManager: file.undoManager)
    file.undoManager.setActionIsDiscardable(true)
    file.undoManager.endEventGrouping()
    #expect(!file.hasUnsavedChanges)
    file.undoManager.undo()
    #expect(!file.hasUnsavedChanges)
    file.undoManager.redo()
    #expect(!file.hasUnsavedChanges)
    try await file.close()
  }
}
