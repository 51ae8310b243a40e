/// Something that a save left to be done. The new state is saved all the same, and survives a power cut.
public struct SaveWarning: Sendable, Hashable, Codable {
  /// What is left.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Other programs do not see the new state yet. The next save publishes it, and so does the next opening.
    case unpublished
    /// The journal, or something else that is needed only while the document is open, is still there. The next opening
    /// does what is left.
    case unfinished
    /// A hidden directory beside the document could not be removed. The next save removes it.
    case leftover
    /// What was in conflict is decided and could not be removed. Deciding again removes it.
    case conflictsLeft
    /// Children that only dropped versions had could not be removed. The next thinning removes them.
    case versionsLeft
    /// What was repaired could not be read again. Verifying says what is still wrong.
    case unverified
    /// Another program moved the document meanwhile. The save went to the directory that was opened, wherever that is.
    case moved
  }

  /// What is left.
  public var kind: Kind
  /// Why, in the system's words; for `moved` the path where the document is, empty where that is not known.
  public var reason: String

  /// Makes a warning of these facts.
  public init(_ kind: Kind, reason: String) {
    (self.kind, self.reason) = (kind, reason)
  }

  init(_ kind: Kind, _ error: FilePackageError) {
    self.init(kind, reason: error.detail)
  }

  /// What ending a session could not do.
  init(closing error: FilePackageError) {
    self.init(error.operation == .publish ? .unpublished : .unfinished, error)
  }
}

extension SaveWarning: CustomStringConvertible {
  /// One line: that it is saved, what is left and why, and what happens with it.
  public var description: String {
    switch kind {
    case .unpublished: "saved; not yet visible to other programs: \(reason); the next opening publishes it"
    case .unfinished: "saved; not tidied up: \(reason); the next opening does what is left"
    case .leftover: "saved; not tidied up: \(reason); the next save removes it"
    case .conflictsLeft: "saved; what was in conflict is still there: \(reason); resolving again removes it"
    case .versionsLeft:
      "done; files of removed versions are still there: \(reason); the next thinning removes them"
    case .unverified: "repaired; what is left could not be verified: \(reason)"
    case .moved where reason.isEmpty: "saved where the document is by now: another program moved it meanwhile"
    case .moved: "saved; another program moved the document meanwhile: it is at '\(displayString(reason))'"
    }
  }
}

extension SaveReport {
  /// Notes why other programs do not see the new state.
  mutating func isUnpublished(because error: FilePackageError) {
    isPublished = false
    note(SaveWarning(.unpublished, error))
  }

  /// Notes that other programs see the new state by now.
  mutating func isPublishedAfterAll() {
    isPublished = true
    warnings.removeAll { $0.kind == .unpublished }
  }

  /// Notes what ending what saving began came to.
  package mutating func isClosed(_ failure: FilePackageError?) {
    if failure?.operation != .publish { isPublishedAfterAll() }
    if let failure { note(SaveWarning(closing: failure)) }
  }

  /// Adds a warning; one of the same kind goes.
  mutating func note(_ warning: SaveWarning) {
    warnings.removeAll { $0.kind == warning.kind }
    warnings.append(warning)
  }
}
