public import FoundationEssentials
import Synchronization

/// What is to be read or written. Counterpart of `NSFileAccessIntent`.
public final class FileAccessIntent: Sendable {
  let kind: AccessRequest.Kind
  let options: UInt
  private let current: Mutex<URL>

  private init(_ kind: AccessRequest.Kind, _ url: URL, _ options: UInt) {
    (self.kind, self.options) = (kind, options)
    current = Mutex(url)
  }

  /// Reading.
  public static func readingIntent(
    with url: URL, options: FileCoordinator.ReadingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(.read, url, options.rawValue)
  }

  /// Writing.
  public static func writingIntent(
    with url: URL, options: FileCoordinator.WritingOptions = []
  ) -> FileAccessIntent {
    FileAccessIntent(.write, url, options.rawValue)
  }

  /// Where the item is. Another one moves it while the access waits: always use this one in the accessor.
  public internal(set) var url: URL {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  var resolvesSymbolicLink: Bool {
    kind == .read && FileCoordinator.ReadingOptions(rawValue: options).contains(.resolvesSymbolicLink)
  }

  /// Whether it goes on at another place when somebody moves the item meanwhile: what replaces an item means its place.
  var followsMoves: Bool {
    kind == .read || !FileCoordinator.WritingOptions(rawValue: options).contains(.forReplacing)
  }
}

extension FileCoordinator {
  /// How an item is read.
  public struct ReadingOptions: OptionSet, Sendable, Hashable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt

    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Presenters need not save first.
    public static let withoutChanges = ReadingOptions(rawValue: 1)
    /// Where the item is a symbolic link, what it leads to is read.
    public static let resolvesSymbolicLink = ReadingOptions(rawValue: 2)
    /// Only the attributes are read: nobody is asked for anything.
    public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 4)
  }

  /// What is written; one at a time.
  public struct WritingOptions: OptionSet, Sendable, Hashable {
    /// The bits, as Apple numbers them.
    public let rawValue: UInt

    /// Makes a set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The item is deleted.
    public static let forDeleting = WritingOptions(rawValue: 1)
    /// The item is moved.
    public static let forMoving = WritingOptions(rawValue: 2)
    /// The new contents are made of the old ones: presenters save first.
    public static let forMerging = WritingOptions(rawValue: 4)
    /// Another item takes its place.
    public static let forReplacing = WritingOptions(rawValue: 8)
    /// Only attributes that have nothing to do with the contents are written.
    public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 16)

    /// Whether it is about everything in a folder, too.
    var takesContents: Bool { !isDisjoint(with: [.forDeleting, .forMoving, .forReplacing]) }
    /// Whether what is there is gone afterwards.
    var removesItem: Bool { !isDisjoint(with: [.forDeleting, .forReplacing]) }
  }
}
