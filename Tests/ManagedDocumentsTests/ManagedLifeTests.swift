import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("The life of a document with a database", .temporaryDirectory)
struct ManagedLifeTests {
  // A save publishes the files (MP1), and a new revision marks it (MS2).
  @Test func `is made, edited, saved, closed and opened by one call each`() async throws {
    let book = try await fixture.open()
    #expect(try fixture.names() == [".docpkg", "AdditionalContent", "Metadata.plist", "StoreContent"])
    #expect(await book.documentState == .normal)
    #expect(await !book.hasUnsavedChanges)
    #expect(await book.localizedName == "Recipes")

    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    #expect(await book.hasUnsavedChanges)
    #expect(try fixture.visibleFiles == [:], "files are published by a save")
    let report = try await book.save()
    #expect(report.written == ["AdditionalContent/Pictures/1.jpeg", "Metadata.plist"])
    #expect(!report.isPublished && report.warnings.isEmpty && report.synchronizations == 1)
    #expect(await !book.hasUnsavedChanges)
    try await book.synchronize()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    #expect(try fixture.generation == 2)
    #expect(
      try await PackageStore.reading(at: fixture.url) { try await $0.metadata() }?.contentType == .package)

    try await book.close()
    #expect(await book.documentState == .closed)
    #expect(try fixture.names(in: "StoreContent") == ["persistentStore"], "the log is in the database's file")
    #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])

