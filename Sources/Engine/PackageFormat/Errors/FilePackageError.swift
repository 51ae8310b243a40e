import DurableIO
public import FoundationEssentials
package import SystemPackage

/// The facts about an operation on a document that failed; `description` is their text.
public struct FilePackageError: Error, Sendable {
  /// The kind of failure, for decisions of programs.
  public enum Code: String, Sendable, CaseIterable {
    /// There is nothing at that place.
    case noSuchFile
    /// The document has no such version, or no history.
    case noSuchVersion
    /// The node is not a directory.
    case notAPackage
    /// There is an item already, and the operation must not replace it.
    case fileExists
    /// Another program changed the package, or a child that this operation would overwrite.
    case changedOnDisk
    /// The tree has edits that no save has, and the operation would give the document another tree.
    case unsavedEdits
    /// The disk or the user's share of it is full.
    case noSpace
    /// The file system is read-only.
    case readOnly
    /// The system or the child's own mode forbids the operation.
    case permissionDenied
    /// A name that no file can have.
    case invalidName
    /// Two children, or a child and the document's own files, want one name.
    case nameCollision
    /// A name of the document's own files.
    case reservedName
    /// A FIFO, a socket or a device, or a node of a kind that the operation does not accept.
    case wrongKind
    /// Folders nested deeper than the library follows them.
    case tooDeep
    /// `Metadata.plist` cannot be read, or another program made it.
    case metadataDamaged
    /// A newer program made the package.
    case newerFormat
    /// An acknowledged save in the package's log cannot be read or carried out.
    case logDamaged
    /// A committed save cannot be published, because the file system refuses a child's name or a change at its place.
    ///
    /// The save is durable. No other save is possible before it is published, or `PackageStore.discardUnpublishable(at:)`
    /// has dropped these children.
    case unpublished
    /// Another program has held the document for longer than this one waits.
    case busy
    /// The task was cancelled before the commit.
    case cancelled
    /// The content is not of the form that its type requires.
    case invalidContent
    /// The file system lacks something that the operation needs.
    case unsupported
    /// The system watches no more folders for this user; the library checks the rest from time to time.
    case watchLimit
    /// The device failed, or the system gave a reason that has no code of its own.
    case inputOutput
    /// The new state was in its place when the system failed, and could not be taken back.
    ///
    /// The document is whole. Whether a power cut would leave the old state or the new one is unknown.
    case indeterminate
  }

  /// The operation that failed.
  public enum Operation: String, Sendable {
    /// Opening a package.
    case open
    /// Reading a node.
    case read
    /// Saving a package, or writing a tree.
    case save
    /// Making a new package.
    case create
    /// Saving a package as a new document.
    case copy
    /// Bringing a document back to a version.
    case restore
    /// Comparing a package with its digests.
    case verify
    /// Bringing a package to a whole state.
    case repair
    /// Watching a document for other programs' changes.
    case watch
    /// Looking for documents in a folder.
    case search
    /// Moving a document to another place.
    case move
    /// Removing a document.
    case delete
    /// Removing a document from this machine, but not from its container.
    case evict
    /// Publishing a committed save.
    case publish
    /// Ending a session, after the document was saved.
    case close
  }

  /// The kind of failure.
  public var code: Code
  /// The operation that failed.
  public var operation: Operation
  /// The document's path.
  public var document: String
  /// The child's path within the document; nil if the error is about the whole document.
  public var child: String?
  /// The activity that failed at the child, such as `writing`.
  public var activity: String?
  /// The reason in words; if it is nil, `description` uses the words for `code`.
  public var reason: String?
  /// The failed system call.
  public var call: String?
  /// The number of the system's error (errno).
  public var systemErrorNumber: Int32?
  /// The thing that the error is about.
  public var subject: Subject
  /// The document on disk after a save that failed.
  package var disk = DiskState.unchanged

  /// Makes an error of these facts.
  public init(
    _ code: Code, _ operation: Operation, document: String, child: String? = nil, activity: String? = nil,
    reason: String? = nil
  ) {
    self.code = code
    self.operation = operation
    self.document = document
    self.child = child
    self.activity = activity
    self.reason = reason
    subject = operation == .search ? .folder : .document
  }
}

extension FilePackageError {
  package func during(_ operation: Operation) -> FilePackageError {
    var error = self
    error.operation = operation
    return error
  }
}

extension FilePackageError.Code {
  package init(_ code: Errno) {
    self =
      switch code {
      case .noSuchFileOrDirectory: .noSuchFile
      case .fileExists: .fileExists
      case .noSpace, Errno(rawValue: 122): .noSpace
      case .readOnlyFileSystem: .readOnly
      case .permissionDenied, .notPermitted: .permissionDenied
      case .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .invalidArgument: .wrongKind
      case .fileNameTooLong: .invalidName
      case .notSupported, .improperLink: .unsupported
      // ESTALE: over a network, the file is not there any more.
      case Errno(rawValue: 116): .changedOnDisk
      default: .inputOutput
      }
  }
}

// MARK: - The text

extension FilePackageError: CustomStringConvertible, LocalizedError {
  /// One sentence that names the document, the child and the reason, and advice.
  public var description: String { text(.program) }

  /// The same text, for Foundation.
  public var errorDescription: String? { description }
}

extension FilePackageError.Operation {
  /// The operation in a sentence.
  var words: (past: String, present: String) {
    switch self {
    case .open: ("opened", "opening")
    case .read: ("read", "reading")
    case .save: ("saved", "writing")
    case .create: ("created", "writing")
    case .copy: ("copied", "copying")
    case .restore: ("restored", "restoring")
    case .verify: ("verified", "reading")
    case .repair: ("repaired", "writing")
    case .watch: ("watched", "watching")
    case .search: ("searched", "searching")
    case .move: ("moved", "moving")
    case .delete: ("deleted", "deleting")
    case .evict: ("removed from this machine", "removing from this machine")
    case .publish: ("published", "publishing")
    case .close: ("closed", "cleaning up")
    }
  }
}

extension FilePackageError.Code {
  package var words: String {
    switch self {
    case .noSuchFile: "there is no such file"
    case .noSuchVersion: "there is no such version"
    case .notAPackage: "it is not a package, which is a directory"
    case .fileExists: "an item with that name exists already"
    case .changedOnDisk: "another program changed it meanwhile"
    case .unsavedEdits: "it has edits that are not saved"
    case .noSpace: "there is no space left on the device"
    case .readOnly: "the file system is read-only"
    case .permissionDenied: "permission denied"
    case .invalidName: "a file cannot have that name"
    case .nameCollision: "two children have the same name"
    case .reservedName: "that name belongs to the document's own files"
    case .wrongKind: "it is of the wrong kind"
    case .tooDeep: "its folders are nested too deep"
    case .metadataDamaged: "its metadata cannot be read"
    case .newerFormat: "a newer program made it"
    case .logDamaged: "its log has a save that cannot be published"
    case .unpublished: "a committed save cannot be published"
    case .busy: "another program is using it"
    case .cancelled: "it was cancelled"
    case .invalidContent: "its content is not valid"
    case .unsupported: "the file system does not support this"
    case .watchLimit: "the system watches no more folders for this user"
    case .inputOutput: "input/output error"
    case .indeterminate: "the device did not confirm it"
    }
  }
}

extension String {
  /// `No space left on device` for use within a sentence; abbreviations stay as they are.
  package var lowercasingFirst: String {
    guard let first, dropFirst().first?.isLowercase == true else { return self }
    return first.lowercased() + dropFirst()
  }
}
