public import Foundation

/// An object that shows or edits an item, and takes part when other programs read or write it.
///
/// Counterpart of Apple's `NSFilePresenter`. The methods are called on `presentedItemOperationQueue`, one after the
/// other. A presenter implements the methods that it needs.
///
/// A registered presenter also gets the changes of programs that do not coordinate, some tenths of a second later.
/// Apple does not promise these calls. They follow the change, so that no program waits for the presenter. A presenter may
/// hear of a coordinated write twice.
///
/// By default, the methods for a new or moved child call `presentedSubitemDidChange(at:)`, and that one calls
/// `presentedItemDidChange()`. So a presenter that implements only `presentedSubitemDidChange(at:)` learns of each
/// child, as on macOS. Unlike Apple's, `presentedItemDidChange()` is also called if the item is a plain folder.
@preconcurrency
public protocol NSFilePresenter: NSObjectProtocol {
  /// The item's URL; nil if there is no item yet. Any thread may read it at any time.
  var presentedItemURL: URL? { get }
  /// The queue of the methods.
  var presentedItemOperationQueue: OperationQueue { get }

  /// Another program is about to read. Call `reader`, and then write nothing until the reader calls your closure.
  func relinquishPresentedItem(toReader reader: @escaping @Sendable ((() -> Void)?) -> Void)
  /// Another program is about to write. Call `writer`, and then use nothing until the writer calls your closure.
  func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void)
  /// Another program is about to read: save all unsaved changes. An error stops that read.
  func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
  /// Another program is about to delete or replace the item. An error stops that program.
  func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
  /// Another program is about to delete or replace a child of the item, a package.
  func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
  /// Another program has moved the item.
  func presentedItemDidMove(to newURL: URL)
  /// Another program has changed the item.
  func presentedItemDidChange()
  /// Another program has changed a child of the item.
  func presentedSubitemDidChange(at url: URL)
  /// Another program has added a child to the item.
  func presentedSubitemDidAppear(at url: URL)
  /// Another program has moved a child of the item.
  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)

  /// The `UIDocument` or `NSDocument` has a new conflict version. Other presenters do not get this call.
  func presentedItemDidGain(_ version: NSFileVersion)
  /// The program has resolved a conflict version of the item by `isResolved`.
  func presentedItemDidResolveConflict(_ version: NSFileVersion)
}

extension NSFilePresenter {
  /// Calls `reader` at once, without a closure.
  public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((() -> Void)?) -> Void) {
    reader(nil)
  }
  /// Calls `writer` at once, without a closure.
  public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void) {
    writer(nil)
  }
  /// Reports at once that there was no error.
  public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    completionHandler(nil)
  }
  /// Permits the change at once.
  public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
  {
    completionHandler(nil)
  }
  /// Permits the change at once.
  public func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }
  /// Does nothing.
  public func presentedItemDidMove(to newURL: URL) {}
  /// Does nothing.
  public func presentedItemDidChange() {}
  /// Calls `presentedItemDidChange()`.
  public func presentedSubitemDidChange(at url: URL) { presentedItemDidChange() }
  /// Calls `presentedSubitemDidChange(at:)`.
  public func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }
  /// Calls `presentedSubitemDidChange(at:)` for both places.
  public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
    presentedSubitemDidChange(at: oldURL)
    presentedSubitemDidChange(at: newURL)
  }
  /// Does nothing.
  public func presentedItemDidGain(_ version: NSFileVersion) {}
  /// Does nothing.
  public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
}
