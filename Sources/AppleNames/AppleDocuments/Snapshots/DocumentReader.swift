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

  /// Reads the document, off the main actor, while no coordinated program writes it.
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
  /// A URL is a temporary place; the store then compares the files with the document, and writes those that differ. With
  /// a `previous` snapshot, the place has a copy of the document, so that the writer need only change it. Otherwise
  /// there is nothing yet.
  ///
  /// - Parameter previous: the snapshot that was last written; nil for the first write after opening, a revert or
  ///   another program's change.
  @concurrent func write(
    snapshot: sending Snapshot, to destination: sending Destination, previous: sending Snapshot?,
    progress: consuming Subprogress
  ) async throws
}
