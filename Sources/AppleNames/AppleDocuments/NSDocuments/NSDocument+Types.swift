extension NSDocument {
  /// The reason for a save.
  public enum SaveOperationType: UInt, Sendable {
    /// To the document's place.
    case saveOperation = 0
    /// To another place, which becomes the document's place.
    case saveAsOperation = 1
    /// A copy; the document's place does not change.
    case saveToOperation = 2
    /// An automatic copy of unsaved changes; the document's place does not change.
    case autosaveElsewhereOperation = 3
    /// An autosave to the document's place.
    case autosaveInPlaceOperation = 4
    /// An autosave to another place, which becomes the document's place.
    case autosaveAsOperation = 5

    var isCopy: Bool { self == .saveToOperation || self == .autosaveElsewhereOperation }
    var isInPlace: Bool { self == .saveOperation || self == .autosaveInPlaceOperation }
  }

  /// The effect of a change on the change count.
  public enum ChangeType: UInt, Sendable {
    /// The user changed something.
    case changeDone = 0
    /// The user undid a change.
    case changeUndone = 1
    /// The document counts as saved.
    case changeCleared = 2
    /// The document has the contents of another file.
    case changeReadOtherContents = 3
    /// The document was autosaved.
    case changeAutosaved = 4
    /// The user redid a change.
    case changeRedone = 5
    /// The change alone requires no save.
    case changeDiscardable = 256
  }
}
