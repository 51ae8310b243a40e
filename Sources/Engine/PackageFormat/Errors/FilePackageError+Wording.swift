import DurableIO
import SystemPackage

extension FilePackageError {
  /// The readers of the text: a program that goes on, or people who gave a command that has ended.
  package struct Wording: Sendable {
    /// Returns the text of a path; by default its last name.
    package var path: @Sendable (String) -> String
    /// Whether the program has ended, so that nothing is in memory or open any more.
    package var hasEnded = false
    /// Returns an additional sentence, such as the command that helps.
    package var hint: @Sendable (Code) -> String?

    /// The wording for a program that goes on.
    package static let program = Wording(
      path: {
        FilePath(lossless: $0).lastComponent.map { FileName($0).display } ?? displayString($0)
      })

    /// Makes a wording with this text for paths.
    package init(
      hasEnded: Bool = false, hint: @escaping @Sendable (Code) -> String? = { _ in nil },
      path: @escaping @Sendable (String) -> String
    ) {
      (self.path, self.hasEnded, self.hint) = (path, hasEnded, hint)
    }
  }

  /// The thing that the error is about.
  public enum Subject: String, Sendable {
    /// A document, or a child of one.
    case document
    /// A folder that is searched.
    case folder
    /// A file that is read to become a part of a document.
    case file
  }

  /// Returns one sentence that names the document, the child and the reason, and advice.
  package func text(_ wording: Wording) -> String {
    // A tree in memory has no name yet.
    let thing = "The \(subject)" + (document.isEmpty ? "" : " '\(wording.path(document))'")
    let text =
      switch (code, child) {
      case (.noSuchFile, let child?) where operation == .read && reason == nil:
        "\(thing) has no child '\(child)'."
      case (.invalidName, let child?) where operation == .read:
        "\(thing) cannot have a child '\(child)': \(reason ?? code.words)."
      case (.unpublished, _) where operation != .publish:
        "\(thing) could not be \(operation.words.past): an earlier save cannot be published: \(detail)."
      default: "\(thing) could not be \(operation.words.past): \(detail)."
      }
    return ([text] + advice(wording.hasEnded) + [wording.hint(code)].compactMap(\.self)).joined(
      separator: " ")
  }

  /// The reason, and the activity that failed.
  package var detail: String {
    let reason = reason ?? code.words
    if let child { return "\(reason) (\(activity ?? operation.words.present) '\(child)')" }
    return activity.map { "\(reason) (\($0))" } ?? reason
  }

  private func advice(_ hasEnded: Bool) -> [String] {
    var sentences: [String] = []
    switch operation {
    case .publish: return ["The save is durable; the next opening publishes it."]
    case .close: return ["All saves are durable; the next opening finishes the rest."]
    case .save where code != .indeterminate && code != .noSuchFile:
      sentences.append(disk.sentence)
    default: if case .versionsRemoved = disk { sentences.append(disk.sentence) }
    }
    if let advice = hasEnded ? adviceForCommand : adviceForProgram { sentences.append(advice) }
    return sentences
  }

  private var writes: Bool { ![.open, .read, .verify, .watch, .search].contains(operation) }

  private var adviceForProgram: String? {
    switch code {
    case .changedOnDisk where operation == .save:
      "Open it again to see the changes, or save it to another place."
    case .changedOnDisk: "Open the document again."
    case .unsavedEdits: "Save the edits first, or read the document anew without them."
    case .readOnly: "Save it to another place."
    case .permissionDenied where writes: "Allow writing, or save it to another place."
    case .inputOutput where writes: "Try again, or save it to another place."
    case .indeterminate:
      "It is whole, in its old state or in its new one; save again after the device works."
    default: adviceForAll
    }
  }

  private var adviceForCommand: String? {
    switch code {
    case .changedOnDisk: "Look at the changes, and try again."
    case .readOnly: "Work on a copy in another place."
    case .permissionDenied where writes: "Allow writing, or work on a copy in another place."
    case .inputOutput where writes: "Try again, or work on a copy in another place."
    case .indeterminate:
      "It is whole, in its old state or in its new one; look at it after the device works."
    default: adviceForAll
    }
  }

  private var adviceForAll: String? {
    switch code {
    case .noSpace: "Free some space and try again."
    case .fileExists where writes: "Choose another name, or move the existing item away first."
    case .invalidName where writes, .nameCollision where writes, .reservedName where writes:
      "Choose another name."
    case .logDamaged: "The children are unchanged; repair the document."
    case .unpublished where operation != .publish:
      "The earlier save is durable, and is published once its children can have their places."
    case .busy: "Try again after it has finished."
    case .watchLimit:
      "Raise 'fs.inotify.max_user_watches' and 'max_user_instances' with sysctl to see changes at once."
    case .newerFormat: "Use the newer program, or open a copy that this one made."
    case .metadataDamaged:
      "Restore 'Metadata.plist', or move it away to edit the rest as plain files."
    default: nil
    }
  }
}

extension FileName.Problem {
  package var words: String {
    switch self {
    case .empty: "a name cannot be empty"
    case .dots: "a name cannot be '.' or '..'"
    case .slash: "a name cannot contain '/'"
    case .nul: "a name cannot contain a NUL character"
    case .tooLong: "a name cannot be longer than \(FileName.maximumLength) bytes"
    }
  }
}
