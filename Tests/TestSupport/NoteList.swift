import Synchronization

/// The notes that handlers and tasks made, in their order.
package final class NoteList<Note: Sendable>: Sendable {
  fileprivate let notes = Mutex<[Note]>([])

  package init() {}

  package func add(_ note: Note) { notes.withLock { $0.append(note) } }

  package var all: [Note] { notes.withLock { $0 } }

  /// Returns the notes since the last call.
  package func taken() -> [Note] {
    notes.withLock { notes in
      defer { notes = [] }
      return notes
    }
  }
}

extension NoteList where Note: Equatable {
  /// Adds a note that is not the same as the last one.
  package func addNew(_ note: Note) { notes.withLock { if $0.last != note { $0.append(note) } } }
}
