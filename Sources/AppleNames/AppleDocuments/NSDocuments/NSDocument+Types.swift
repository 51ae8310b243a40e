extension NSDocument {
  /// The reason for a save.
  public enum SaveOperationType: UInt, Sendable {
    /// To the document's place.
    case saveOperation = 0
    /// To another place, at which the document goes on.
    case saveAsOperation = 1
    /// A copy; the document goes on where it is.
    case saveToOperation = 2
    /// A copy of unsaved changes; the document goes on where it is.
    case autosaveElsewhereOperation = 3
    /// To the document's place, by itself.
    case autosaveInPlaceOperation = 4
    /// To another place, by itself; the document goes on there.
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
    /// The user did an undone change again.
    case changeRedone = 5
    /// The change need not be saved for its own sake.
    case changeDiscardable = 256
  }
}
