package import DurableIO
public import FoundationEssentials
package import PackageFormat
package import Synchronization
package import SystemPackage

// T1 A change after the snapshot of a save stays a change, also if it comes while the tree takes up the saved state.
// T2 Bytes in memory stay there after a save only if they equal those on disk. Otherwise they are read again on demand:
//    an example is the property list that the library rewrites during a save.
// T3 If another program changed a file and this tree did not, the file keeps its known status. So no read gives the new
//    bytes, and a save finds out that it would replace them.
// T4 A wrapper that left a directory after the snapshot also learns the place to which the save moved its file.
// T5 If a save left a name empty, a file under that name belongs to another program, and this tree has not seen it.

/// A node of a document in memory: a directory with children, a regular file, or a symbolic link.
///
/// Counterpart of Apple's `FileWrapper`, with its initialisers, members and names. Differences:
///
/// - It is thread-safe and `Sendable`.
/// - Times are exact to the nanosecond.
/// - A wrapper that reads on demand knows its file by identity on disk, size and date. If another program changed the
///   file, reading gives nil, as with Apple's, or an error from `contents()`. It never gives bytes newer than the
///   wrapper.
/// - A directory of 100,000 children is one listing, and only children in use become objects. `childNames()` and
///   `childCount()` make no objects and `child(named:)` makes one, while `fileWrappers` makes all of them.
/// - Subclasses may override the initialisers; the other members are not open.
/// - Names of children need not be UTF-8. A byte that is not UTF-8 is one private-use character in the key, and the
///   same byte again when written.
/// - `init?(coder:)` has no counterpart, since `NSCoder` belongs to a Foundation that this library does not load;
///   `serializedRepresentation` does its work.
///
/// Calling one of Apple's methods on the wrong kind of wrapper is a programming error and traps, as with Apple's. So
/// check `isDirectory`, `isRegularFile` and `isSymbolicLink` first. Only `fileWrappers` is nil instead. The methods that throw, such as `contents()` and
/// `child(named:)`, throw `wrongKind` instead, so that a document with unexpected kinds is no danger.
// `@unchecked`: every stored property is a constant, and `state` guards its own value. The compiler cannot check the
// class, since it is open for subclasses as Apple's is; a subclass guards its own properties.
open class FileWrapper: @unchecked Sendable {
  package let state: Mutex<State>

  // A thread that holds the lock of a wrapper takes only locks of its children, and calls no disk.
  package struct State: Sendable {
    package var node: Node
    package var attributes: NodeAttributes
    var preferredFilename: String?
    package var filename: String?
    /// The node on disk that this wrapper was read from or last saved as.
    package var disk: DiskNode?
    /// The file that `write(to:)` last wrote this wrapper as.
    package var written: FileStatus?
    /// The number of changes of this wrapper and of the nodes beneath it.
    var revision: UInt64 = 0
    package var parents: [ParentLink] = []
    /// The role of a child that is named `Metadata.plist`, if this is the root of a package.
    var metadataRole = MetadataRole.values

    package init(
      node: Node, attributes: NodeAttributes, preferredFilename: String? = nil, filename: String? = nil,
      stored: StoredNode? = nil, parents: [ParentLink] = []
    ) {
      (self.node, self.attributes) = (node, attributes)
      (self.preferredFilename, self.filename) = (preferredFilename, filename)
      (disk, self.parents) = (stored.map { DiskNode($0) }, parents)
    }

    package var stored: StoredNode? { disk?.now }

    package var kind: FileKind {
      switch node {
      case .file: .file
      case .directory: .directory
      case .link: .symbolicLink
      }
    }
  }

  package enum Node: Sendable {
    /// The bytes; nil for those of the wrapper's own file on disk.
    case file(FileContents?)
    case directory(DirectoryNode)
    case link(LinkDestination)
  }

  package enum LinkDestination: Sendable {
    case known([UInt8])
    /// Not read yet; the wrapper's stored node leads to it.
    case unread
  }

  /// A place of this wrapper in one directory; a wrapper may have several.
  package struct ParentLink: Sendable {
    package weak var directory: FileWrapper?
    package var name: FileName
  }

  package init(state: consuming State) {
    self.state = Mutex(state)
    claimNode()
  }

