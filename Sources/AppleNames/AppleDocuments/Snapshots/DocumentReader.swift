public import Foundation

/// A type that reads a snapshot of a document.
///
/// Counterpart of SwiftUI's `DocumentReader`.
public protocol DocumentReader<Snapshot> {
  /// The state of a document at one moment.
  associatedtype Snapshot
  /// The place from which it reads.
  associatedtype Source = URL

  /// The facts for a read.
  typealias ReadConfiguration = DocumentReadConfiguration

  /// Reads the document, off the main actor. No coordinating program writes the document meanwhile.
  @concurrent func read(
    from source: sending Source, progress: consuming Subprogress
  ) async throws -> sending Snapshot
}

/// A type that writes a snapshot of a document.
///
/// Counterpart of SwiftUI's `DocumentWriter`.
public protocol DocumentWriter<Snapshot> {
  /// The state of a document at one moment.
  associatedtype Snapshot
  /// The place to which it writes.
  associatedtype Destination = URL

  /// The facts for a write.
  typealias WriteConfiguration = DocumentWriteConfiguration

  /// Writes the document, off the main actor.
  ///
  /// A `destination` of type URL is a temporary place. The store then compares its files with the document, and saves
  /// those that differ. With a `previous` snapshot, the place has a copy of the document, and the writer need only
  /// change that copy. Without one, the place is empty.
  ///
  /// - Parameter previous: the snapshot that was last written; nil for the first write after opening, a revert or
  ///   another program's change.
  @concurrent func write(
    snapshot: sending Snapshot, to destination: sending Destination, previous: sending Snapshot?,
    progress: consuming Subprogress
  ) async throws
}
