import Documents
import DurableIO
import FilePackages
import Foundation
import Glibc
import ImageNotes
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// Open documents of this process, and coordinators of other processes. They find each other in the user's folder.
@Suite("An open document, as a presenter", .tags(.process))
struct DocumentPresenterTests {
  private func withDocument(
    _ change: (inout DocumentOptions<ImageNotes>) -> Void = { _ in },
    _ body: (Document<ImageNotes>, _ path: String, _ other: CoordinatorProcess) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
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
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: URL(filePath: path).appending(path: "Text.txt"), encoding: .utf8)
  }

  @Test func `saves before others read`() async throws {
    try await withDocument { document, path, other in
      try await document.edit { $0.text = "unsaved\n" }
      #expect(try text(path) == "first\n")
      other.send("read r \(path)")
      try await other.expect("r", "began")
      // The visible file has the text: a commit alone is not enough.
      #expect(try text(path) == "unsaved\n")
      #expect(await !document.hasUnsavedChanges)
      other.send("release r")
      try await other.expect("r", "ended")
    }
  }

  @Test func `does not save while others read`() async throws {
    try await withDocument { document, path, other in
      other.send("read r \(path)")
      try await other.expect("r", "began")
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
    let errors = ErrorLog()
    try await withDocument { options in
      options.coordinationDeadline = .milliseconds(200)
      options.errorHandler = { errors.add($0) }
    } _: { document, path, other in
      other.send("write w \(path)")
      try await other.expect("w", "began")
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
      other.send("write w \(path)")
      try await other.expect("w", "began")
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
      other.send("write m \(path) do=move to=\(new)")
      try await other.expect("m", "ended")
      try await withDeadline("the move") {
        while await document.fileURL.path != new { await Task.yield() }
      }
      try await document.edit { $0.text = "there\n" }
      try await document.save()
      try await document.synchronize()
      #expect(try text(new) == "there\n")
    }
  }

  @Test func `closes before others delete it`() async throws {
    try await withDocument { document, path, other in
      other.send("write d \(path) options=1")
      try await other.expect("d", "began")
      #expect(await !document.isOpen)
      other.send("release d")
      try await other.expect("d", "ended")
    }
  }

  @Test func `is told nothing of its own saves`() async throws {
    let events = EventLog()
    try await withDocument { options in
      options.eventHandler = { events.add($0) }
    } _: { document, path, other in
      // Another presenter exists, so the document uses coordination.
      other.send("present p \(path)")
      try await other.expect("p", "presents")
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
      other.send("read r \(path)")
      try await other.expect("r", "began")
      other.send("release r")
      try await other.expect("r", "ended")
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

private final class ErrorLog: Sendable {
  private let errors = Mutex<[DocumentError]>([])
  func add(_ error: DocumentError) { errors.withLock { $0.append(error) } }
  var all: [DocumentError] { errors.withLock { $0 } }
}

private final class EventLog: Sendable {
  private let count = Mutex(0)

  func add(_ event: DocumentEvent) {
    if case .changedByOthers = event { count.withLock { $0 += 1 } }
  }

  var hasChangesByOthers: Bool { count.withLock { $0 > 0 } }
}