  /// Makes the wrapper the one of its node on disk.
  func claimNode() {
    state.withLock { $0.disk }?.wrapper = self
  }

  // MARK: Making wrappers in memory

  /// Makes an empty regular file.
  public init() {
    state = Mutex(State(node: .file(.data(Data())), attributes: .newFile()))
  }

  /// Makes a regular file of these bytes, without a name, with open permissions and the current time as its
  /// modification date.
  public init(regularFileWithContents contents: Data) {
    state = Mutex(State(node: .file(.data(contents)), attributes: .newFile()))
  }

  /// Makes a directory of these children.
  ///
  /// A child with a preferred filename keeps it; a child without one takes the dictionary's key. If several children
  /// have the same name, each gets a key of its own, as with `addFileWrapper(_:)`.
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

  /// Reads the node at `url`, which may be a directory, a regular file or a symbolic link, even a dangling one.
  ///
  /// It reads only the attributes; children, bytes and destinations are read on demand, or at once with `.immediate`.
  /// Unlike Apple's, files are never mapped into memory, since a program that shortens a mapped file would end this
  /// one. `.withoutMapping` changes nothing.
  ///
  /// - Throws: `CocoaError.fileReadNoSuchFile` (260) if nothing is there. Another `CocoaError` for an error of the
  ///   system, and for a FIFO, a socket or a device, which are never opened. Its `NSUnderlyingError` is a
  ///   `FilePackageError`.
  public init(url: URL, options: FileWrapper.ReadingOptions = []) throws {
    state = Mutex(try State(reading: url))
    claimNode()
    if options.contains(.immediate) { try readAll() }
  }

  /// Makes a regular file of the bytes of another file, which are read when this one is written.
  ///
  /// A child of 10 GB needs 1 MiB of memory, and no disk space if the file system can share blocks.
  ///
  /// - Throws: `CocoaError` if `url` is not a regular file or cannot be looked at.
  public init(regularFileWithContentsOf url: URL) throws {
    state = Mutex(try State(contentsOf: url))
  }

  /// Makes a wrapper with all its children from a `serializedRepresentation`; nil for any other data.
  public init?(serializedRepresentation serializeRepresentation: Data) {
    guard let state = State(serializedRepresentation: serializeRepresentation) else { return nil }
    self.state = Mutex(state)
    restoreParentLinks()
  }

  /// Reads the node at a path on a disk, as `init(url:options:)` does.
  package convenience init(_ path: FilePath, on disk: any Disk) throws(FilePackageError) {
    self.init(try StoredNode.look(at: path, following: false, on: disk))
  }

  /// Makes the wrapper of a node whose status was just read; a document has the name of its place.
  package convenience init(_ node: StoredNode) {
    self.init(state: State(node, name: node.path.name ?? node.location.path.lastComponent.map(FileName.init)))
  }

  // MARK: Kind

  /// Whether this is a directory wrapper.
  public var isDirectory: Bool { kind == .directory }
  /// Whether this is a regular-file wrapper.
  public var isRegularFile: Bool { kind == .file }
  /// Whether this is a symbolic-link wrapper.
  public var isSymbolicLink: Bool { kind == .symbolicLink }

  package var kind: FileKind { state.withLock { $0.kind } }

  /// Makes the error for a throwing method that is for another kind of wrapper.
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

  /// The name under which this wrapper was last read or written; nil if it has no node on disk.
  ///
  /// Its directory decides the name for the next write: `keyForChildFileWrapper(_:)`.
  public var filename: String? {
    get { state.withLock { $0.filename } }
    set { state.withLock { $0.filename = newValue } }
  }

  // MARK: Options

  /// The options for reading a wrapper.
  public struct ReadingOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Reads everything at once, so that no later access fails.
    public static let immediate = ReadingOptions(rawValue: 1)
    /// Maps no files into memory, which this library never does.
    public static let withoutMapping = ReadingOptions(rawValue: 2)
  }

  /// The options for writing a tree.
  public struct WritingOptions: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: UInt
    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Replaces any node at the destination, in one step.
    public static let atomic = WritingOptions(rawValue: 1)
    /// Sets the `filename` of the wrappers within the tree to their written names after a success.
    public static let withNameUpdating = WritingOptions(rawValue: 2)
  }
}
