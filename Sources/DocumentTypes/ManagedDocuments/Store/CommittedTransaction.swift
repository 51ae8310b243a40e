import FoundationEssentials

// MS1 The transaction that marks the saved position is the commit: its flush of the write-ahead log makes all earlier
//    transactions durable, too. A save returns then.
// MS2 It writes a new revision each time. SQLite flushes nothing for a transaction that changes no byte.

/// The last save, which is durable, with its files that are not published yet.
struct CommittedTransaction: Sendable {
  var head: DocumentHead
  var metadata: SavedMetadata
  var files: [PendingFile]
  /// The visible files that have the bytes of a digest.
  var sources: [Data: [ContentPath]]
}
