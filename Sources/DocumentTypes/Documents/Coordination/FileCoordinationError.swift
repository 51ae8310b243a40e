public import FoundationEssentials

/// The facts about a coordinated access that failed; `description` is their text.
public struct FileCoordinationError: Error, Sendable {
  /// The kind of failure, for decisions of programs.
  public enum Code: String, Sendable, CaseIterable {
    /// A presenter did not answer before the deadline; `holder` is its process.
    case presenterTimeout
    /// Another access still used the item at the deadline; `holder` is its process.
    case timeout
    /// The program cancelled the coordinator, or the task that waits.
    case cancelled
    /// A presenter refused; `cause` is the error that it threw, if it belongs to this process.
    case presenter
    /// The access would wait for an access that waits for it.
    case wouldDeadlock
    /// The folder in which processes find each other does not belong to this user alone, or cannot be made.
    case registry
    /// The URL is not a file URL.
    case invalidName
  }

  /// The kind of failure.
  public var code: Code
  /// The item's path.
  public var item: String
  /// The process that the access waited for.
  public var holder: FileAccessHolder?
  /// The reason in words; if it is nil, `description` uses the words for `code`.
  public var reason: String?
  /// The underlying error.
  public var cause: (any Error)?

  /// Makes an error of these facts.
  package init(
    _ code: Code, item: String, holder: FileAccessHolder? = nil, reason: String? = nil,
    cause: (any Error)? = nil
  ) {
    (self.code, self.item, self.holder) = (code, item, holder)
    (self.reason, self.cause) = (reason, cause)
  }

  /// The code for this error in Apple's `NSCocoaErrorDomain`: 3072 for `cancelled`.
  public var cocoaCode: CocoaError.Code {
    switch code {
    case .cancelled: .userCancelled
    case .invalidName: .fileReadInvalidFileName
    case .presenterTimeout, .timeout, .presenter, .wouldDeadlock: .fileLocking
    case .registry: .fileReadUnknown
    }
  }
}

extension FileCoordinationError: CustomStringConvertible, LocalizedError {
  /// One sentence that names the item and the reason, and one of advice.
  public var description: String {
    let name = URL(filePath: item).lastPathComponent
    let text = "'\(name)' could not be accessed: \(reason ?? words)."
    return advice.map { "\(text) \($0)" } ?? text
  }

  /// The same text, for Foundation.
  public var errorDescription: String? { description }

  private var words: String {
    let other = holder.map { "\($0)" } ?? "another program"
    return switch code {
    case .presenterTimeout: "\(other) has it open and does not answer"
    case .timeout: "\(other) is still using it"
    case .cancelled: "it was cancelled"
    case .presenter: "\(other) has it open and refused: \(cause.map { "\($0)" } ?? "no reason was given")"
    case .wouldDeadlock: "it would wait for an access that waits for it"
    case .registry: "the folder for coordination cannot be used"
    case .invalidName: "it is not the URL of a file"
    }
  }

  private var advice: String? {
    switch code {
    case .presenterTimeout: "Continue or end that program, and try again."
    case .timeout: "Try again after it has finished."
    case .wouldDeadlock: "Ask for all items at once, or with the same coordinator."
    case .presenter, .cancelled, .registry, .invalidName: nil
    }
  }
}
