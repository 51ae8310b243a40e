import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

/// Random programs on a document, compared with a model after each call.
///
/// `RANDOM_MANAGED` is the number of programs, `RANDOM_SEED` the first one's seed.
@Suite("Random programs on a document with a database", .tags(.scale))
struct ManagedPropertyTests {
  private static func number(_ name: String, otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? otherwise
  }

  @Test func `leave it as the model says`() async throws {
    let (count, first) = (
      Self.number("RANDOM_MANAGED", otherwise: 12), Self.number("RANDOM_SEED", otherwise: 0)
    )
    for seed in first..<(first + count) {
      try await BookFixture.with { fixture in
        var program = ManagedProgram(fixture, seed: UInt64(seed))
        try await program.run(steps: 40)
        for difference in program.differences { Issue.record("seed \(seed): \(difference)") }
      }
    }
  }
}

/// The model of a document: its present and its saved state, and the states that undo and redo lead to.
private struct BookModel {
  var present = Book()
  var saved = Book()
  var undo: [Book] = []
  var redo: [Book] = []
  /// The number of the present state and of the saved one; no two states have the same.
  var state = 0
  var savedState = 0
  var undoStates: [Int] = []
  var redoStates: [Int] = []
  var lastState = 0

  mutating func edit(_ book: Book) {
    undo.append(present)
    undoStates.append(state)
    (redo, redoStates) = ([], [])
    lastState += 1
    (present, state) = (book, lastState)
  }

  mutating func takeBack() -> Bool {
    guard let book = undo.popLast(), let number = undoStates.popLast() else { return false }
    redo.append(present)
    redoStates.append(state)
    (present, state) = (book, number)
    return true
  }

  mutating func bringAgain() -> Bool {
    guard let book = redo.popLast(), let number = redoStates.popLast() else { return false }
    undo.append(present)
    undoStates.append(state)
    (present, state) = (book, number)
    return true
  }

  mutating func save() { (saved, savedState) = (present, state) }

  mutating func revert() {
    (present, state) = (saved, savedState)
    forget()
  }

  mutating func forget() { (undo, redo, undoStates, redoStates) = ([], [], [], []) }
}

private struct ManagedProgram {
  private let fixture: BookFixture
  private var random: SeededGenerator
  private var model = BookModel()
  private var log: [String] = []
  private(set) var differences: [String] = []

  init(_ fixture: BookFixture, seed: UInt64) {
    self.fixture = fixture
    random = SeededGenerator(seed: seed)
  }

  mutating func run(steps: Int) async throws {
    var open: ManagedDocument? = try await fixture.open { $0.watchesDisk = false }
    for _ in 0..<steps {
      let isDropped = try await step(of: open)
      if isDropped {
        // No other reference may stay: the document is gone as after a kill, and its edits are not.
        open = nil
        try await fixture.waitUntilClosed()
        open = try await reopen()
      }
      try await compare(open)
      if !differences.isEmpty { return }
    }
    try await open?.close(discardingChanges: true)
  }

  /// Opens the document when the one before is closed or dropped.
  private mutating func reopen() async throws -> ManagedDocument {
    model.forget()
    log.append("open again")
    // Without a watcher no task holds the document when the program drops it.
    return try await fixture.open { $0.watchesDisk = false }
  }

  private mutating func compare(_ open: ManagedDocument?) async throws {
    guard let book = open else { return }
    try await book.synchronize()
    expect(await book.documentState == .normal, "state")
    expect(try await book.book == model.present, "content")
    expect(await book.hasUnsavedChanges == (model.state != model.savedState), "hasUnsavedChanges")
    expect(try fixture.visibleFiles == model.saved.files, "visible files")
  }

