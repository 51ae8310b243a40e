public import FilePackages
public import FoundationEssentials

/// The facts about an operation on a document that failed; `description` is their text.
public struct DocumentError: Error, Sendable {
  /// The kind of a failure, by which programs decide.
  public enum Code: String, Sendable, CaseIterable {
    /// The document is not open.
    case closed
    /// The document refuses edits at the moment.
    case editingDisabled
    /// Another program removed the document, and the document made no new file.
    case deleted
    /// The document type's own code refused to read or to write; `cause` is its error.
    case content
    /// The file system refused; `fileError` has the reason.
    case file
    /// Other programs did not answer or did not end in time; `cause` names them. The document did not wait any longer.
    case coordination
    /// Another program changed the same rows as the edit, and the merge policy refuses; `cause` names the table.
    case conflict
    /// The content is not on this machine, and could not be downloaded; `cause` is the reason.
    case unavailable
  }

  /// The operation that failed.
  public enum Operation: String, Sendable, CaseIterable {
    /// Opening the document.
    case open
    /// Editing the document, or reading its content.
    case edit
    /// Undoing or redoing an edit.
    case undo
    /// Saving the document.
    case save
    /// Reading the document again.
    case revert
    /// Closing the document.
    case close
    /// Taking edits from a recovery copy.
    case recover
  }

  /// The kind of the failure.
  public var code: Code
  /// The operation that failed.
  public var operation: Operation
  /// The document's path.
  public var document: String
  /// The underlying error.
  public var cause: (any Error)?
  /// Whether edits are left in memory only.
  public var hasUnsavedChanges = false
  /// The recovery copy of these edits.
  public var recoveryCopy: URL?

  package init(_ code: Code, _ operation: Operation, _ url: URL, cause: (any Error)? = nil) {
    (self.code, self.operation, self.cause) = (code, operation, cause)
    document = url.path
  }

  /// Makes the error of a failure of the disk or of the document type.
  package init(_ error: any Error, _ operation: Operation, _ url: URL) {
    if let error = error as? DocumentError {
      self = error
      self.operation = operation
    } else {
      self.init(error is FilePackageError ? .file : .content, operation, url, cause: error)
    }
  }

  /// The error of the file system, if it is the cause.
  public var fileError: FilePackageError? { cause as? FilePackageError }

  /// Notes the state of the document on disk, which the text names.
  package mutating func note(_ disk: FilePackageError.DiskState) {
    guard var error = fileError else { return }
    error.disk = disk
    cause = error
  }
}

extension DocumentError: CustomStringConvertible, LocalizedError {
  /// One sentence that names the document, the reason and the place of the edits.
  public var description: String { text(.program) }

  /// Returns the same sentence, for programs that go on or for people.
  package func text(_ wording: FilePackageError.Wording) -> String {
    var text =
      (code == .unavailable ? nil : fileError?.text(wording))
      ?? "The document '\(wording.path(document))' could not be \(operation.past): \(reason)."
    if let recoveryCopy {
      text += " The recovery copy '\(recoveryCopy.path)' has the edits."
    } else if hasUnsavedChanges && !wording.hasEnded {
      text += " The edits are still in memory."
    }
    return text
  }

  /// The same text, for Foundation.
  public var errorDescription: String? { description }

  /// A cause as a clause of another sentence: without its last period.
  private static func clause(_ cause: any Error) -> String {
    if cause is CancellationError { return "the download was cancelled" }
    let text = "\(cause)"
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  private var reason: String {
    switch code {
    case .closed: "it is not open"
    case .editingDisabled: "it cannot be edited at the moment"
    case .deleted: "it was deleted"
    case .content, .file, .coordination, .conflict:
      cause.map { "\($0)" } ?? "its content is not valid for its type"
    case .unavailable:
      "its content is only in the container" + (cause.map { ", and \(Self.clause($0))" } ?? "")
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
