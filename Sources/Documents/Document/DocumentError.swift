public import FilePackages
public import FoundationEssentials

/// Why something could not be done with an open document, in facts; `description` is the one place where they become
/// a text.
public struct DocumentError: Error, Sendable {
  /// What kind of failure it is, for programs to decide by.
  public enum Code: String, Sendable, CaseIterable {
    /// The document is not open.
    case closed
    /// Edits are refused at the moment.
    case editingDisabled
    /// A group of edits was begun and not ended, or ended and not begun.
    case undoGrouping
    /// The document was removed from its place. It was not made again.
    case deleted
    /// The document type's own code refused to read or to write; `cause` is what it threw.
    case content
    /// The file system refused; `fileError` says what.
    case file
    /// Others who coordinate did not answer or did not end in time; `cause` says who. It was done without them.
    case coordination
  }

  /// What was being done.
  public enum Operation: String, Sendable, CaseIterable {
    /// Opening the document.
    case open
    /// Editing it, or looking at its content.
    case edit
    /// Undoing or redoing an edit.
    case undo
    /// Saving it.
    case save
    /// Reading it anew.
    case revert
    /// Closing it.
    case close
    /// Taking edits from a recovery copy.
    case recover
  }

  /// What kind of failure it is.
  public var code: Code
  /// What was being done.
  public var operation: Operation
  /// The document's path.
  public var document: String
  /// What was thrown underneath.
  public var cause: (any Error)?
  /// Whether edits were left that are in memory only.
  public var hasUnsavedChanges = false
  /// The recovery copy that has these edits.
  public var recoveryCopy: URL?

  init(_ code: Code, _ operation: Operation, _ url: URL, cause: (any Error)? = nil) {
    (self.code, self.operation, self.cause) = (code, operation, cause)
    document = url.path
  }

  /// The error of something that was thrown by the disk or by the document type.
  init(_ error: any Error, _ operation: Operation, _ url: URL) {
    if let error = error as? DocumentError {
      self = error
      self.operation = operation
    } else {
      self.init(error is FilePackageError ? .file : .content, operation, url, cause: error)
    }
  }

  /// What the file system refused.
  public var fileError: FilePackageError? { cause as? FilePackageError }
}

extension DocumentError: CustomStringConvertible, LocalizedError {
  /// One sentence that names the document and the reason, and where the edits are.
  public var description: String { text(.program) }

  /// The same sentence, for programs that go on or for people.
  public func text(_ wording: FilePackageError.Wording) -> String {
    var text =
      fileError?.text(wording)
      ?? "The document '\(wording.path(document))' could not be \(operation.past): \(reason)."
    if let recoveryCopy {
      text += " The edits are kept in '\(recoveryCopy.path)'."
    } else if hasUnsavedChanges && !wording.hasEnded {
      text += " The edits are still in memory."
    }
    return text
  }

  /// The same text, where Foundation asks for one.
  public var errorDescription: String? { description }

  private var reason: String {
    switch code {
    case .closed: "it is not open"
    case .editingDisabled: "it cannot be edited at the moment"
    case .undoGrouping: "a group of edits was begun and not ended, or ended and not begun"
    case .deleted: "it was removed from its place"
    case .content, .file, .coordination: cause.map { "\($0)" } ?? "it is not what its type says"
    }
  }
}

extension DocumentError.Operation {
  fileprivate var past: String {
    switch self {
    case .open: "opened"
    case .edit: "edited"
    case .undo: "undone"
    case .save: "saved"
    case .revert: "reverted"
    case .close: "closed"
    case .recover: "recovered"
    }
  }
}
