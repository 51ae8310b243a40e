public import FoundationEssentials

/// An object that shows or edits an item, and takes part when other programs read or write it.
///
/// Counterpart of `NSFilePresenter`. By default, the methods for a changed child call `presentedItemDidChange()`, and
/// every other method does nothing. A method must not wait for the access that called it. If a method takes longer than
/// the other program's deadline, that access fails.
///
/// `FileCoordinator.addFilePresenter(_:)` registers a presenter and holds it until `removeFilePresenter(_:)`.
public protocol FilePresenter: AnyObject, Sendable {
  /// Does the work that waited while another program used the item.
  typealias Reacquirer = @Sendable () async -> Void

  /// The item's URL; nil if there is no item yet. Any thread may read it at any time.
  var presentedItemURL: URL? { get }

  /// Another program is about to read: write nothing until the library calls the returned closure.
  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer?

  /// Another program is about to write: neither read nor write until the library calls the returned closure.
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

extension FilePresenter {
  /// Returns nil.
  public func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? { nil }
  /// Returns nil.
  public func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? { nil }
  /// Does nothing.
  public func savePresentedItemChanges() async throws {}
  /// Does nothing.
  public func accommodatePresentedItemDeletion() async throws {}
  /// Does nothing.
  public func accommodatePresentedSubitemDeletion(at url: URL) async throws {}
  /// Does nothing.
  public func presentedItemDidMove(to newURL: URL) async {}
  /// Does nothing.
  public func presentedItemDidChange() async {}
  /// Calls `presentedItemDidChange()`.
  public func presentedSubitemDidChange(at url: URL) async { await presentedItemDidChange() }
  /// Calls `presentedSubitemDidChange(at:)`.
  public func presentedSubitemDidAppear(at url: URL) async { await presentedSubitemDidChange(at: url) }
  /// Calls `presentedSubitemDidChange(at:)` for the old place.
  public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    await presentedSubitemDidChange(at: oldURL)
  }
}
