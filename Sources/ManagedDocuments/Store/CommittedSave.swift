import FoundationEssentials

// MS1 The transaction that marks the saved position is the commit: its flush of the write-ahead log makes all earlier
//    transactions durable, too.
// MS2 It writes a new revision each time. SQLite flushes nothing for a transaction that changes no byte.

/// A save that is durable and not published yet.
struct CommittedSave: Sendable {
  var head: DocumentHead
  var metadata: SavedMetadata
  var unpublished: [UnpublishedFile]
  /// The visible files that have the bytes of a digest.
  var sources: [Data: [ContentPath]]
}
