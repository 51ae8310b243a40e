import FilePackages
import FoundationEssentials

// The states of a document between two of its steps.
//
//                 open(), revert(toContentsOf:)
//     closed ──────────────────────────────────────▶ open ◀──┐
//        ▲                                           │ ▲ ▲   │ edit, save(), recover(_:),
//        └──────────────── close() ──────────────────┘ │ │ └─┘ changes by other programs
//                                                      │ │
//        ┌────── another program removes it ───────────┘ │
//        ▼                                               │
//     inMemory ───── save(to:for:), open() ──────────────┘
//
//     state      what the document has                   what the disk has             what may be trusted
//     closed     nothing                                 perhaps a document            nothing; the facts are old
//     inMemory   a content                               nothing of this document      the content
//     open       a content, its base and a storage       the base, or a newer state    the base, until changesByOthers()
//
//     from                call                                              to
//     closed, inMemory    open(), revert(toContentsOf:)                     open, with the content on disk
//     inMemory            save(to:for:)                                     open, with the content in memory
//     open                edit, undo, redo                                  open, another content over the same base
//     open                save(), save(to:for:)                             open, the saved content is the base
//     open                revert(toContentsOf:), resolveConflicts(with:)    open, both are the content on disk
//     open                recover(_:)                                       open, the copy's edits over the disk's base
//     open                changes by other programs, nothing is unsaved     open, both are the content on disk
//     open                changes by other programs, they merge             open, the merge over the disk's base
//     open                changes by other programs, they do not merge      open, the same content over the disk's base
//     open                close()                                           closed
//     open                another program removes the document              inMemory
//     any                 a call that throws, except `deleted`              as before; `core.hasFailed` notes a save or a reading

/// The state of a document between two of its steps.
enum Lifecycle<Content: DocumentContent>: Sendable {
  /// There is no content. The facts are those from before the close, if there was one.
  case closed(last: StorageFacts?)
  /// The content is only in memory: it is new, or another program removed the document.
  case inMemory(Content, last: StorageFacts?)
  /// The content is in memory and has a storage on disk.
  case open(OpenDocument<Content>)

  // MARK: Looking

  /// The open document; nil if the document is not open. Setting nil does nothing.
  var opened: OpenDocument<Content>? {
    get { if case .open(let document) = self { document } else { nil } }
    set { if let newValue { self = .open(newValue) } }
  }

  /// The content, if there is one.
  var content: Content? {
    switch self {
    case .closed: nil
    case .inMemory(let content, _): content
    case .open(let document): document.content
    }
  }

  /// The facts that the document knows, of an open document the present ones.
  var facts: StorageFacts? {
    switch self {
    case .closed(let facts), .inMemory(_, let facts): facts
    case .open(let document): document.facts
    }
  }

  // MARK: Going on

  /// The content is the one that was read from a storage.
  mutating func read(_ content: Content, _ facts: StorageFacts, in storage: any DocumentStorage) {
    guard var document = opened else {
      self = .open(OpenDocument(storage, content, facts))
      return
    }
    document.read(content, facts, in: storage)
    self = .open(document)
  }

  /// A new storage has the saved content; the user may have gone on editing.
  mutating func make(_ saved: Content, _ facts: StorageFacts, in storage: any DocumentStorage) {
    var document = OpenDocument(storage, saved, facts)
    document.content = content ?? saved
    if let date = facts.modified { document.disk = .asSaved(date) }
    self = .open(document)
  }

  /// The document closes.
  mutating func close() { self = .closed(last: facts) }

  /// Another program removed the document.
  mutating func remove() {
    guard let content else { return }
    self = .inMemory(content, last: facts)
  }
}
