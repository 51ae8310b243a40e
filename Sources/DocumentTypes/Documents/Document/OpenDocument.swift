import FilePackages
import FoundationEssentials

// A conflict of the edits with another program's changes:
//
//     from       call                                                   to
//     none       another program's changes cannot be merged             pending
//     none       open(), save(), looking: versions or copies are there  stored
//     none       checkForConflicts(): versions or copies came           stored
//     pending    makeConflictVersion(), before the next write           stored
//     pending    the document is read again                             stored: the edits are gone or saved
//     stored     resolveConflicts(with:), removeConflictVersions(_:)     none
//     stored     checkForConflicts(): no version and no copy is left    none
//     any        save(to:for:) elsewhere                                none: the old place has the conflict

/// An open document: its content in memory, and its storage on disk.
struct OpenDocument<Content: DocumentContent>: Sendable {
  /// The conflict of the edits here with another program's changes.
  enum Conflict: Sendable, Equatable {
    /// There is no conflict.
    case none
    /// These children of the other program must become conflict versions before the document writes over them.
    case pending([String])
    /// Conflict versions or conflict copies have the other program's state.
    case stored
  }

  private(set) var storage: any DocumentStorage
  var facts: StorageFacts
  var content: Content
  /// The content as it was last read or saved: the base of a merge.
  var base: Content
  var conflict = Conflict.none
  /// The state on disk, which the error of a save names.
  var disk = FilePackageError.DiskState.asOpened

  /// Makes a document whose content is the one on disk.
  init(_ storage: any DocumentStorage, _ content: Content, _ facts: StorageFacts) {
    (self.storage, self.facts, self.content, base) = (storage, facts, content, content)
  }

  /// The document was read again, perhaps in another place.
  mutating func read(_ content: Content, _ facts: StorageFacts, in storage: any DocumentStorage) {
    if storage !== self.storage { disk = .asOpened }
    (self.storage, self.facts, self.content, base) = (storage, facts, content, content)
    if case .pending = conflict { conflict = .stored }
  }

  /// The content goes on over another state of the disk.
  mutating func rebase(_ content: Content, over theirs: Content) { (self.content, base) = (content, theirs) }

  /// Another program's changes at these places could not be merged.
  mutating func clash(at paths: [String]) {
    var places = Set(paths)
    if case .pending(let earlier) = conflict { places.formUnion(earlier) }
    conflict = .pending(places.sorted())
  }

  /// A conflict version has these places.
  mutating func noteConflictVersion(of paths: [String]) {
    guard case .pending(let places) = conflict else { return }
    let rest = Set(places).subtracting(paths)
    conflict = rest.isEmpty ? .stored : .pending(rest.sorted())
  }

  /// A conflict was found on disk.
  mutating func noteConflict() { if conflict == .none { conflict = .stored } }

  /// The user removed the conflict versions. Children that wait for the next write stay in conflict.
  ///
  /// - Parameter isLeft: whether the disk has conflict copies of a synchronising program all the same.
  mutating func removeConflict(isLeft: Bool) {
    if conflict == .stored && !isLeft { conflict = .none }
  }
}
