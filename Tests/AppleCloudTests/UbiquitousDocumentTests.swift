import AppleCloud
import CloudContainers
import StoreTestSupport
import TestSupport
import Testing

/// A text document, as on iOS.
private final class Note: UIDocument {
  var text = ""
  var errors: [any Error] = []

  override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
    text = String(decoding: data, as: UTF8.self)
  }

  override func handleError(_ error: any Error, userInteractionPermitted: Bool) { errors.append(error) }
}

/// A package with one text, as on iOS.
private final class Page: UIDocument {
  static let type = UTType(
    exportedAs: "org.example.cloud-page", conformingTo: .package, filenameExtension: "cloudpage")

  private(set) var text = ""

  func setText(_ new: String) {
    text = new
    updateChangeCount(.done)
  }

  override func contents(forType typeName: String) throws -> Any {
    FileWrapper(directoryWithFileWrappers: ["Text.txt": FileWrapper(regularFileWithContents: Data(text.utf8))]
    )
  }

  override func load(fromContents contents: Any, ofType typeName: String?) throws {
    guard let tree = contents as? FileWrapper, tree.isDirectory else {
      throw CocoaError(.fileReadCorruptFile)
    }
    text = String(decoding: tree.fileWrappers?["Text.txt"]?.regularFileContents ?? Data(), as: UTF8.self)
  }
}

/// A package whose type nobody declares.
private final class Clip: UIDocument {
  override func contents(forType typeName: String) throws -> Any {
    FileWrapper(directoryWithFileWrappers: [
      "sync.json": FileWrapper(regularFileWithContents: Data("{}".utf8))
    ])
  }
}

@Suite("A UIDocument in a container", .cloud)
@MainActor
struct UbiquitousDocumentTests {
  /// A text that is more than the small content that goes with its version.
  private static let text = String(repeating: "The hut at last.\n", count: 20_000)

  @Test func `downloads its content when it is opened, and shows the progress`() async throws {
    try await cloud.writeThere(Self.text, to: "Documents/Hut.txt")
    let note = Note(fileURL: cloud.documents.appending(path: "Hut.txt"))
    let states = States(note)
    cloud.store.close()
    #expect(note.progress == nil)
    let opening = Task { await note.open() }
    try await CloudFixture.wait(for: "the progress") { await note.progress != nil }
    #expect(note.documentState == [.closed, .progressAvailable])
    let progress = try #require(note.progress)
    #expect(!progress.isFinished && progress.isCancellable)
    cloud.store.open()
    #expect(await opening.value)
    #expect(note.text == Self.text && note.progress == nil && note.documentState == .normal)
    #expect(progress.isFinished && progress.totalUnitCount > 1000)
    #expect(states.states == [[.closed, .progressAvailable], .closed, .normal])
    #expect(await note.close())
  }

  @Test func `is one document, also if nobody has declared its type`() async throws {
    let url = cloud.documents.appending(path: "One.clipbook")
    let clip = Clip(fileURL: url)
    #expect(await clip.save(to: url, for: .forCreating))
    #expect(await clip.close())
    try await cloud.syncBoth()
    try await cloud.syncBoth()
    #expect(try await cloud.there.items().map(\.name) == ["Documents/One.clipbook"])
    // A package of another place has no mark.
    let local = cloud.local.appending(path: "Two.clipbook")
    try CloudFixture.write("{}", to: local.appending(path: "sync.json"))
    let error = #expect(throws: CocoaError.self) {
      try FileManager.default.setUbiquitous(
        true, itemAt: local, destinationURL: cloud.documents.appending(path: "Two.clipbook"))
    }
    #expect(error?.code == .featureUnsupported && "\(error as Any)".contains("UTType.declare"))
  }

  @Test func `stays closed if its download is cancelled`() async throws {
    try await cloud.writeThere(Self.text, to: "Documents/Hut.txt")
    let note = Note(fileURL: cloud.documents.appending(path: "Hut.txt"))
    cloud.store.close()
    let opening = Task { await note.open() }
    try await CloudFixture.wait(for: "the progress") { await note.progress != nil }
    note.progress?.cancel()
    #expect(await !opening.value)
    #expect(note.documentState == .closed && note.progress == nil && note.errors.count == 1)
    cloud.store.open()
    #expect(await note.open())
    #expect(note.text == Self.text)
    #expect(await note.close())
  }

  @Test func `follows its move into the container`() async throws {
    let (local, remote) = (cloud.local.appending(path: "Hut.txt"), cloud.documents.appending(path: "Hut.txt"))
    let note = Note(fileURL: local)
    note.text = "one"
    #expect(await note.save(to: local, for: .forCreating))
    try await withDeadline("the move") {
      try await waiting { try FileManager.default.setUbiquitous(true, itemAt: local, destinationURL: remote) }
    }
    try await CloudFixture.wait(for: "the new place") { await note.fileURL.path == remote.path }
    note.text = "two"
    note.updateChangeCount(.done)
    #expect(await note.close())
    #expect(note.errors.map { "\($0)" } == [])
    #expect(CloudFixture.text(at: remote) == "two" && CloudFixture.text(at: local) == nil)
  }

  @Test func `shows the edit of another machine as a conflict version, and ends the conflict`() async throws {
    #expect(Page.type.isDeclared)
    let name = "Documents/Hut.cloudpage"
    let (here, there) = (
      Page(fileURL: cloud.here.url.appending(path: name)),
      Page(fileURL: cloud.there.url.appending(path: name))
    )
    here.setText("Rain\n")
    #expect(await here.save(to: here.fileURL, for: .forCreating))
    try await cloud.here.sync()
    try await cloud.there.sync()
    try await cloud.there.download(itemNamed: name)
    #expect(await there.open())
    there.setText("Snow\n")
    #expect(await there.close())
    here.setText("Sun\n")
    #expect(await here.save(to: here.fileURL, for: .forOverwriting))
    try await cloud.syncBoth()
    try await CloudFixture.wait(for: "the conflict") { await here.documentState.contains(.inConflict) }

    let url = here.fileURL
    let texts = try await waiting {
      let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
      let present = CloudFixture.text(at: url.appending(path: "Text.txt"))
      return [present] + versions.map { CloudFixture.text(at: $0.url.appending(path: "Text.txt")) }
    }
    #expect(Set(texts) == ["Snow\n", "Sun\n"])
    try await waiting {
      let version = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.first)
      try version.replaceItem(at: url)
    }
    #expect(await here.revert(toContentsOf: url))
    try await waiting {
      for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
        version.isResolved = true
      }
      try NSFileVersion.removeOtherVersionsOfItem(at: url)
    }
    try await CloudFixture.wait(for: "its end") { await !here.documentState.contains(.inConflict) }
    #expect([here.text] == texts.dropFirst().compactMap { $0 })
    #expect(await here.close())
    try await cloud.here.sync()
    #expect(try await cloud.here.items().map(\.hasUnresolvedConflicts) == [false])
  }

  /// The states that a document posts.
  @MainActor
  private final class States {
    private(set) var states: [UIDocument.State] = []
    private var observer: (any NSObjectProtocol)?

    init(_ document: UIDocument) {
      observer = NotificationCenter.default.addObserver(
        forName: UIDocument.stateChangedNotification, object: document, queue: nil
      ) { [weak self, weak document] _ in
        MainActor.assumeIsolated { if let document { self?.states.append(document.documentState) } }
      }
    }
  }
}
