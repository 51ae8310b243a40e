import Documents
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

/// Random programs on a document with versions. All versions are compared with what they were (MV2).
///
/// `RANDOM_MANAGED` is the number of programs, `RANDOM_SEED` the first one's seed.
@Suite("Random programs on a document with versions", .tags(.scale))
struct ManagedHistoryPropertyTests {
  private static func number(_ name: String, otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? otherwise
  }

  @Test func `leave every version as it was`() async throws {
    let (count, first) = (
      Self.number("RANDOM_MANAGED", otherwise: 8), Self.number("RANDOM_SEED", otherwise: 0)
    )
    for seed in first..<(first + count) {
      try await BookFixture.with { fixture in
        var program = VersionProgram(fixture, seed: UInt64(seed))
        do {
          try await program.run(steps: 50)
        } catch {
          Issue.record("seed \(seed): \(error) after \(program.log)")
        }
        for difference in program.differences { Issue.record("seed \(seed): \(difference)") }
      }
    }
  }
}

private struct VersionProgram {
  private let fixture: BookFixture
  private var random: SeededGenerator
  private(set) var log: [String] = []
  private(set) var differences: [String] = []

  /// The present rows and files, and those that undo and redo lead to.
  private var present = Book()
  private var undo: [Book] = []
  private var redo: [Book] = []
  /// The rows and files of each save by its generation, without the versions that are removed.
  private var saved: [Int: Book] = [1: Book()]
  private var generation = 1
  private let keepsUndo: Bool

  init(_ fixture: BookFixture, seed: UInt64) {
    self.fixture = fixture
    random = SeededGenerator(seed: seed)
    // One program in four cannot undo.
    keepsUndo = seed % 4 != 3
  }

  private func open() async throws -> ManagedDocument {
    try await fixture.open {
      $0.keepsHistory = true
      if !keepsUndo { $0.undo = nil }
    }
  }

  mutating func run(steps: Int) async throws {
    var book = try await open()
    for step in 1...steps where differences.isEmpty {
      if try await isDropped(book) {
        (undo, redo) = ([], [])
        book = try await open()
      }
      expect(try await book.book == present, "content")
      if step % 10 == 0 { try await compareVersions(book) }
    }
    try await book.close()
    book = try await open()
    if differences.isEmpty {
      saveModel(after: try await book.versions())
      try await compareVersions(book)
    }
    try await book.close()
  }

  /// Notes a save that the report of no call tells of.
  private mutating func saveModel(after versions: [ManagedVersion]) {
    let newest = versions.first?.metadata.generation ?? 0
    if newest >= generation {
      generation = newest + 1
      saved[generation] = present
    }
  }

  private mutating func compareVersions(_ book: ManagedDocument) async throws {
    let versions = try await book.versions()
    expect(
      versions.map(\.metadata.generation) == saved.keys.filter { $0 < generation }.sorted(by: >),
      "the list of versions \(versions.map(\.metadata.generation)), \(saved.keys.sorted()), \(generation)")
    for version in versions {
      let generation = version.metadata.generation
      expect(try await book.book(of: version) == saved[generation], "version \(generation)")
    }
    guard let (old, new) = versions.isEmpty ? nil : (versions[versions.count - 1], versions[0]) else {
      return
    }
    let there = try await book.differences(from: old.id, to: new.id)
    let back = try await book.differences(from: new.id, to: old.id)
    expect(there.files.count == back.files.count && there.tables.count == back.tables.count, "differences")
  }

  /// Makes a random call; returns whether the document is not used any more.
  private mutating func isDropped(_ book: ManagedDocument) async throws -> Bool {
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<10: try await edit(book)
    case 10..<12:
      log.append("undo")
      expect(try await book.undo() == (keepsUndo && !undo.isEmpty), "undo")
      if keepsUndo, let last = undo.popLast() {
        redo.append(present)
        present = last
      }
    case 12:
      log.append("redo")
      expect(try await book.redo() == (keepsUndo && !redo.isEmpty), "redo")
      if keepsUndo, let last = redo.popLast() {
        undo.append(present)
        present = last
      }
    case 13..<18: try await save(book)
    case 18..<20: try await restore(book)
    case 20: try await removeVersions(book)
    case 21:
      log.append("synchronize")
      try await book.synchronize()
    case 22:
      log.append("close")
      let isChanged = await book.hasUnsavedChanges
      try await book.close()
      if isChanged { note(generation: generation + 1) }
      return true
    default:
      log.append("drop")
      return true
    }
    return false
  }

  private mutating func note(generation: Int?) {
    guard let generation else { return expect(false, "the report of a save") }
    self.generation = generation
    saved[generation] = present
  }

  private mutating func save(_ book: ManagedDocument) async throws {
    log.append("save")
    let report = try await book.save()
    if report.strategy == .database { note(generation: report.generation) }
  }

  private mutating func restore(_ book: ManagedDocument) async throws {
    guard let version = try await book.versions().randomElement(using: &random) else { return }
    log.append("restore \(version.metadata.generation)")
    if await book.hasUnsavedChanges { try await save(book) }
    let report = try await book.restore(version.id)
    if let old = saved[version.metadata.generation], old != present { edited(old) }
    if report.strategy == .database { note(generation: report.generation) }
  }

  private mutating func removeVersions(_ book: ManagedDocument) async throws {
    let versions = try await book.versions()
    var removed: Set<UUID> = []
    for version in versions where Int.random(in: 0..<3, using: &random) == 0 {
      removed.insert(version.id)
      saved[version.metadata.generation] = nil
    }
    log.append("remove \(removed.count) of \(versions.count)")
    try await book.removeVersions(removed)
  }

  private mutating func edited(_ book: Book) {
    undo.append(present)
    redo = []
    present = book
  }

  private mutating func edit(_ document: ManagedDocument) async throws {
    var book = present
    var changes: [Change] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      if let change = Change.random(&book, &random) { changes.append(change) }
    }
    log.append("edit \(changes)")
    let applied = changes
    try await document.edit { db, content in for change in applied { try change.apply(db, content) } }
    if book != present { edited(book) }
  }

  private mutating func expect(_ isRight: Bool, _ what: String) {
    if !isRight { differences.append("\(what) differs after \(log)") }
  }
}
