public import FilePackages
public import FoundationEssentials

/// What happened to an open document, beside what its user did: for whoever shows it.
public enum DocumentEvent: Sendable {
  /// Its state is another one.
  case stateChanged(DocumentState)
  /// It was saved, by a call or by itself.
  case saved(SaveReport)
  /// What another program did was taken in: the content may be another one. The paths are those of the children that
  /// it changed, made or removed; none where a whole package took the place of another one, or the document is gone.
  case changedByOthers(ExternalChangeOutcome, paths: [String])
  /// It is somewhere else by now.
  case moved(to: URL)
}