    let again = try await fixture.open()
    #expect(
      try await again.book
        == Book(recipes: [Recipe(id: 1, title: "Rösti")], files: ["Pictures/1.jpeg": "golden"]))
    #expect(await !again.hasUnsavedChanges)
    try await again.close()
  }

  @Test func `saves and closes within an access of the program, which is a part of it`() async throws {
    let book = try await fixture.openRösti()
    let isSaved = await book.performAsynchronousFileAccess {
      // The test reads the outcome below.
      _ = try? await book.save()
      let isSaved = await !book.hasUnsavedChanges
      _ = try? await book.close()
      return isSaved
    }
    #expect(isSaved)
    #expect(await book.documentState == .closed)
  }

  @Test func `saves nothing unchanged`() async throws {
    let book = try await fixture.open()
    #expect(try await book.save().strategy == .none)
    try await book.edit { _, _ in }
    #expect(await !book.hasUnsavedChanges)
    try await book.add(Recipe(id: 1, title: "Rösti"))
    #expect(try await book.save().strategy == .database)
    #expect(try await book.save().strategy == .none)
    try await book.synchronize()
    #expect(try fixture.generation == 2)
    #expect(
      try await PackageStore.reading(at: fixture.url) { try await $0.metadata() }?.contentType == .package)
    try await book.close()
  }

  // (MT1, MD1): rows and files change together.
  @Test func `has all of an edit or nothing of it`() async throws {
    struct Refusal: Error {}
    let book = try await fixture.openRösti(picture: "golden")
    let before = try await book.book
    await #expect(throws: Refusal.self) {
      try await book.edit { db, content in
        try Recipe(id: 2, title: "Soup").insert(db)
        try content.write("Pictures/2.jpeg", Data("red".utf8))
        try content.remove("Pictures/1.jpeg")
        throw Refusal()
      }
    }
    #expect(try await book.book == before)
    // A constraint is the caller's own error.
    await #expect(throws: DatabaseError.self) { try await book.add(Recipe(id: 1, title: "Twice")) }
    #expect(try await book.book == before)
    try await book.close()
  }

  @Test func `writes, replaces, moves and removes small and large files`() async throws {
    let large = String(repeating: "0123456789abcdef", count: 20_000)
    let book = try await fixture.open()
    try await book.edit { _, content in
      try content.write("small", Data("one".utf8))
      try content.write("a/b/large", Data(large.utf8))
    }
    #expect(try await book.book.files == ["small": "one", "a/b/large": large])
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["small": "one", "a/b/large": large])

    let source = URL(filePath: fixture.folder.appending("source").string)
    try Data((large + "!").utf8).write(to: source)
    try await book.edit { _, content in
      try content.write("small", Data("two".utf8))
      try content.move("a/b/large", to: "c/large")
      try content.write("copied", contentsOf: source)
      #expect(try content.read("c/large").count == large.utf8.count)
      #expect(try content.size(of: "copied") == large.utf8.count + 1)
    }
    let expected = ["small": "two", "c/large": large, "copied": large + "!"]
    #expect(try await book.book.files == expected)
    #expect(try fixture.visibleFiles == ["small": "one", "a/b/large": large])
    #expect(try await book.save().removed == ["AdditionalContent/a/b/large"])
    try await book.synchronize()
    #expect(try fixture.visibleFiles == expected)
    #expect(try fixture.names(in: "AdditionalContent") == ["c", "copied", "small"], "empty folders go")

    try await book.edit { _, content in for path in try content.paths() { try content.remove(path) } }
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == [:])
    try await book.close()
  }

  @Test(arguments: ["b", "b/c", "/"])
  func `has a file still that an edit could not move`(_ newPath: String) async throws {
    let book = try await fixture.open()
    try await book.edit { _, content in
      for path in ["a", "b"] { try content.write(path, Data(path.utf8)) }
    }
    try await book.edit { _, content in
      #expect(throws: FilePackageError.self) { try content.move("a", to: newPath) }
    }
    #expect(try await book.book.files == ["a": "a", "b": "b"])
    try await book.edit { _, content in try content.move("a", to: "a/a") }
    #expect(try await book.book.files == ["a/a": "a", "b": "b"])
    try await book.close()
  }

  @Test func `publishes a removal that a later edit repeats without a change`() async throws {
    let book = try await fixture.open()
    try await book.write("a", "one")
    try await book.save()
    try await book.edit { _, content in try content.remove("a") }
    try await book.edit { _, content in
      try content.write("a", Data("two".utf8))
      try content.remove("a")
    }
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == [:])
    try await book.close()
  }

  @Test(arguments: ["", ".", "..", "a//b", "/a", "a/", "a/../b", String(repeating: "x", count: 256)])
  func `refuses a path that no file can have`(_ path: String) async throws {
    let book = try await fixture.open()
    let error = await documentError { try await book.edit { _, content in try content.write(path, Data()) } }
    #expect(error?.fileError?.code == .invalidName)
    try await book.close()
  }

  @Test func `refuses a file in the way of a folder, and a folder in the way of a file`() async throws {
    let book = try await fixture.open()
    try await book.edit { _, content in
      try content.write("file", Data())
      try content.write("folder/child", Data())
    }
    for path in ["file/child", "folder"] {
      let error = await documentError {
        try await book.edit { _, content in try content.write(path, Data()) }
      }
      #expect(error?.fileError?.code == .nameCollision)
    }
    // A file may become a folder in one edit.
    try await book.edit { _, content in
      try content.remove("file")
      try content.write("file/child", Data("x".utf8))
      try content.remove("folder/child")
      try content.write("folder", Data("y".utf8))
    }
    try await book.saveAndPublish()
    #expect(try fixture.visibleFiles == ["file/child": "x", "folder": "y"])
    try await book.close()
  }

  // Edits and saves run beside each other (MD3). The rows tell where the bytes of a moment are (MT2, MT3).
  @Test func `reads rows and files of one moment while others write`() async throws {
    let book = try await fixture.open()
    try await book.add(Recipe(id: 1, title: "0"), picture: "0")
    async let writing: Void = {
      for number in 1...40 {
        try await book.edit { db, content in
          try db.execute(sql: "UPDATE recipe SET title = ?", arguments: ["\(number)"])
          try content.write("Pictures/1.jpeg", Data("\(number)".utf8))
        }
        if number % 4 == 0 { try await book.save() }
      }
    }()
    for _ in 1...100 {
      let moment = try await book.book
      #expect(moment.recipes[0].title == moment.files["Pictures/1.jpeg"])
    }
    try await writing
    try await book.close()
  }

  @Test func `tells observers of edits, undos and reverts`() async throws {
    let book = try await fixture.open()
    let steps: [(titles: [String], next: @Sendable () async throws -> Void)] = [
      ([], { try await book.add(Recipe(id: 1, title: "Rösti")) }),
      (
        ["Rösti"],
        {
          try await book.save()
          try await book.add(Recipe(id: 2, title: "Soup"))
        }
      ),
      (["Rösti", "Soup"], { try await book.undo() }),
      (["Rösti"], { try await book.redo() }),
      (["Rösti", "Soup"], { try await book.revertToSaved() }),
      (["Rösti"], {}),
    ]
    var (number, last): (Int, [String]?) = (0, nil)
    for try await titles in book.observe({
      try String.fetchAll($0, sql: "SELECT title FROM recipe ORDER BY id")
    }) {
      // An observation may repeat a value.
      if titles == last { continue }
      last = titles
      #expect(titles == steps[number].titles)
      try await steps[number].next()
      number += 1
      if number == steps.count { break }
    }
    #expect(number == steps.count)
    try await book.close()
  }

  @Test func `tells each state once`() async throws {
    let book = try await fixture.open()
    var states = await book.stateChanges.makeAsyncIterator()
    #expect(await states.next() == .normal)
    try await book.add(Recipe(id: 1, title: "Rösti"))
    try await book.save()
    #expect(await states.next() == .progressAvailable)
    #expect(await states.next() == .normal)
    await book.disableEditing()
    #expect(await states.next() == .editingDisabled)
    #expect(await documentError { try await book.add(Recipe(id: 2, title: "No")) }?.code == .editingDisabled)
    await book.enableEditing()
    #expect(await states.next() == .normal)
    try await book.close()
    #expect(await states.next() == .editingDisabled)
    #expect(await states.next() == [.closed, .editingDisabled])
    #expect(await states.next() == .closed)
  }

  // No call waits for ever, or traps (MD4).
  @Test func `refuses all calls when it is closed`() async throws {
    let book = try await fixture.open()
    try await book.close()
    try await book.close()
    let errors = [
      await documentError { try await book.edit { _, _ in } },
      await documentError { _ = try await book.book },
      await documentError { try await book.undo() }, await documentError { try await book.redo() },
      await documentError { try await book.save() }, await documentError { try await book.autosave() },
      await documentError { try await book.synchronize() },
      await documentError { try await book.revertToSaved() },
      await documentError { _ = try await book.undoState },
    ]
    #expect(errors.map { $0?.code } == Array(repeating: .closed, count: 9))
  }

  @Test func `saves by itself after a while of quiet`() async throws {
    let clock = ManualClock()
    let book = try await fixture.open {
      $0.autosave = AutosavePolicy()
      $0.clock = clock
    }
    try await book.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    var states = await book.stateChanges.makeAsyncIterator()
    #expect(await states.next() == .normal)
    #expect(await clock.nextDeadline().offset == .seconds(2))
    clock.advance(by: .seconds(2))
    #expect(await states.next() == .progressAvailable)
    #expect(await states.next() == .normal)
    #expect(await !book.hasUnsavedChanges)
    try await book.synchronize()
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await book.close()
  }

  @Test func `has its unsaved edits again if the program ended without closing it`() async throws {
    // Without a watcher no task holds the document when the test drops it.
    var book: ManagedDocument? = try await fixture.open { $0.watchesDisk = false }
    try await book?.add(Recipe(id: 1, title: "Rösti"), picture: "golden")
    try await book?.save()
    try await book?.synchronize()
    try await book?.add(Recipe(id: 2, title: "Soup"), picture: "red")
    book = nil
    try await fixture.waitUntilClosed()
    let again = try await fixture.open { $0.autosave = nil }
    #expect(await again.hasUnsavedChanges)
    #expect(try await again.book.files == ["Pictures/1.jpeg": "golden", "Pictures/2.jpeg": "red"])
    #expect(try fixture.visibleFiles == ["Pictures/1.jpeg": "golden"])
    try await again.revertToSaved()
    #expect(try await again.book.titles == ["Rösti"])
    #expect(await !again.hasUnsavedChanges)
    try await again.close()
  }

  // The replaced bytes are there by their digest (MP2).
  @Test func `is a package that other programs copy when it is closed`() async throws {
    try await fixture.openRösti(picture: "golden").close()
    let copy = BookFixture(folder: fixture.folder.appending("copies"))
    try FileManager.default.createDirectory(atPath: copy.folder.string, withIntermediateDirectories: false)
    try FileManager.default.copyItem(at: fixture.url, to: copy.url)
    let opened = try await copy.open()
    #expect(try await opened.book.files == ["Pictures/1.jpeg": "golden"])
    try await opened.publish("Pictures/1.jpeg", "brown")
    #expect(await opened.documentState == .normal)
    #expect(try copy.visibleFiles == ["Pictures/1.jpeg": "brown"])
    try await opened.undo()
    #expect(try await opened.book.files == ["Pictures/1.jpeg": "golden"])
    try await opened.close()
  }
}
