public import FilePackages
public import FoundationEssentials

/// An event of an open document, for the program that shows it; the user's edits are none.
public enum DocumentEvent: Sendable {
  /// The document has a new state.
  case stateChanged(DocumentState)
  /// The document was saved, by a call or by itself.
  case saved(SaveReport)
  /// Other programs see a save of a document with a database, whose `saved` came at its commit. The report has the
  /// conflicts. If `isPublished` is false, there were conflicts and then an error.
  case published(SaveReport)
  /// The document took in another program's change, so that its content may be a new one.
  ///
  /// The paths are those of the children that the other program changed, made or removed. There are none if a whole
  /// package took the place of another one, or if the document is gone.
  case changedByOthers(ExternalChangeOutcome, paths: [String])
  /// The document has a new place.
  case moved(to: URL)
}

extension DocumentEvent: CustomStringConvertible {
  /// One line, such as `saved: wrote Text.txt (4.5 KB), …`.
  public var description: String {
    switch self {
    case .stateChanged(let state): "state: \(state)"
    case .saved(let report): "saved: \(report)"
    case .published(let report): "published: \(report)"
    case .changedByOthers(let outcome, let paths):
      "changed by another program, \(outcome.rawValue)"
        + (paths.isEmpty ? "" : ": " + paths.map(displayString).joined(separator: ", "))
    case .moved(let url): "moved to \(displayString(url.path))"
    }
  }
}
