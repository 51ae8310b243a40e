import Documents
import DurableIO
import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A model of the main actor, as it is on Apple's systems.
@MainActor private struct Board: @preconcurrency FileDocument {
  static var readableContentTypes: [UTType] {
    MainActor.assertIsolated()
    return [UTType(exportedAs: "org.example.board", conformingTo: .package)]
  }

  var title: String

  init(_ title: String) { self.title = title }

  init(configuration: ReadConfiguration) throws {
    MainActor.assertIsolated()
    title = try configuration.file.text("title")
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    MainActor.assertIsolated()
    return try (configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])).with(title)
  }
}

/// The same, but only its members that read and write belong to the main actor.
private struct Slate: FileDocument {
  static let readableContentTypes = [UTType(exportedAs: "org.example.board", conformingTo: .package)]
  static let writableContentTypes = readableContentTypes
  var title: String

  init(_ title: String) { self.title = title }

  @MainActor init(configuration: ReadConfiguration) throws {
    MainActor.assertIsolated()
    title = try configuration.file.text("title")
  }

  @MainActor func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    MainActor.assertIsolated()
    return try (configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])).with(title)
  }
}

/// A class of the main actor.
@MainActor private final class Wall: @preconcurrency FileDocument {
  static var readableContentTypes: [UTType] { Board.readableContentTypes }
  var title: String

  init(_ title: String) { self.title = title }
  init(configuration: ReadConfiguration) throws { title = try configuration.file.text("title") }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    MainActor.assertIsolated()
    return try (configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])).with(title)
  }
}

extension FileWrapper {
  fileprivate func text(_ name: String) throws -> String {
    String(decoding: try child(named: name)?.contents() ?? Data(), as: UTF8.self)
  }

  fileprivate func with(_ title: String) throws -> FileWrapper {
    try put(Data(title.utf8), named: "title")
    return self
  }
}

/// Generic code of a program awaits the method.
private func written<Content: FileDocument>(_ content: Content) async throws -> FileWrapper {
  let type = Content.writableContentTypes[0]
  return try await content.fileWrapper(configuration: .init(contentType: type, existingFile: nil))
}

/// An actor that runs nothing.
private actor Stuck {
  private final class Executor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {}
  }

  private nonisolated let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  func answer() -> Int { 1 }
}

@Suite("A model of the main actor", .temporaryDirectory)
struct MainActorContentTests {
  @Test func `is made, saved, saved elsewhere, reverted and read there`() async throws {
    let (url, copy) = (url("A.board"), url("B.board"))
    let document = try await Document.create(await Board("one"), at: url, options: .quiet(nil))
    try await document.edit { $0.title = "two" }
    #expect(try await document.save().written.filter { $0 != "Metadata.plist" } == ["title"])
    try await document.undo()
    try await document.save()
    try await document.edit { $0.title = "three" }
    try await document.save(to: copy, for: .forCreating)
    try await document.edit { $0.title = "four" }
    try await document.revert(toContentsOf: copy)
    #expect(try await document.content.title == "three")
    try await document.close()
    #expect(try await Document<Board>.open(at: url).content.title == "one")
    let store = try await PackageStore.open(at: copy)
    #expect(try await store.content(as: Board.self).title == "three")
    #expect(try await store.save(await Board("five")).written.contains("title"))
    try await store.close()
  }

  @Test @MainActor func `does not make the main actor wait`() async throws {
    try await withDeadline("the document") {
      let url = url("A.board")
      let document = try await ObservableDocument.create(await Board("one"), at: url, options: .quiet(nil))
      try await document.edit { $0.title = "two" }
      try await document.close()
      #expect(try await Document<Board>.open(at: url).content.title == "two")
    }
  }

  @Test func `may have only some members there`() async throws {
    let url = url("A.board")
    try await Document.create(Slate("one"), at: url, options: .quiet(nil)).close()
    let document = try await Document<Slate>.open(at: url, options: .quiet(nil))
    #expect(try await document.content.title == "one")
    try await document.edit { $0.title = "two" }
    try await document.close()
    #expect(try await Document<Board>.open(at: url).content.title == "two")
  }

  @Test func `may be a class`() async throws {
    let url = url("A.board")
    let wall = await Wall("one")
    let document = try await Document.create(wall, at: url, options: .quiet(nil))
    await MainActor.run { wall.title = "two" }
    await document.updateChangeCount(.done)
    try await document.close()
    let again = try await Document<Wall>.open(at: url).content
    #expect(await again.title == "two")
  }

  @Test @MainActor func `is met by generic code`() async throws {
    #expect(try await written(Board("one")).child(named: "title")?.contents() == Data("one".utf8))
  }

  @Test func `gets a sentence if its actor does not run`() async throws {
    let stuck = Stuck()
    let error = await BlockingThread().run {
      #expect(throws: UnansweredCall.self) {
        try waitBlocking(within: .milliseconds(1)) { await stuck.answer() }
      }
    }
    #expect(error?.description.contains("the main actor ran nothing for 0 seconds") == true)
    #expect("\(UnansweredCall())".contains("30 seconds"))
  }

  @Test func `runs the code of no actor on the calling thread`() async throws {
    let (own, called, answer) = try await BlockingThread().run { () throws in
      let called = try waitBlocking { Self.thread() }
      return (Self.thread(), called, try waitBlocking { await MainActor.run { 2 } })
    }
    #expect(called == own && answer == 2)
  }

  private static func thread() -> pthread_t { pthread_self() }
}
