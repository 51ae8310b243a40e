import FoundationEssentials
import ManagedDocuments
import SystemPackage

/// Edits of a document, without a save.
final class DocumentEdits: Workload {
  private let book: ManagedDocument
  private var rows: Rows
  private let editsPerRun: Int

  init(_ count: Int, edits: Int, undoes: Bool, at place: FilePath) async throws {
    (rows, editsPerRun) = (Rows(count), edits)
    book = try await .made(count, undoes: undoes, at: place)
  }

  func run() async throws {
    for _ in 0..<editsPerRun {
      let id = rows.next()
      try await book.edit { db, _ in try Rows.edit(db, id) }
    }
  }

  func finish() async throws { try await book.saveAndFold() }

  func verify() async throws {
    let rows = rows
    try await book.read { db, _ in try rows.verify(db) }
    try await book.close()
  }
}

/// Saves of one edit, which is not measured.
final class DocumentSaves: Workload {
  private let book: ManagedDocument
  private var rows: Rows

  init(_ count: Int, at place: FilePath) async throws {
    rows = Rows(count)
    book = try await .made(count, at: place)
  }

  func arrange() async throws {
    let id = rows.next()
    try await book.edit { db, _ in try Rows.edit(db, id) }
  }

  func run() async throws { try await book.save() }

  /// The log goes on growing, as in use.
  func finish() async throws { try await book.synchronize() }

  func verify() async throws {
    let rows = rows
    try await book.read { db, _ in try rows.verify(db) }
    try await book.close()
  }
}

/// Openings of a closed document.
final class DocumentOpenings: Workload {
  private let place: FilePath
  private let rows: Rows
  private var book: ManagedDocument?

  init(_ count: Int, at place: FilePath) async throws {
    (self.place, rows) = (place, Rows(count))
    try await ManagedDocument.made(count, at: place).close()
  }

  func run() async throws { book = try await .opened(at: place) }

  func finish() async throws {
    try await book?.close()
    book = nil
  }

  func verify() async throws {
    let (book, rows) = (try await ManagedDocument.opened(at: place), rows)
    try await book.read { db, _ in try rows.verify(db) }
    try await book.close()
  }
}

/// Undos of edits that are not measured.
final class DocumentUndos: Workload {
  private let book: ManagedDocument
  private let rows: Rows
  private let editsPerRun: Int

  init(_ count: Int, edits: Int, at place: FilePath) async throws {
    (rows, editsPerRun) = (Rows(count), edits)
    book = try await .made(count, at: place)
  }

  func arrange() async throws {
    var edited = rows
    for _ in 0..<editsPerRun {
      let id = edited.next()
      try await book.edit { db, _ in try Rows.edit(db, id) }
    }
  }

  func run() async throws { for _ in 0..<editsPerRun { try await book.undo() } }

  func finish() async throws { try await book.saveAndFold() }

  func verify() async throws {
    let rows = rows
    try await book.read { db, _ in try rows.verify(db) }
    try await book.close()
  }
}

extension ManagedDocument {
  /// Brings all edits into the database's own file, so that each run begins with an empty log.
  fileprivate func saveAndFold() async throws { try await savePresentedItemChanges() }
}
