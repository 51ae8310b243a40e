import Synchronization

/// Tells all documents of the program of the conflicts that it resolves by `NSFileVersion`.
enum ConflictResolutions {
  private struct Entry {
    weak var relay: UIDocumentRelay?
  }

  private static let entries = Mutex<[Entry]>([])

  /// Adds the relay of a document, until the document is gone.
  static func add(_ relay: UIDocumentRelay) {
    entries.withLock { entries in
      entries.removeAll { $0.relay == nil }
      entries.append(Entry(relay: relay))
    }
  }

  /// Tells the documents.
  static func note(_ resolution: NSFileVersion.Resolution) {
    for relay in entries.withLock({ $0.compactMap(\.relay) }) { relay.note(resolution) }
  }
}
