import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// The order of calls, as in `UIDocument`: requests to the disk, calls of the content, events, and returns.
@Suite("The order of calls")
struct CallOrderTests {
  private typealias DocumentFixture = DocumentsTests.DocumentFixture<Logged>

  /// Pages that note each call.
  struct Logged: DocumentContent {
    static var readableContentTypes: [UTType] { Pages.readableContentTypes }
    /// The calls in order; repeated calls in a row are one line.
    static let log = Mutex<NoteList<String>?>(nil)
    var pages: Pages

    init(_ pages: Pages) { self.pages = pages }
    init(configuration: ReadConfiguration) throws {
      Self.log.withLock { $0 }?.addNew("init(configuration:)")
      pages = try Pages(configuration: configuration)
    }
    func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
      Self.log.withLock { $0 }?.addNew("fileWrapper(configuration:)")
      return try pages.fileWrapper(configuration: configuration)
    }
  }

  @Test func `is that of UIDocument`() async throws {
    let log = NoteList<String>()
    Logged.log.withLock { $0 = log }
    defer { Logged.log.withLock { $0 = nil } }
    let switchable = FaultyDisk(try CrashDisk())
    // Requests that only read, and requests that change, each as one line.
    let disk = CountingDisk(switchable.disk) { event in
      if event.operation == .synchronizeData || event.operation == .synchronize { log.addNew("flush") }
    }
    func options(_ options: inout DocumentOptions<Logged>) {
      options.errorHandler = { log.addNew("error \($0.code)") }
      options.eventHandler = { event in
        switch event {
        case .stateChanged(let state): log.addNew("state \(state)")
        case .saved: log.addNew("saved")
        case .published: log.addNew("published")
        case .changedByOthers(let outcome, _): log.addNew("\(outcome)")
        case .moved: log.addNew("moved")
        }
      }
    }
    func expect(_ call: String, _ lines: String..., at location: SourceLocation = #_sourceLocation) {
      log.addNew(call)
      #expect(log.taken() == lines + [call], sourceLocation: location)
    }

    let document = try await DocumentFixture.create(Logged(Pages(["a.txt": "one"])), on: disk, options)
    expect(
      "save(to:for:) returns", "state closed, progressAvailable", "fileWrapper(configuration:)", "flush",
      "state normal", "saved")

    try await document.close()
    expect("close() returns", "state editingDisabled", "state closed, editingDisabled", "state closed")

    try await document.open()
    expect("open() returns", "state closed, progressAvailable", "init(configuration:)", "state normal")

    try await document.edit { $0.pages["a.txt"] = "two" }
    try await document.save()
    expect(
      "save() returns", "state progressAvailable", "fileWrapper(configuration:)", "flush", "state normal",
      "saved")

    // By Apple's documentation, no callback follows a failure of `contents(forType:)`; here the call throws.
    try await document.edit { $0.pages["a.txt"] = Pages.poison }
    await #expect(throws: DocumentError.self) { try await document.save() }
    expect(
      "save() throws", "state progressAvailable", "fileWrapper(configuration:)", "state savingError",
      "error content")

    try await document.revert(toContentsOf: DocumentFixture.url)
    expect(
      "revert(toContentsOf:) returns", "state savingError, editingDisabled",
      "state savingError, editingDisabled, progressAvailable", "init(configuration:)",
      "state editingDisabled", "state normal")

    try await document.edit { $0.pages["a.txt"] = "three" }
    switchable.fail(.changes(from: 0), with: .noSpace)
    await #expect(throws: DocumentError.self) { try await document.close() }
    log.addNew("close() throws")
    #expect(log.taken().filter { $0 != "fileWrapper(configuration:)" }.suffix(4).contains("error file"))
    switchable.stopFailing()
    try await document.close()
    #expect(log.taken().last == "state closed")

    let missing = Document<Logged>(
      fileURL: URL(filePath: "/None.pages"), options: .quiet(nil, options), on: .test(disk))
    await #expect(throws: DocumentError.self) { try await missing.open() }
    expect("open() throws", "state closed, progressAvailable", "state closed", "error file")
  }

  /// The application's code runs beside the document when it reads and writes: it may take its time.
  @Test func `lets the user go on while the content is read and written`() async throws {
    /// A content that waits in each reading and writing until the user has edited.
    struct Waiting: DocumentContent {
      static var readableContentTypes: [UTType] { Pages.readableContentTypes }
      static let edits = Atomic(0)
      static let waits = Atomic(0)
      var number = 0

      init() {}
      init(configuration: ReadConfiguration) throws { number = Self.wait() }
      func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
        let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
        if Self.edits.load(ordering: .acquiring) > 0 { _ = Self.wait() }
        try tree.setDescendant(FileWrapper(regularFileWithContents: Data("\(number)".utf8)), at: "number.txt")
        return tree
      }

      /// Blocks its thread until there is another edit.
      private static func wait() -> Int {
        let edits = edits.load(ordering: .acquiring)
        waits.add(1, ordering: .releasing)
        while Self.edits.load(ordering: .acquiring) == edits {}
        return edits
      }
    }

    let document = try await DocumentsTests.DocumentFixture<Waiting>.create(Waiting(), on: try CrashDisk())
    try await document.edit { $0.number = 1 }
    Waiting.edits.store(1, ordering: .releasing)
    for wait in 1...2 {
      let saving = Task { try await document.save() }
      while Waiting.waits.load(ordering: .acquiring) < wait { await Task.yield() }
      try await document.edit { $0.number += 1 }
      Waiting.edits.add(1, ordering: .releasing)
      _ = try await saving.value
      #expect(await document.hasUnsavedChanges)
    }
    #expect(try await document.content.number == 3)
  }
}
