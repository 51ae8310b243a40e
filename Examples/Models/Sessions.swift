import AppKit
import Documents
import SwiftUI
import UIKit

/// An open document of any kind, with a text and a large picture.
@MainActor
protocol Session: AnyObject {
  var text: String { get }
  func edit(_ text: String) async throws
  func undo() async throws
  func redo() async throws
  func save() async throws
  func close() async throws
}

final class OutlineSession: Session {
  private let document: Documents.Document<Outline>
  private(set) var text = ""

  init(_ document: Documents.Document<Outline>) async throws {
    self.document = document
    try await read()
  }

  private func read() async throws { text = try await document.content.items.last?.title ?? "" }

  func edit(_ text: String) async throws {
    try await document.edit { $0.items = [.init(title: text)] }
    try await read()
  }

  func undo() async throws {
    try await document.undo()
    try await read()
  }

  func redo() async throws {
    try await document.redo()
    try await read()
  }

  func save() async throws { try await document.save() }
  func close() async throws { try await document.close() }
}

final class ScoreSession: Session {
  private let document: Documents.Document<Score>
  private(set) var text = ""

  init(_ document: Documents.Document<Score>) async throws {
    self.document = document
    try await read()
  }

  private func read() async throws { text = try await document.content.notes }

  func edit(_ text: String) async throws {
    try await document.edit { $0.notes = text }
    try await read()
  }

  func undo() async throws {
    try await document.undo()
    try await read()
  }

  func redo() async throws {
    try await document.redo()
    try await read()
  }

  func save() async throws { try await document.save() }
  func close() async throws { try await document.close() }
}

final class SketchbookSession: Session {
  private let file: ReferenceDocument<Sketchbook>

  init(_ file: ReferenceDocument<Sketchbook>) { self.file = file }

  var text: String { file.document.title }
  func edit(_ text: String) { file.document.rename(to: text, undoManager: file.undoManager) }
  func undo() { file.undoManager.undo() }
  func redo() { file.undoManager.redo() }
  func save() async throws { try await file.save() }
  func close() async throws { try await file.close() }
}

final class JournalSession: Session {
  private let journal: Journal

  init(_ journal: Journal) { self.journal = journal }

  var text: String { journal.text }
  func edit(_ text: String) { journal.type(text) }
  func undo() { journal.undoManager.undo() }
  func redo() { journal.undoManager.redo() }

  func save() async throws {
    guard await journal.save(to: journal.fileURL, for: .forOverwriting) else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  func close() async throws {
    guard await journal.close() else { throw CocoaError(.fileWriteUnknown) }
  }
}

final class LedgerSession: Session {
  private let ledger: Ledger
  private let url: URL

  init(_ ledger: Ledger, _ url: URL) { (self.ledger, self.url) = (ledger, url) }

  var text: String { ledger.entries.last ?? "" }
  func edit(_ text: String) { ledger.add(text) }
  func undo() { ledger.undoManager?.undo() }
  func redo() { ledger.undoManager?.redo() }
  func save() async throws {
    try await ledger.save(to: url, ofType: "org.example.ledger", for: .saveOperation)
  }

  func close() async throws {
    guard await ledger.finishClosing() else { throw CocoaError(.fileWriteUnknown) }
  }
}

final class ArchiveSession: Session {
  private let archive: Archive
  private let url: URL

  init(_ archive: Archive, _ url: URL) { (self.archive, self.url) = (archive, url) }

  var text: String { archive.text("text") ?? "" }
  func edit(_ text: String) { archive.set("text", Data(text.utf8)) }
  func undo() { archive.undoManager.undo() }
  func redo() { archive.undoManager.redo() }
  func save() throws { try archive.write(to: url) }
  func close() {}
}

final class NotebookSession: Session {
  private let file: SnapshotDocument<Notebook>

  init(_ file: SnapshotDocument<Notebook>) { self.file = file }

  var text: String { file.document.text }
  func edit(_ text: String) { file.document.type(text, undoManager: file.undoManager) }
  func undo() { file.undoManager.undo() }
  func redo() { file.undoManager.redo() }
  func save() async throws { try await file.save() }
  func close() async throws { try await file.close() }
}
