package import PackageFormat

/// Work that a save left undone. The new state is saved all the same, and durable.
public struct SaveWarning: Sendable, Hashable, Codable {
  /// The kind of work that is left.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Other programs do not see the new state yet. The next save publishes it, and so does the next opening.
    case unpublished
    /// The log, or something else that only an open document needs, is still there. The next opening does the rest.
    case unfinished
    /// A hidden directory beside the document could not be removed. Recovering the document removes it, and so does
    /// the next new document at its place.
    case leftover
    /// The conflicts are resolved, and other conflict versions arrived meanwhile or the files could not be removed.
    /// Resolving again removes them.
    case conflictsLeft
    /// Children that only dropped versions had could not be removed. The next thinning removes them.
    case versionsLeft
    /// The package was repaired and could not be read again. Verifying finds what is still wrong.
    case unverified
  }

  /// The kind of work that is left.
  public var kind: Kind
  /// The reason, in the system's words.
  public var reason: String

  /// Makes a warning of these facts.
  public init(_ kind: Kind, reason: String) {
    (self.kind, self.reason) = (kind, reason)
  }

  package init(_ kind: Kind, _ error: FilePackageError) {
    self.init(kind, reason: error.detail)
  }

  /// Makes the warning for a session that could not end.
  package init(closing error: FilePackageError) {
    self.init(error.operation == .publish ? .unpublished : .unfinished, error)
  }
}

extension SaveWarning: CustomStringConvertible {
  /// One line: the document is saved, the work that is left, its reason, and the moment when it will be done.
  public var description: String {
    switch kind {
    case .unpublished: "saved; not yet visible to other programs: \(reason); the next opening publishes it"
    case .unfinished: "saved; the session did not end: \(reason); the next opening ends it"
    case .leftover: "saved; a leftover stays: \(reason); recovering the document removes it"
    case .conflictsLeft: "saved; conflict versions stay: \(reason); resolving again removes them"
    case .versionsLeft:
      "done; files of removed versions stay: \(reason); the next thinning removes them"
    case .unverified: "repaired; the result could not be verified: \(reason)"
    }
  }
}

extension SaveReport {
  /// Notes why other programs do not see the new state.
  mutating func isUnpublished(because error: FilePackageError) {
    isPublished = false
    note(SaveWarning(.unpublished, error))
  }

  /// Notes that other programs see the new state after all.
  mutating func isPublishedAfterAll() {
    isPublished = true
    warnings.removeAll { $0.kind == .unpublished }
  }

  /// Notes the result of the close after the save.
  package mutating func isClosed(_ failure: FilePackageError?) {
    if failure?.operation != .publish { isPublishedAfterAll() }
    if let failure { note(SaveWarning(closing: failure)) }
  }

  /// Adds a warning, and removes an earlier one of the same kind.
  mutating func note(_ warning: SaveWarning) {
    warnings.removeAll { $0.kind == warning.kind }
    warnings.append(warning)
  }
}
