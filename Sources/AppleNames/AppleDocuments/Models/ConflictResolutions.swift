import Synchronization

/// Tells all documents of the program of the conflicts that it resolves by `NSFileVersion`.
enum ConflictResolutions {
  private struct Entry {
    weak var document: (any PresentedModel)?
  }

  private static let entries = Mutex<[Entry]>([])

  /// Adds a document, until it is gone.
  static func add(_ document: any PresentedModel) {
    entries.withLock { entries in
      entries.removeAll { $0.document == nil }
      entries.append(Entry(document: document))
    }
  }

  /// Tells the documents.
  static func note(_ resolved: NSFileVersion) {
    for document in entries.withLock({ $0.compactMap(\.document) }) {
      Task { await document.note(resolved) }
    }
  }
}
