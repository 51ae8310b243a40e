package import DurableIO
public import FoundationEssentials
package import Synchronization
package import SystemPackage

/// A node of a document in memory: a directory with children, a regular file, or a symbolic link.
///
/// Counterpart of Apple's `FileWrapper`, with its initialisers, members and names. Differences:
///
/// - It is thread-safe and `Sendable`.
/// - Times are kept to the nanosecond.
/// - What was read lazily is known by its identity on disk, its size and its date: reading it after another
///   program changed it gives nil, as with Apple's, or from `contents()` an error that says so, and not other
///   bytes than those that were there when the wrapper was made.
/// - A directory of 100,000 children is a listing until they are touched, not 100,000 objects; `childNames()`,
///   `childCount()` and `child(named:)` keep it so, while `fileWrappers` makes them all.
/// - Subclasses may override the initialisers; the other members are not open.
/// - Names of children need not be UTF-8: a byte that is not stands in its key as one private-use character,
///   and is the same byte again when written.
/// - `init?(coder:)` has no counterpart, since `NSCoder` belongs to a Foundation that this library does not
///   load; `serializedRepresentation` does its work.
///
/// Calling one of Apple's methods that is not for this kind of wrapper is a programming error and traps, as with
/// Apple's: look at `isDirectory`, `isRegularFile` and `isSymbolicLink` first. The methods that throw, such as
/// `contents()` and `child(named:)`, say `wrongKind` instead, so that a document that holds something else than
/// expected is no danger.
// @unchecked: every stored property is a constant, and `state` guards what it holds. Being open for
// subclasses as Apple's is, the class cannot be checked by the compiler; a subclass guards its own.
open class FileWrapper: @unchecked Sendable {
  package let state: Mutex<State>

  // No two wrappers are ever locked at once: what a step needs of another wrapper it reads before or after.
  package struct State: Sendable {
    package var node: Node
    var attributes: NodeAttributes
    var preferredFilename: String?
    var filename: String?
    /// The node on disk that this wrapper was read from or last saved as.
    var stored: StoredNode?
    /// The file that `write(to:)` last wrote this wrapper as.
    var written: FileStatus?
    /// Moves with every change of this wrapper or of anything beneath it.
    var revision: UInt64 = 0
    package var parents: [ParentLink] = []

    var kind: FileKind {
      switch node {
      case .file: .file
      case .directory: .directory
      case .link: .symbolicLink
      }
    }
  }

  package enum Node: Sendable {
    case file(FileContents)
    case directory(DirectoryNode)
    case link(LinkDestination)
  }

  package enum LinkDestination: Sendable {
    case known([UInt8])
    /// Still to be read from where the wrapper is stored.
    case unread
  }

  /// One place of this wrapper in a directory; a wrapper may have several.
  package struct ParentLink: Sendable {
    package weak var directory: FileWrapper?
    package var name: FileName
  }

  package init(state: consuming State) {
    self.state = Mutex(state)
  }

  // MARK: Making wrappers in memory

  /// Makes an empty regular file.
  public init() {
    state = Mutex(State(node: .file(.data(Data())), attributes: .newFile()))
  }

  /// Makes a regular file of these bytes. It has no name yet, open permissions, and this moment as its
  /// modification date.
  public init(regularFileWithContents contents: Data) {
    state = Mutex(State(node: .file(.data(contents)), attributes: .newFile()))
  }