  /// Makes a random call; returns whether the document is not used any more.
  private mutating func step(of open: ManagedDocument?) async throws -> Bool {
    guard let book = open else { return true }
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<9: try await edit(book)
    case 9..<12:
      log.append("undo")
      expect(try await book.undo() == model.takeBack(), "undo")
    case 12..<14:
      log.append("redo")
      expect(try await book.redo() == model.bringAgain(), "redo")
    case 14..<17: try await save(book)
    case 17:
      try await book.revertToSaved()
      model.revert()
      log.append("revert")
    case 18:
      try await book.close()
      model.save()
      log.append("close")
      expect(try fixture.visibleFiles == model.present.files, "visible files after closing")
      return true
    default: return true
    }
    return false
  }

  private mutating func save(_ book: ManagedDocument) async throws {
    try await book.save()
    model.save()
    log.append("save")
  }

  private mutating func edit(_ document: ManagedDocument) async throws {
    var book = model.present
    var changes: [Change] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let change = Change.random(&book, &random) else { continue }
      changes.append(change)
    }
    log.append("edit \(changes)")
    let applied = changes
    let before = model.present
    let fails = Int.random(in: 0..<12, using: &random) == 0
    do {
      try await document.edit { db, content in
        for change in applied { try change.apply(db, content) }
        if fails { throw CancellationError() }
      }
      if book != before { model.edit(book) }
    } catch is CancellationError {
      log.append("which throws")
    }
  }

  private mutating func expect(_ isRight: Bool, _ what: String) {
    if !isRight { differences.append("\(what) differs after \(log)") }
  }
}

/// One change of an edit.
enum Change: Sendable, CustomStringConvertible {
  case put(Recipe)
  case removeRecipe(Int64)
  case write(String, String)
  case removeFile(String)
  case move(String, String)

  /// Chooses a change, and makes it in the book.
  static func random(_ book: inout Book, _ random: inout SeededGenerator) -> Change? {
    switch Int.random(in: 0..<8, using: &random) {
    case 0..<3:
      let recipe = Recipe(
        id: Int64.random(in: 1...6, using: &random), title: text(&random),
        servings: .random(in: 1...3, using: &random))
      book.recipes.removeAll { $0.id == recipe.id }
      book.recipes.append(recipe)
      book.recipes.sort { $0.id < $1.id }
      return .put(recipe)
    case 3:
      guard let id = book.recipes.randomElement(using: &random)?.id else { return nil }
      book.recipes.removeAll { $0.id == id }
      return .removeRecipe(id)
    case 4..<6:
      let path = ["a", "b/c", "b/d", "e/f/g"].randomElement(using: &random) ?? "a"
      // One file in four is large.
      let isLarge = Int.random(in: 0..<4, using: &random) == 0
      let bytes = text(&random) + (isLarge ? String(repeating: "x", count: 300_000) : "")
      book.files[path] = bytes
      return .write(path, bytes)
    case 6:
      guard let path = book.files.keys.sorted().randomElement(using: &random) else { return nil }
      book.files[path] = nil
      return .removeFile(path)
    default:
      guard let path = book.files.keys.sorted().randomElement(using: &random) else { return nil }
      let target = "h/\(Int.random(in: 0..<3, using: &random))"
      if book.files[target] != nil { return nil }
      book.files[target] = book.files.removeValue(forKey: path)
      return .move(path, target)
    }
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    ["", "Rösti", "soup", "cake"].randomElement(using: &random) ?? ""
  }

  func apply(_ db: Database, _ content: AdditionalContentEditor) throws {
    switch self {
    case .put(let recipe): try recipe.save(db)
    case .removeRecipe(let id): try db.execute(sql: "DELETE FROM recipe WHERE id = ?", arguments: [id])
    case .write(let path, let bytes): try content.write(path, Data(bytes.utf8))
    case .removeFile(let path): try content.remove(path)
    case .move(let path, let target): try content.move(path, to: target)
    }
  }

  var description: String {
    switch self {
    case .put(let recipe): "put \(recipe.id) \(recipe.title) \(recipe.servings)"
    case .removeRecipe(let id): "remove \(id)"
    case .write(let path, let bytes): "write \(path) \(bytes.prefix(5)) \(bytes.count)"
    case .removeFile(let path): "remove \(path)"
    case .move(let path, let target): "move \(path) \(target)"
    }
  }
}
