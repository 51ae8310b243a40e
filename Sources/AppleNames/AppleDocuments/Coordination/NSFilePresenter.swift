public import Foundation

/// An object that shows or edits an item, and takes part when other programs read or write it.
///
/// Counterpart of Apple's `NSFilePresenter`. The methods are called on `presentedItemOperationQueue`, each after the
/// one before. A presenter implements the methods that it needs.
///
/// A registered presenter also gets the changes of programs that do not coordinate, some tenths of a second later.
/// Apple promises no such news. Those calls come after the change, so that no program waits for the presenter.
///
/// The defaults of the methods for children pass the news on: a new or moved child is a changed child, and a changed
/// child is a change of the item. So a presenter that implements `presentedSubitemDidChange(at:)` alone hears of each
/// child, as on macOS. Unlike Apple's, the news also reaches `presentedItemDidChange()` if the item is a plain folder.
@preconcurrency
public protocol NSFilePresenter: NSObjectProtocol {
  /// The item's URL; nil if there is no item yet. Any thread may read it at any time.
  var presentedItemURL: URL? { get }
  /// The queue of the methods.
  var presentedItemOperationQueue: OperationQueue { get }

  /// Another program is about to read: write nothing after the call of `reader`, until it calls its closure.
  func relinquishPresentedItem(toReader reader: @escaping @Sendable ((() -> Void)?) -> Void)
  /// Another program is about to write: use nothing after the call of `writer`, until it calls its closure.
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

  /// The item has a new version; of a `UIDocument` or an `NSDocument`, a conflict version.
  func presentedItemDidGain(_ version: NSFileVersion)
  /// The item has lost a version. This library does not call it.
  func presentedItemDidLose(_ version: NSFileVersion)
  /// The program has resolved a conflict version of the item by `isResolved`.
  func presentedItemDidResolveConflict(_ version: NSFileVersion)

  // The library never calls the following methods: versions belong to documents, and a child of a document has none.

  /// The URL of the file that the item accompanies.
  var primaryPresentedItemURL: URL? { get }
  /// The attributes of a cloud that the presenter wants to hear of.
  var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }
  /// The attributes of the item in a cloud have changed.
  func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
  /// The system is about to remove the local copy of the item.
  func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
  /// A child has a new version.
  func presentedSubitem(at url: URL, didGain version: NSFileVersion)
  /// A child has lost a version.
  func presentedSubitem(at url: URL, didLose version: NSFileVersion)
  /// A conflict version of a child was resolved.
  func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}

extension NSFilePresenter {
  /// Nothing to wait for.
  public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((() -> Void)?) -> Void) {
    reader(nil)
  }
  /// Nothing to wait for.
  public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void) {
    writer(nil)
  }
  /// Nothing to save.
  public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    completionHandler(nil)
  }
  /// Nothing to do.
  public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
  {
    completionHandler(nil)
  }
  /// Nothing to do.
  public func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }
  /// Nothing to do.
  public func presentedItemDidMove(to newURL: URL) {}
  /// Nothing to do.
  public func presentedItemDidChange() {}
  /// The item has changed.
  public func presentedSubitemDidChange(at url: URL) { presentedItemDidChange() }
  /// The child has changed.
  public func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }
  /// The child has changed in both places.
  public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
    presentedSubitemDidChange(at: oldURL)
    presentedSubitemDidChange(at: newURL)
  }
  /// Nothing to do.
  public func presentedItemDidGain(_ version: NSFileVersion) {}
  /// Nothing to do.
  public func presentedItemDidLose(_ version: NSFileVersion) {}
  /// Nothing to do.
  public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}

  /// None.
  public var primaryPresentedItemURL: URL? { nil }
  /// None.
  public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }
  /// Nothing to do.
  public func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
  /// Nothing to do.
  public func accommodatePresentedItemEviction(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }
  /// Nothing to do.
  public func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
  /// Nothing to do.
  public func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
  /// Nothing to do.
  public func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}