  /// Makes a directory of these children. A child that has a preferred filename keeps it; one that has none
  /// takes the dictionary's key. Children that then want the same name get keys of their own, as with
  /// `addFileWrapper(_:)`.
  public init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
    state = Mutex(State(node: .directory(DirectoryNode()), attributes: .newDirectory()))
    for (key, child) in childrenByPreferredName.sorted(by: { FileName($0.key) < FileName($1.key) }) {
      if child.preferredFilename == nil { child.preferredFilename = key }
      addFileWrapper(child)
    }
  }

  /// Makes a symbolic link to `url.relativePath`: a relative destination stays relative.
  public init(symbolicLinkWithDestinationURL url: URL) {
    state = Mutex(
      State(
        node: .link(.known(FileName(url.relativePath).bytes)), attributes: .newLink()))
  }

  /// Reads the node at `url`, which may be a directory, a regular file or a symbolic link, also one that
  /// leads nowhere.
  ///
  /// Only the attributes are read now; children, bytes and destinations follow when they are asked for, or at
  /// once with `.immediate`. Unlike Apple's, files are never mapped into memory, since another program that
  /// shortens a mapped file ends this one; `.withoutMapping` changes nothing.
  ///
  /// - Throws: `CocoaError.fileReadNoSuchFile` (260) when nothing is there, another `CocoaError` for a FIFO, a
  ///   socket or a device (which are never opened) and for what the system refuses. Its `NSUnderlyingError` is
  ///   a `FilePackageError`.
  public init(url: URL, options: FileWrapper.ReadingOptions = []) throws {
    state = Mutex(try State(reading: url))
    if options.contains(.immediate) { try readAll() }
  }

  /// Makes a regular file of the bytes of another file, which are read when this one is written: a child of
  /// 10 GB needs 1 MiB of memory, and no disk space where the file system can share blocks.
  ///
  /// - Throws: `CocoaError` when `url` is not a regular file or cannot be looked at.
  public init(regularFileWithContentsOf url: URL) throws {
    state = Mutex(try State(contentsOf: url))
  }

  /// Makes a wrapper, with all that is in it, from what `serializedRepresentation` gave; nil for anything else.
  public init?(serializedRepresentation serializeRepresentation: Data) {
    guard let state = State(serializedRepresentation: serializeRepresentation) else { return nil }
    self.state = Mutex(state)
    restoreParentLinks()
  }

  /// The node at a path on a disk, read as `init(url:options:)` does.
  package convenience init(_ path: FilePath, on disk: any Disk) throws(FilePackageError) {
    let node = try StoredNode.look(at: path, following: false, on: disk)
    self.init(state: State(node, name: path.lastComponent.map(FileName.init)))
  }

  // MARK: Kind

  /// Whether this is a directory wrapper.
  public var isDirectory: Bool { kind == .directory }
  /// Whether this is a regular-file wrapper.
  public var isRegularFile: Bool { kind == .file }
  /// Whether this is a symbolic-link wrapper.
  public var isSymbolicLink: Bool { kind == .symbolicLink }

  package var kind: FileKind { state.withLock { $0.kind } }

  /// The error of a method that is for another kind of wrapper and can say so.
  func wrongKind(needed: FileKind) -> FilePackageError {
    let (stored, filename) = state.withLock { ($0.stored, $0.filename) }
    let reason = "it is \(kind.words), not \(needed.words)"
    if let stored { return FilePackageError(.wrongKind, .read, stored, reason: reason) }
    return FilePackageError(.wrongKind, .read, document: filename ?? "", reason: reason)
  }

  // MARK: Names

  /// The name that a directory tries first when this wrapper is added to it.
  ///
  /// Setting it moves the wrapper to the new name in every directory that it is in. Setting nil or an empty
  /// name is a programming error.
  public var preferredFilename: String? {
    get { state.withLock { $0.preferredFilename } }
    set {
      guard let newValue, !newValue.isEmpty else {
        preconditionFailure("FileWrapper.preferredFilename cannot be nil or empty")
      }
      rename(to: newValue)
    }
  }

  /// The name under which this wrapper was last read or written, nil when it has no node on disk. The name
  /// that it is going to be written under is its directory's to say: `keyForChildFileWrapper(_:)`.
  public var filename: String? {
    get { state.withLock { $0.filename } }
    set { state.withLock { $0.filename = newValue } }
  }

  // MARK: Options

  /// How much is read at once.
  public struct ReadingOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Everything is read now, so that no later access can fail.
    public static let immediate = ReadingOptions(rawValue: 1)
    /// Files are not mapped into memory; they never are.
    public static let withoutMapping = ReadingOptions(rawValue: 2)
  }

  /// How a tree is written.
  public struct WritingOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// What is at the destination may be replaced, all at once.
    public static let atomic = WritingOptions(rawValue: 1)
    /// On success the wrappers within the tree get the names they were written under as their `filename`.
    public static let withNameUpdating = WritingOptions(rawValue: 2)
  }
}
