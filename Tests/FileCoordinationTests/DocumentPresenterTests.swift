import Documents
import DurableIO
import Foundation
import Glibc
import ImageNotes
import SystemPackage
import TestSupport
import Testing

/// Open documents of this process, and coordinators of other processes. They find each other in the user's folder.
@Suite("An open document, as a presenter", .tags(.process), .temporaryDirectory)
struct DocumentPresenterTests {
  private func withDocument(
    _ change: (inout DocumentOptions<ImageNotes>) -> Void = { _ in },
    _ body: (Document<ImageNotes>, _ path: String, _ other: CoordinatorProcess) async throws -> Void
  ) async throws {
    let url = URL(filePath: folder.appending("Trip.imageNotes").string).resolvingSymlinksInPath()
    var options = DocumentOptions<ImageNotes>()
    options.autosave = nil
    options.recoveryFolder = nil
    options.watchesDisk = false
    change(&options)
    let document = try await Document.create(ImageNotes(text: "first\n"), at: url, options: options)
    try await body(document, url.path, CoordinatorProcess(nil))
    try await document.close(discardingChanges: true)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: path).appending(path: "Text.txt"), encoding: .utf8)
  }

  /// Does something when a document is about to write.
  private final class Neighbour: FilePresenter {
    let presentedItemURL: URL?
    private let act: @Sendable () async -> Void

    init(at path: String, _ act: @escaping @Sendable () async -> Void) {
      presentedItemURL = URL(filePath: path)
      self.act = act
    }

    func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
      await act()
      return nil
    }
  }

  // D3
  @Test func `keeps what others wrote if earlier edits come back while its save waits`() async throws {
    try await withDocument { document, path, _ in
      try Data("theirs\n".utf8).write(to: URL(filePath: path).appending(path: "Text.txt"))
      #expect(try await document.checkForExternalChanges() == .reloaded)
      let neighbour = Neighbour(at: path) {
        await document.resume(withEarlierEdits: ImageNotes(text: "ours\n"), clashingAt: ["Text.txt"])
      }
      try await FileCoordinator.addFilePresenter(neighbour)
      await document.updateChangeCount(.done)
      try await document.save()
      await FileCoordinator.removeFilePresenter(neighbour)
      #expect(try text(path) == "ours\n")
      let kept = try #require(try await document.conflictVersionURLs().first)
      #expect(try text(kept.path) == "theirs\n")
    }
  }

  @Test func `resolves a conflict in turn with others`() async throws {
    try await withDocument { document, path, _ in
      try Data("theirs\n".utf8).write(to: URL(filePath: path).appending(path: "Text.txt"))
      try await document.edit { $0.text = "ours\n" }
      try await document.save()
      #expect(await document.documentState == .inConflict)
      let asked = NoteList<String>()
      let neighbour = Neighbour(at: path) { asked.add("relinquishes") }
      try await FileCoordinator.addFilePresenter(neighbour)
      #expect(try await !document.resolveConflicts(with: ConflictResolver { _ in .undecided }))
      #expect(asked.all.isEmpty)
      #expect(try await document.resolveConflicts(with: ConflictResolver { .keep($0.versions[0].version) }))
      await FileCoordinator.removeFilePresenter(neighbour)
      #expect(asked.all == ["relinquishes"])
      #expect(try text(path) == "theirs\n")
    }
  }

  @Test func `saves before others read`() async throws {
    try await withDocument { document, path, other in
      try await document.edit { $0.text = "unsaved\n" }
      #expect(try text(path) == "first\n")
      try await other.send("read r \(path)", until: "began")
      // The visible file has the text: a commit alone is not enough.
      #expect(try text(path) == "unsaved\n")
      #expect(await !document.hasUnsavedChanges)
      try await other.send("release r", until: "ended")
    }
  }

  @Test func `does not save while others read`() async throws {
    try await withDocument { document, path, other in
      try await other.send("read r \(path)", until: "began")
      try await document.edit { $0.text = "later\n" }
      let saving = Task { try await document.save() }
      // The document is not alone, so it waits in the same queue as all accesses (DC1).
      let claims = CoordinatorFolder.claims
      try await withDeadline("two claims") {
        while try claims().filter({ $0.contains(".") }).count < 2 { await Task.yield() }
      }
      #expect(try text(path) == "first\n")
      other.send("release r")
      _ = try await saving.value
      #expect(try text(path) == "later\n")
    }
  }

  @Test func `goes on without one that does not end, and says so`() async throws {
    // The document saves after its deadline (DC2).
    let errors = NoteList<DocumentError>()
    try await withDocument { options in
      options.coordinationDeadline = .milliseconds(200)
      options.errorHandler = { errors.add($0) }
    } _: { document, path, other in
      try await other.send("write w \(path)", until: "began")
      other.signal(SIGSTOP)
      try await document.edit { $0.text = "all the same\n" }
      try await document.save()
      try await document.synchronize()
      #expect(try text(path) == "all the same\n")
      let error = try #require(errors.all.first)
      #expect(error.code == .coordination && "\(error)".contains("(process \(other.number) on"))
      other.signal(SIGCONT)
    }
  }

  @Test func `reads what others wrote, once they are done`() async throws {
    try await withDocument { document, path, other in
      try await other.send("write w \(path)", until: "began")
      try Data("from elsewhere\n".utf8).write(to: URL(filePath: path).appending(path: "Text.txt"))
      other.send("release w")
      try await withDeadline("the other text") {
        while try await document.content.text != "from elsewhere\n" { await Task.yield() }
      }
    }
  }

  @Test func `follows a coordinated move`() async throws {
    try await withDocument { document, path, other in
      let new = path.replacing("Trip", with: "Away")
      try await other.send("write m \(path) do=move to=\(new)", until: "ended")
      try await withDeadline("the move") { while await document.fileURL.path != new { await Task.yield() } }
      try await document.edit { $0.text = "there\n" }
      try await document.save()
      try await document.synchronize()
      #expect(try text(new) == "there\n")
    }
  }

  @Test func `closes before others delete it`() async throws {
    try await withDocument { document, path, other in
      try await other.send("write d \(path) options=1", until: "began")
      #expect(await !document.isOpen)
      try await other.send("release d", until: "ended")
    }
  }

  @Test func `is told nothing of its own saves`() async throws {
    let events = NoteList<DocumentEvent>()
    try await withDocument { options in
      options.eventHandler = { events.add($0) }
    } _: { document, path, other in
      // Another presenter exists, so the document uses coordination.
      try await other.send("present p \(path)", until: "presents")
      try await document.edit { $0.text = "own\n" }
      try await document.save()
      try await other.expect("p", "relinquishes-to-writer")
      try await other.expect("p", "is-changed")
      try await document.synchronize()
      #expect(!events.hasChangesByOthers)
    }
  }

  /// Neither waits for anything that may wait for the other.
  @Test func `and another one of the same package both save`() async throws {
    try await withDocument { document, path, other in
      var options = DocumentOptions<ImageNotes>()
      (options.autosave, options.recoveryFolder, options.watchesDisk) = (nil, nil, false)
      options.merge = { merge in merge.ours }
      let second = try await Document<ImageNotes>.open(at: URL(filePath: path), options: options)
      for turn in 0..<10 {
        try await document.edit { $0.text = "one \(turn)\n" }
        async let one = document.save()
        async let two = second.checkForExternalChanges()
        _ = try await (one, two)
        try await second.edit { $0.customName = "Two \(turn)" }
        async let three = second.save()
        async let four = document.checkForExternalChanges()
        _ = try await (three, four)
      }
      try await second.close()
    }
  }

  @Test func `ends its presenting with its closing`() async throws {
    try await withDocument { document, path, other in
      try await document.close()
      #expect(await document.filePresenter == nil)
      try await other.send("read r \(path)", until: "began")
      try await other.send("release r", until: "ended")
    }
  }
}

private enum CoordinatorFolder {
  @Sendable static func claims() throws -> [String] {
    let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { $0 + "/filepackages" }
    let folder = runtime ?? "/tmp/filepackages-\(geteuid())"
    return try FileManager.default.contentsOfDirectory(atPath: folder + "/claims")
  }
}

extension NoteList<DocumentEvent> {
  fileprivate var hasChangesByOthers: Bool {
    all.contains { if case .changedByOthers = $0 { true } else { false } }
  }
}
