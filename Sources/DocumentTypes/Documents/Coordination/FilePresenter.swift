public import FoundationEssentials

/// An object that shows or edits an item, and takes part when other programs read or write it.
///
/// Counterpart of `NSFilePresenter`. Every method has a default that does nothing. A method must not wait for the
/// access that it is told of. If a method takes longer than the other program's deadline, that access fails.
///
/// `FileCoordinator.addFilePresenter(_:)` registers a presenter and holds it until `removeFilePresenter(_:)`.
public protocol FilePresenter: AnyObject, Sendable {
  /// Does the work that waited while another program used the item.
  typealias Reacquirer = @Sendable () async -> Void

  /// The item's URL; nil if there is no item yet. Any thread may read it at any time.
  var presentedItemURL: URL? { get }

  /// The methods with a substitute that this presenter implements itself.
  var presenterCapabilities: FilePresenterCapabilities { get }

  /// Another program is about to read: write nothing until it calls the returned closure.
  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer?

  /// Another program is about to write: neither read nor write until it calls the returned closure.
  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer?

  /// Another program is about to read: save all unsaved changes. An error stops that read.
  func savePresentedItemChanges() async throws

  /// Another program is about to delete or replace the item. An error stops that program.
  func accommodatePresentedItemDeletion() async throws

  /// Another program is about to delete or replace a child of the item, a package.
  func accommodatePresentedSubitemDeletion(at url: URL) async throws

  /// Another program has moved the item.
  func presentedItemDidMove(to newURL: URL) async

  /// Another program has changed the item.
  func presentedItemDidChange() async

  /// Another program has changed a child of the item, a folder.
  func presentedSubitemDidChange(at url: URL) async

  /// Another program has added a child to the item, a folder.
  func presentedSubitemDidAppear(at url: URL) async

  /// Another program has moved a child of the item, a folder.
  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async
}

/// The methods that a presenter implements itself: Swift has no optional ones.
public struct FilePresenterCapabilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt

  /// Makes a set of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `presentedSubitemDidChange(at:)`, `presentedSubitemDidAppear(at:)` and `presentedSubitem(at:didMoveTo:)`.
  ///
  /// A presenter of a package without them receives `presentedItemDidChange()` instead.
  public static let presentedSubitems = FilePresenterCapabilities(rawValue: 1)
}

extension FilePresenter {
  /// No capabilities.
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
