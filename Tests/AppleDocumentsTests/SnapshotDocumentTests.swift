import AppleDocuments
import Documents
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A model whose reader and writer work with wrappers.
@MainActor
@Observable
private final class Notebook: ReadableDocument, WritableDocument {
  struct Snapshot: Sendable, Equatable {
    var pages: [String: String] = [:]
  }

  struct Refused: Error {}

  nonisolated static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.notebook", conformingTo: .package)]
  }

  private(set) var pages: [String: String] = [:]
  @ObservationIgnored var log: [String] = []
  @ObservationIgnored nonisolated let refuses = Mutex(false)
  @ObservationIgnored var refusesReading = false

  init(pages: [String: String] = [:]) { self.pages = pages }

  func set(_ name: String, _ text: String?, undoManager: UndoManager?) {
    let old = pages[name]
    undoManager?.registerUndo(withTarget: self) { model in
      MainActor.assumeIsolated { model.set(name, old, undoManager: undoManager) }
    }
    pages[name] = text
  }

  nonisolated func reader(
    configuration: sending ReadConfiguration
  ) -> sending FileWrapperDocumentReader<Snapshot> {
    FileWrapperDocumentReader(configuration) { wrapper in
      guard let children = wrapper.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
      return Snapshot(
        pages: children.compactMapValues {
          $0.regularFileContents.map { String(decoding: $0, as: UTF8.self) }
        })
    }
  }

  func apply(snapshot: sending Snapshot, previous: sending Snapshot?) async throws {
    if refusesReading { throw Refused() }
    log.append("apply \(snapshot.pages.count), before \(previous?.pages.count ?? -1)")
    pages = snapshot.pages
  }

  nonisolated func writer(
    configuration: sending WriteConfiguration
  ) -> sending FileWrapperDocumentWriter<Snapshot> {
    let isRefused = refuses.withLock { $0 }
    return FileWrapperDocumentWriter(configuration) { snapshot, existing in
      if isRefused { throw Refused() }
      let tree = existing ?? FileWrapper(directoryWithFileWrappers: [:])
      for (name, child) in tree.fileWrappers ?? [:]
      where snapshot.pages[name].map({ Data($0.utf8) }) != child.regularFileContents {
        tree.removeFileWrapper(child)
      }
      for (name, text) in snapshot.pages where tree.fileWrappers?[name] == nil {
        tree.addRegularFile(withContents: Data(text.utf8), preferredFilename: name)
      }
      return tree
    }
  }

  func snapshot(contentType: UTType) async throws -> sending Snapshot {
    log.append("snapshot \(contentType.identifier)")
    return Snapshot(pages: pages)
  }
}

/// A model whose reader and writer work with URLs. The writer changes only what differs from `previous`.
private final class Recording: ReadableDocument, WritableDocument, Sendable {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.recording", conformingTo: .package)]
  }

  struct Reader: DocumentReader {
    @concurrent
    func read(
      from source: sending URL, progress: consuming Subprogress
    ) async throws -> sending [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: source.path).filter {
        !$0.hasPrefix(".")
      }
      let manager = progress.start(totalCount: names.count)
      var files: [String: Data] = [:]
      for name in names {
        files[name] = try Data(contentsOf: source.appending(path: name))
        manager.complete(count: 1)
      }
      return files
    }
  }

  struct Writer: DocumentWriter {
    let log: NoteList<String>

    @concurrent
    func write(
      snapshot: sending [String: Data], to destination: sending URL, previous: sending [String: Data]?,
      progress: consuming Subprogress
    ) async throws {
      try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: true)
      var count = 0
      for (name, data) in snapshot where previous?[name] != data {
        try data.write(to: destination.appending(path: name))
        count += 1
      }
      for name in (previous ?? [:]).keys where snapshot[name] == nil {
        try FileManager.default.removeItem(at: destination.appending(path: name))
      }
      log.add("wrote \(count) at a \(destination.pathExtension), before \(previous?.count ?? -1)")
    }
  }

  let log = NoteList<String>()
  let files = Mutex<[String: Data]>([:])

  func reader(configuration: sending ReadConfiguration) -> sending Reader { Reader() }
  func writer(configuration: sending WriteConfiguration) -> sending Writer { Writer(log: log) }

  @MainActor
  func apply(snapshot: sending [String: Data], previous: sending [String: Data]?) async throws {
    files.withLock { [snapshot] in $0 = snapshot }
  }

  @MainActor
  func snapshot(contentType: UTType) async throws -> sending [String: Data] { files.withLock { $0 } }

  func set(_ name: String, _ data: Data?, _ undoManager: UndoManager) {
    let old = files.withLock { $0[name] }
    undoManager.registerUndo(withTarget: self) { $0.set(name, old, undoManager) }
    files.withLock { $0[name] = data }
  }
}

@Suite("A document that is read and written as snapshots", .temporaryDirectory)
@MainActor
struct SnapshotDocumentTests {
  @Test func `is made, closed, opened, edited, saved, undone, redone, saved and opened again`() async throws {
    let url = url("Trip.notebook")
    let new = try await SnapshotDocument.create(at: url, savesByItself: false) { configuration, _ in
      #expect(configuration.fileURL == url)
      return Notebook(pages: ["a": "one", "b": "two"])
    }
    #expect(!new.hasUnsavedChanges && new.documentState == .normal)
    try await new.close()

    let file = try await SnapshotDocument.open(at: url, savesByItself: false) { _, _ in Notebook() }
    let model = file.document
    #expect(model.pages == ["a": "one", "b": "two"] && !file.hasUnsavedChanges)
    model.set("b", "three", undoManager: file.undoManager)
    #expect(file.hasUnsavedChanges)
    let report = try await file.save()
    #expect(report.written == ["b"], "\(report)")
    #expect(!file.hasUnsavedChanges)
    file.undoManager.undo()
    #expect(model.pages["b"] == "two" && file.hasUnsavedChanges)
    file.undoManager.redo()
    #expect(model.pages["b"] == "three" && !file.hasUnsavedChanges)
    file.undoManager.undo()
    #expect(try await file.save().written == ["b"])
    // The type is the model's own, also if no program declares it for the name.
    let snapshot = "snapshot org.example.notebook"
    #expect(model.log == ["apply 2, before -1", snapshot, snapshot])
    try await file.close()
    #expect(file.documentState == .closed)

    let again = try await SnapshotDocument.open(at: url, savesByItself: false) { _, _ in Notebook() }
    #expect(again.document.pages == ["a": "one", "b": "two"])
    try await again.close()
  }

