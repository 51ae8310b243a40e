public import Foundation

/// The part of a `UIDocument` that presents its file: the methods of `NSFilePresenter`, for overrides.
///
/// The presenter of the engine does the work. It then calls these methods on the main actor, for subclasses that
/// override them.
///
/// The handlers are not `Sendable`, unlike those of the protocol: a method of the main actor calls them there.
@preconcurrency
@MainActor
open class PresentedDocument: NSObject, @preconcurrency NSFilePresenter {
  let relay = UIDocumentRelay()

  /// The document's place.
  open nonisolated var presentedItemURL: URL? { relay.url }
  /// The main queue.
  open nonisolated var presentedItemOperationQueue: OperationQueue { .main }
  /// Nil by default. The library does not read it.
  open nonisolated var primaryPresentedItemURL: URL? { nil }
  /// Empty by default. The library does not read it.
  open nonisolated var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }

  /// Another program is about to read. The library does not call it: the engine relinquishes the file.
  open func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
    reader(nil)
  }

  /// Another program is about to write. The library does not call it: the engine relinquishes the file.
  open func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
    writer(nil)
  }

  /// Saves unsaved changes. The library does not call it: the engine saves them.
  open func savePresentedItemChanges(completionHandler: @escaping ((any Error)?) -> Void) {
    completionHandler(nil)
  }

  /// Another program removed the document, which is closed by now. Its unsaved edits have a recovery copy.
  open func accommodatePresentedItemDeletion(
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// The document has moved, and `fileURL` is the new place.
  open func presentedItemDidMove(to newURL: URL) {}

  /// The document has another program's changes, or they became a conflict version.
  open func presentedItemDidChange() {}

  /// The document has a new conflict version, the newest one.
  open func presentedItemDidGain(_ version: NSFileVersion) {}

  /// The document has lost a version. The library does not call it.
  open func presentedItemDidLose(_ version: NSFileVersion) {}

  /// The program has resolved a conflict version.
  open func presentedItemDidResolveConflict(_ version: NSFileVersion) {}

  // MARK: Children of a package

  /// Another program is about to delete or replace a child, with coordination. An error stops that program.
  open func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Another program has added a child; by default calls `presentedSubitemDidChange(at:)`.
  ///
  /// `presentedItemDidChange()` follows.
  open func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }

  /// Another program has changed or removed a child; by default does nothing.
  ///
  /// `presentedItemDidChange()` follows.
  open func presentedSubitemDidChange(at url: URL) {}

  /// Another program has moved a child, with coordination; by default does nothing.
  ///
  /// The methods for a removed child and for a new child are called as well.
  open func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}

  // MARK: Methods that no code calls

  /// The attributes of the document in a cloud have changed.
  open func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}

  /// The system is about to remove the local copy.
  open func accommodatePresentedItemEviction(
    completionHandler: @escaping ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A child has a new version.
  open func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}

  /// A child has lost a version.
  open func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}

  /// A conflict version of a child was resolved.
  open func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}
