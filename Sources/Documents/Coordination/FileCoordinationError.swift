public import FoundationEssentials

/// Why an item could not be read or written in turn, in facts; `description` is the one place where they become a text.
public struct FileCoordinationError: Error, Sendable {
  /// What kind of failure it is, for programs to decide by.
  public enum Code: String, Sendable, CaseIterable {
    /// A presenter did not answer in time; `holder` is its process.
    case presenterTimeout
    /// Another one has been reading or writing the item all the time; `holder` is who.
    case timeout
    /// The coordinator, or the task that waits, was cancelled.
    case cancelled
    /// A presenter refused; `cause` is what it threw, where that was in this process.
    case presenter
    /// It would wait for an access that waits for it.
    case wouldDeadlock
    /// The folder in which processes find each other is not this user's alone, or cannot be made.
    case registry
    /// The URL is none of a file.
    case invalidName
  }

  /// What kind of failure it is.
  public var code: Code
  /// The item's path.
  public var item: String
  /// Whom it was waited for.
  public var holder: FileAccessHolder?
  /// The reason, in words; nil stands for the code's own.
  public var reason: String?
  /// What was thrown underneath.
  public var cause: (any Error)?

  /// Makes an error of these facts.
  public init(
    _ code: Code, item: String, holder: FileAccessHolder? = nil, reason: String? = nil,
    cause: (any Error)? = nil
  ) {
    (self.code, self.item, self.holder) = (code, item, holder)
    (self.reason, self.cause) = (reason, cause)
  }

  /// The code that Apple's interfaces have for it in `NSCocoaErrorDomain`: 3072 for `cancelled`.
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
  /// One sentence that names the item and the reason, and what to do.
  public var description: String {
    let name = URL(filePath: item).lastPathComponent
    let text = "'\(name)' could not be accessed: \(reason ?? words)."
    return advice.map { "\(text) \($0)" } ?? text
  }

  /// The same text, where Foundation asks for one.
  public var errorDescription: String? { description }

  private var words: String {
    let other = holder.map { "\($0)" } ?? "another program"
    return switch code {
    case .presenterTimeout: "\(other) has it open and does not answer"
    case .timeout: "\(other) has been using it all the time"
    case .cancelled: "it was cancelled"
    case .presenter: "\(other) has it open and refused: \(cause.map { "\($0)" } ?? "no reason was given")"
    case .wouldDeadlock: "it would wait for an access that waits for it"
    case .registry: "the folder in which programs find each other cannot be used"
    case .invalidName: "that is no URL of a file"
    }
  }

  private var advice: String? {
    switch code {
    case .presenterTimeout: "Continue or end that program, and try again."
    case .timeout: "Try again once it is done."
    case .wouldDeadlock: "Ask for all items at once, or with the same coordinator."
    case .presenter, .cancelled, .registry, .invalidName: nil
    }
  }
}
