import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("What a document tells of itself")
struct DocumentEventTests {
  private final class Listener: Sendable {
    private let lines = NoteList<String>()

    func tell(_ event: DocumentEvent) {
      let line =
        switch event {
        case .stateChanged(let state): "state \(state)"
        case .saved(let report): "saved \(report.written.filter { $0 != "Metadata.plist" })"
        case .published(let report): "published \(report.written)"
        case .changedByOthers(let outcome, let paths): "\(outcome) \(paths)"
        case .moved(let url): "moved \(url.path)"
        }
      lines.add(line)
    }

    /// Returns the lines since the last call of this method.
    func heard() -> [String] { lines.taken() }
  }

  @Test func `comes in order, once, and before the call returns`() async throws {
    let (disk, listener) = (try CrashDisk(), Listener())
    let document = try await Trip.create(Pages(["a.txt": "a"]), on: disk) { options in
      options.merge = Pages.merge
      options.eventHandler = { listener.tell($0) }
    }
    #expect(listener.heard() == ["state closed, progressAvailable", "state normal", #"saved ["a.txt"]"#])
    try await document.edit { $0["a.txt"] = "mine" }
    #expect(listener.heard() == [])
    try await document.save()
    #expect(listener.heard() == ["state progressAvailable", "state normal", #"saved ["a.txt"]"#])

    try await document.synchronize()
    try disk.replace("b.txt", "theirs", in: Trip.path)
    try await document.checkForExternalChanges()
    #expect(listener.heard() == [#"reloaded ["b.txt"]"#])
    try await document.edit { $0["a.txt"] = "mine again" }
    try disk.replace("b.txt", "theirs again", in: Trip.path)
    try await document.checkForExternalChanges()
    #expect(listener.heard() == [#"merged ["b.txt"]"#])
    try disk.replace("a.txt", "theirs", in: Trip.path)
    try await document.checkForExternalChanges()
    #expect(listener.heard() == ["state inConflict", #"conflict ["a.txt"]"#])
    try await document.removeConflictVersions(document.conflictVersions())
    #expect(listener.heard() == ["state normal"])

    let folder = try disk.openDirectory(at: "/")
    try disk.rename("Trip.pages", in: folder, to: "Tour.pages", in: folder, .replace)
    await document.presentedItemDidMove(to: URL(filePath: "/Tour.pages"))
    #expect(listener.heard() == ["moved /Tour.pages"])
    try disk.removeEntries(of: disk.openDirectory(at: "/Tour.pages"))
    try disk.removeDirectory("Tour.pages", in: folder)
    #expect(try await document.checkForExternalChanges() == .deleted)
    #expect(
      listener.heard() == [
        "state editingDisabled", "state closed, editingDisabled", "deleted []", "state closed",
      ])
  }

  /// Pages that report each reading.
  private struct Told: DocumentContent {
    static var readableContentTypes: [UTType] { Pages.readableContentTypes }
    static let whenRead = Mutex<(@Sendable () -> Void)?>(nil)
    var pages: Pages

    init(_ pages: Pages) { self.pages = pages }
    init(configuration: ReadConfiguration) throws {
      pages = try Pages(configuration: configuration)
      Self.whenRead.withLock { $0 }?()
    }
    func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
      try pages.fileWrapper(configuration: configuration)
    }
  }

  /// A reload takes no edit away that comes between the reading and the taking in.
  @Test func `of reading anew takes no edit away that was made meanwhile`() async throws {
    // The edit comes between two steps of the reading, and stays (D1).
    let disk = try CrashDisk()
    let document = try await DocumentFixture<Told>.create(
      Told(Pages(["a.txt": "a", "b.txt": "b"])), on: disk
    ) {
      $0.merge = { input in
        let sides = (input.base.pages, input.ours.pages, input.theirs.pages)
        return Pages.merge(.init(base: sides.0, ours: sides.1, theirs: sides.2, paths: input.paths)).map(
          Told.init)
      }
    }
    for number in 0..<300 {
      try disk.replace("b.txt", "theirs \(number)", in: Trip.path)
      let edited = Mutex<Task<Void, any Error>?>(nil)
      Told.whenRead.withLock { hook in
        hook = {
          edited.withLock {
            $0 = $0 ?? Task { try await document.edit { $0.pages["a.txt"] = "mine \(number)" } }
          }
        }
      }
      try await document.checkForExternalChanges()
      Told.whenRead.withLock { $0 = nil }
      try await #require(edited.withLock { $0 }).value
      #expect(
        try await document.content.pages == Pages(["a.txt": "mine \(number)", "b.txt": "theirs \(number)"]))
      try await document.saveAndPublish()
    }
  }
}
