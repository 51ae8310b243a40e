package import DurableIO
public import FoundationEssentials
package import SystemPackage

/// Why something could not be done with a document, in facts; `text(_:)` is the one place where they become a
/// text.
public struct FilePackageError: Error, Sendable {
  /// What kind of failure it is, for programs to decide by.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing is at that place.
    case noSuchFile
    /// The document has no such version, or keeps none.
    case noSuchVersion
    /// It is a file, or something else that is not a directory.
    case notAPackage
    /// There is something already, and it was not to be replaced.
    case fileExists
    /// Another program changed what this operation would overwrite, or the package itself.
    case changedOnDisk
    /// The tree has edits that no save has, and the operation would give the document another tree.
    case unsavedEdits
    /// The disk or the user's share of it is full.
    case noSpace
    /// The medium cannot be written.
    case readOnly
    /// The system or the child's own mode forbids it.
    case permissionDenied
    /// A name that no file can have.
    case invalidName
    /// Two children, or a child and the document's own files, want one name.
    case nameCollision
    /// A name of the document's own files.
    case reservedName
    /// A FIFO, a socket or a device, or a node that is not of the kind the operation is for.
    case wrongKind
    /// Folders within folders beyond what is followed.
    case tooDeep
    /// `Metadata.plist` cannot be read or is not ours.
    case metadataDamaged
    /// A newer program made the package.
    case newerFormat
    /// A save that was acknowledged cannot be read in the package's journal, or not be carried out.
    case journalDamaged
    /// Another program has held the document for so long that waiting was given up.
    case busy
    /// The task was cancelled before anything was committed.
    case cancelled
    /// The content is not what its type says.
    case invalidContent
    /// The file system lacks something that is needed.
    case unsupported
    /// The system tells of no more folders than it does already; the rest is looked at from time to time.
    case watchLimit
    /// The device failed, or the system gave a reason that has no code of its own.
    case inputOutput
    /// The new state was in its place when the system failed, and could not be taken back: the document is
    /// whole, but whether a power cut would leave the old state or the new one is not known.
    case indeterminate
  }

  /// What was being done.
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
    /// Comparing a package with its digests.
    case verify
    /// Bringing a package to a whole state.
    case repair
    /// Being told of what other programs do to a document.
    case watch
    /// Looking for documents in a folder.
    case search
    /// Bringing a document to another place.
    case move
    /// Removing a document.
    case delete
    /// Bringing what is saved to where other programs see it.
    case publish
    /// Ending what saving began, once the document is saved.
    case close
  }

  /// What kind of failure it is.
  public var code: Code
  /// What was being done.
  public var operation: Operation
  /// The document's path.
  public var document: String
  /// The child's path within the document, or nil when it is about the document as a whole.
  public var child: String?
  /// What was being done to the child when it failed, such as `writing`.
  public var activity: String?
  /// The reason, in words; nil stands for the code's own.
  public var reason: String?
  /// The failed system call.
  public var call: String?
  /// The number of the system's error (errno).
  public var systemErrorNumber: Int32?
  /// What it is about.
  public var subject: Subject

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
  package init(
    _ code: Code, _ operation: Operation, _ node: StoredNode, activity: String? = nil, reason: String? = nil
  ) {
    let isDocument = node.path.isRoot || node.location.isOfOneFile
    self.init(
      code, operation, document: FileName(isDocument ? node.filePath : node.location.path).string,
      child: isDocument ? nil : node.path.display, activity: activity, reason: reason)
  }

  package init(
    _ error: SystemError, _ operation: Operation, _ node: StoredNode, activity: String? = nil
  ) {
    self.init(Code(error.code), operation, node, activity: activity)
    call = error.call
    systemErrorNumber = error.code.rawValue
    reason = error.reason
  }
}

extension FilePackageError {
  /// An error in reading what was to become the child at `path`, wherever that came from.
  init(
    renaming error: FilePackageError, to path: PackagePath, of location: Location, _ operation: Operation
  ) {
    self = error
    self.operation = operation
    document = FileName(location.path).string
    child = path.isRoot ? nil : path.display
    activity = "reading the contents for"
  }

  func during(_ operation: Operation) -> FilePackageError {
    var error = self
    error.operation = operation
    return error
  }

  /// The error of a tree that is to become the document there.
  func of(_ location: Location) -> FilePackageError {
    var error = self
    if document.isEmpty { error.document = FileName(location.path).string }
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
  /// One sentence that names the document, the child and the reason, and what to do.
  public var description: String { text(.program) }

  /// The same text, where Foundation asks for one.
  public var errorDescription: String? { description }
}

extension FilePackageError.Operation {
  var past: String {
    switch self {
    case .open: "opened"
    case .read: "read"
    case .save: "saved"
    case .create: "created"
    case .copy: "copied"
    case .verify: "verified"
    case .repair: "repaired"
    case .watch: "watched"
    case .search: "searched"
    case .move: "moved"
    case .delete: "deleted"
    case .publish: "published"
    case .close: "closed"
    }
  }

  var present: String {
    switch self {
    case .open: "opening"
    case .read: "reading"
    case .save: "writing"
    case .create: "writing"
    case .copy: "copying"
    case .verify: "reading"
    case .repair: "writing"
    case .watch: "watching"
    case .search: "searching"
    case .move: "moving"
    case .delete: "deleting"
    case .publish: "publishing"
    case .close: "tidying up"
    }
  }
}

extension FilePackageError.Code {
  package var words: String {
    switch self {
    case .noSuchFile: "there is no such file"
    case .noSuchVersion: "there is no such version"
    case .notAPackage: "it is not a package, which is a directory"
    case .fileExists: "there is something of that name already"
    case .changedOnDisk: "another program changed it meanwhile"
    case .unsavedEdits: "it has edits that are not saved"
    case .noSpace: "there is no space left on the device"
    case .readOnly: "the file system is read-only"
    case .permissionDenied: "permission denied"
    case .invalidName: "that is no name for a file"
    case .nameCollision: "two children have the same name"
    case .reservedName: "that name belongs to the document's own files"
    case .wrongKind: "it is not of the kind that this needs"
    case .tooDeep: "its folders are nested too deep"
    case .metadataDamaged: "its metadata cannot be read"
    case .newerFormat: "a newer program made it"
    case .journalDamaged: "its journal holds a save that cannot be carried out"
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
  /// `No space left on device` as it stands within a sentence; abbreviations stay as they are.
  var lowercasingFirst: String {
    guard let first, dropFirst().first?.isLowercase == true else { return self }
    return first.lowercased() + dropFirst()
  }
}
