public import FoundationEssentials
import Synchronization

/// An item that an access reads or writes.
///
/// Counterpart of `NSFileAccessIntent`.
public final class FileAccessIntent: Sendable {
  let kind: AccessRequest.Kind
  let options: UInt
  private let current: Mutex<URL>

  private init(_ kind: AccessRequest.Kind, _ url: URL, _ options: UInt) {
    (self.kind, self.options) = (kind, options)
    current = Mutex(url)
  }

  /// Makes an intent to read.
  public static func readingIntent(
    with url: URL, options: FileCoordinator.ReadingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(.read, url, options.rawValue)
  }

  /// Makes an intent to write.
  public static func writingIntent(
    with url: URL, options: FileCoordinator.WritingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(.write, url, options.rawValue)
  }

  /// The item's URL.
  ///
  /// Another program may move the item while the access waits: always use this URL in the accessor.
  public internal(set) var url: URL {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// Whether the access reads the contents of the item.
  package var readsContents: Bool {
    !isWriting && !readingOptions.contains(.immediatelyAvailableMetadataOnly)
  }

  /// Whether the access writes the item.
  package var isWriting: Bool { kind == .write }

  /// The options of a reading access; none for a writing one.
  package var readingOptions: FileCoordinator.ReadingOptions {
    kind == .read ? .init(rawValue: options) : []
  }
}

extension FileCoordinator {
  /// The way in which an access reads an item.
  public struct ReadingOptions: OptionSet, Sendable, Hashable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt

    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Presenters need not save first.
    public static let withoutChanges = ReadingOptions(rawValue: 1)
    /// If the item is a symbolic link, the access reads its target.
    public static let resolvesSymbolicLink = ReadingOptions(rawValue: 2)
    /// The access reads only attributes, so that no presenter is asked.
    public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 4)
  }

  /// The change that an access makes to an item; one option at a time.
  public struct WritingOptions: OptionSet, Sendable, Hashable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt

    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The item is deleted.
    public static let forDeleting = WritingOptions(rawValue: 1)
    /// The item is moved.
    public static let forMoving = WritingOptions(rawValue: 2)
    /// The access makes the new contents from the old ones, so presenters save first.
    public static let forMerging = WritingOptions(rawValue: 4)
    /// Another item replaces it.
    public static let forReplacing = WritingOptions(rawValue: 8)
    /// The access writes only attributes that have nothing to do with the contents.
    public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 16)

    /// Whether the write concerns also everything in a folder.
    var takesContents: Bool { !isDisjoint(with: [.forDeleting, .forMoving, .forReplacing]) }
    /// Whether the write removes the old item.
    var removesItem: Bool { !isDisjoint(with: [.forDeleting, .forReplacing]) }
  }
}
