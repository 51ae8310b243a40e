public import FilePackages
public import FoundationEssentials

/// An event of an open document, for the program that shows it. The user's edits are not events.
public enum DocumentEvent: Sendable {
  /// The document has a new state.
  case stateChanged(DocumentState)
  /// The document was saved, by a call or by itself.
  case saved(SaveReport)
  /// A save of a document with a database is published; its `saved` event reported the commit. The report has the
  /// conflicts. If `isPublished` is false, the publishing found conflicts and then failed.
  case published(SaveReport)
  /// The document found another program's change; its content may be a new one.
  ///
  /// The paths are those of the children that the other program changed, made or removed. There are none if another
  /// package replaced the document's, or if the document was removed.
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