  // SD2
  @Test func `keeps its changes if the model refuses, and closes with the next save`() async throws {
    let url = url("Trip.notebook")
    let file = try await SnapshotDocument.create(at: url, savesByItself: false) { _, _ in
      Notebook(pages: ["a": "one"])
    }
    file.document.set("a", "two", undoManager: file.undoManager)
    file.document.refuses.withLock { $0 = true }
    await #expect(throws: Notebook.Refused.self) { try await file.save() }
    await #expect(throws: Notebook.Refused.self) { try await file.close() }
    #expect(file.hasUnsavedChanges)
    file.document.refuses.withLock { $0 = false }
    try await file.close()
    #expect(try Data(contentsOf: url.appending(path: "a")) == Data("two".utf8))
    await #expect(throws: DocumentError.self) {
      try await SnapshotDocument.create(at: url, savesByItself: false) { _, _ in Notebook() }
    }
  }

  @Test func `applies another program's change, and what a revert reads`() async throws {
    let url = url("Trip.notebook")
    let file = try await SnapshotDocument.create(at: url, savesByItself: false) { _, _ in
      Notebook(pages: ["a": "one"])
    }
    file.document.set("a", "two", undoManager: file.undoManager)
    try await file.revert()
    #expect(file.document.pages == ["a": "one"] && !file.hasUnsavedChanges && !file.undoManager.canUndo)
    try Data("theirs".utf8).write(to: url.appending(path: "b"))
    while file.document.pages["b"] == nil { await Task.yield() }
    #expect(file.document.log.last == "apply 2, before 1" && !file.hasUnsavedChanges)
    try await file.close()
  }

  // MF3
  @Test func `keeps its edits if the model refuses what a revert reads`() async throws {
    let url = url("Trip.notebook")
    let file = try await SnapshotDocument.create(at: url, savesByItself: false) { _, _ in
      Notebook(pages: ["a": "one"])
    }
    let model = file.document
    model.set("a", "two", undoManager: file.undoManager)
    model.refusesReading = true
    await #expect(throws: Notebook.Refused.self) { try await file.revert() }
    #expect(model.pages == ["a": "two"] && file.hasUnsavedChanges && file.undoManager.canUndo)
    model.refusesReading = false
    try await file.close()
    #expect(try Data(contentsOf: url.appending(path: "a")) == Data("two".utf8))
  }

  @Test func `gives its model no snapshot that it refused as the previous one`() async throws {
    let file = try await SnapshotDocument.create(at: url("Trip.notebook"), savesByItself: false) { _, _ in
      Notebook(pages: ["a": "one"])
    }
    file.document.refusesReading = true
    await #expect(throws: Notebook.Refused.self) { try await file.revert() }
    file.document.refusesReading = false
    try await file.revert()
    #expect(file.document.log.last == "apply 1, before -1")
    try await file.close()
  }

  // SD1
  @Test func `gives a writer no earlier snapshot after another program's save`() async throws {
    let url = url("Song.recording")
    let file = try await SnapshotDocument.create(at: url, savesByItself: false) { _, _ in
      let model = Recording()
      model.files.withLock { $0 = ["a": Data("one".utf8)] }
      return model
    }
    let (model, place) = (file.document, url.appending(path: "a"))
    try Data("theirs".utf8).write(to: place)
    while model.files.withLock({ $0["a"] }) != Data("theirs".utf8) { await Task.yield() }
    // The user sets it back to the snapshot that this program saved.
    model.set("a", Data("one".utf8), file.undoManager)
    try await file.save()
    #expect(try Data(contentsOf: place) == Data("one".utf8))
    try await file.close()
  }

  // SD1
  @Test func `lets a writer change a copy of what it wrote last`() async throws {
    let url = url("Song.recording")
    let new = try await SnapshotDocument.create(at: url, savesByItself: false) { _, _ in
      let model = Recording()
      model.files.withLock { $0 = ["a": Data(count: 9000), "b": Data("b".utf8), "c": Data("c".utf8)] }
      return model
    }
    let (model, undo) = (new.document, new.undoManager)
    model.set("b", Data("bb".utf8), undo)
    model.set("c", nil, undo)
    let report = try await new.save()
    #expect(report.written == ["b"] && report.removed == ["c"], "\(report)")
    try await new.close()
    let file = try await SnapshotDocument.open(at: url, savesByItself: false) { _, _ in Recording() }
    #expect(file.document.files.withLock { $0 } == ["a": Data(count: 9000), "b": Data("bb".utf8)])
    file.document.set("b", Data("bbb".utf8), file.undoManager)
    // The writer writes all of it first, and the store only what differs.
    #expect(try await file.save().written == ["b"])
    try await file.close()
    #expect(
      model.log.all + file.document.log.all == [
        "wrote 3 at a recording, before -1", "wrote 1 at a recording, before 3",
        "wrote 2 at a recording, before -1",
      ])
    #expect(file.configuration.makeFileCoordinator().purposeIdentifier.isEmpty == false)
  }
}
