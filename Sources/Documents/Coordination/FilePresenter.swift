public import FoundationEssentials

/// Shows or edits an item, and wants to take part when others read or write it, in whatever process they are.
///
/// Counterpart of `NSFilePresenter`. Every method has a default that does nothing. None of them may wait for the
/// access that it is told of; those that take longer than the other one's deadline fail that access.
///
/// `FileCoordinator.addFilePresenter(_:)` begins it, and keeps the presenter until `removeFilePresenter(_:)`.
public protocol FilePresenter: AnyObject, Sendable {
  /// Does what was held up while others had the item.
  typealias Reacquirer = @Sendable () async -> Void

  /// The item; nil where there is none yet. It may be asked from any thread at any time.
  var presentedItemURL: URL? { get }

  /// Which of the methods that have a stand-in this presenter has itself.
  var presenterCapabilities: FilePresenterCapabilities { get }

  /// Somebody is going to read: write nothing until what is returned is called.
  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer?

  /// Somebody is going to write: neither read nor write until what is returned is called.
  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer?

  /// Somebody is going to read: save what is unsaved. An error keeps the other one from reading.
  func savePresentedItemChanges() async throws

  /// The item is going to be deleted or replaced. An error keeps the other one from doing so.
  func accommodatePresentedItemDeletion() async throws

  /// Something in the item, a package, is going to be deleted or replaced.
  func accommodatePresentedSubitemDeletion(at url: URL) async throws

  /// The item is somewhere else now.
  func presentedItemDidMove(to newURL: URL) async

  /// The item has other contents now.
  func presentedItemDidChange() async

  /// Something in the item, a folder, has other contents now.
  func presentedSubitemDidChange(at url: URL) async

  /// There is something new in the item, a folder.
  func presentedSubitemDidAppear(at url: URL) async

  /// Something in the item, a folder, is somewhere else now.
  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async
}

/// Which methods a presenter has itself: Swift knows no optional ones.
public struct FilePresenterCapabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt

  /// Makes a set of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `presentedSubitemDidChange(at:)`, `presentedSubitemDidAppear(at:)` and `presentedSubitem(at:didMoveTo:)`. A presenter
  /// of a package that does not have them is told `presentedItemDidChange()` instead.
  public static let presentedSubitems = FilePresenterCapabilities(rawValue: 1)
}

extension FilePresenter {
  /// None.
  public var presenterCapabilities: FilePresenterCapabilities { [] }
  /// Nothing to wait for.
  public func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? { nil }
  /// Nothing to wait for.
  public func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? { nil }
  /// Nothing to save.
  public func savePresentedItemChanges() async throws {}
  /// Nothing to do.
  public func accommodatePresentedItemDeletion() async throws {}
  /// Nothing to do.
  public func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
  /// Nothing to do.
  public func presentedItemDidMove(to newURL: URL) async {}
  /// Nothing to do.
  public func presentedItemDidChange() async {}
  /// Nothing to do.
  public func presentedSubitemDidChange(at url: URL) async {}
  /// Nothing to do.
  public func presentedSubitemDidAppear(at url: URL) async {}
  /// Nothing to do.
  public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {}
}
