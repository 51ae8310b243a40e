import Documents
public import Foundation
import Synchronization

/// The part of an `NSDocument` that presents its file: the methods of `NSFilePresenter`, for overrides.
///
/// The presenter of the engine does the work. It then calls these methods on `presentedItemOperationQueue`, for
/// subclasses that override them. As on Apple's systems, that is not the main queue, so an override may wait for the
/// main queue. A subclass in Swift 6 mode declares them `nonisolated`.
@preconcurrency
@MainActor
open class NSPresentedDocument: NSObject, NSFilePresenter {
  /// The document's place and engine, for any thread.
  private final class Place: Sendable {
    let url = Mutex<URL?>(nil)
    let relay = Mutex<UIDocumentRelay?>(nil)
  }

  private nonisolated let place = Place()
  private nonisolated let queue = OperationQueue()

  /// Makes a document without a place.
  public override init() {
    queue.maxConcurrentOperationCount = 1
    super.init()
  }

  /// The document's place; nil for one that was never saved. It follows a move by another program.
  open var fileURL: URL? {
    didSet { place.url.withLock { $0 = fileURL } }
  }

  /// The presenter of the engine comes from this relay.
  func note(_ relay: UIDocumentRelay) { place.relay.withLock { $0 = relay } }

  /// Calls `body` on the queue of the presenter.
  nonisolated func tell(_ body: @escaping @Sendable (NSPresentedDocument) -> Void) {
    presentedItemOperationQueue.addOperation { body(self) }
  }

  // MARK: The item

  /// The document's place.
  open nonisolated var presentedItemURL: URL? { place.url.withLock { $0 } }
  /// A queue of this document, which runs one method at a time.
  open nonisolated var presentedItemOperationQueue: OperationQueue { queue }
  /// Nil by default. The library does not read it.
  open nonisolated var primaryPresentedItemURL: URL? { nil }
  /// Empty by default. The library does not read it.
  open nonisolated var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }

  /// Another program is about to read. The library does not call it: the engine relinquishes the file.
  open nonisolated func relinquishPresentedItem(
    toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
  ) {
    reader(nil)
  }

  /// Another program is about to write. The library does not call it: the engine relinquishes the file.
  open nonisolated func relinquishPresentedItem(
    toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
  ) {
    writer(nil)
  }

  /// Saves unsaved changes. The library does not call it: the engine saves them.
  open nonisolated func savePresentedItemChanges(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Another program removed the document, which is closed by now. Its unsaved edits have a recovery copy.
  open nonisolated func accommodatePresentedItemDeletion(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// The document has moved, and `fileURL` is the new place; by default does nothing.
  open nonisolated func presentedItemDidMove(to newURL: URL) {}

  /// The document has another program's changes, or they became a conflict version; by default does nothing.
  open nonisolated func presentedItemDidChange() {}

  /// The document has a new conflict version, the newest one.
  open nonisolated func presentedItemDidGain(_ version: NSFileVersion) {}

  /// The document has lost a version. The library does not call it.
  open nonisolated func presentedItemDidLose(_ version: NSFileVersion) {}

  /// The program has resolved a conflict version.
  open nonisolated func presentedItemDidResolveConflict(_ version: NSFileVersion) {}

  // MARK: Children of a package

  /// Another program is about to delete or replace a child, with coordination. An error stops that program.
  open nonisolated func accommodatePresentedSubitemDeletion(
    at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Another program has added a child; by default calls `presentedSubitemDidChange(at:)`.
  ///
  /// `presentedItemDidChange()` follows.
  open nonisolated func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }

  /// Another program has changed or removed a child; by default does nothing.
  ///
  /// `presentedItemDidChange()` follows.
  open nonisolated func presentedSubitemDidChange(at url: URL) {}

  /// Another program has moved a child, with coordination; by default does nothing.
  ///
  /// The methods for a removed child and for a new child are called as well.
  open nonisolated func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {}

  // MARK: Methods that no code calls

  /// The attributes of the document in a cloud have changed.
  open nonisolated func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}

  /// The system is about to remove the local copy.
  open nonisolated func accommodatePresentedItemEviction(
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    completionHandler(nil)
  }

  /// A child has a new version.
  open nonisolated func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}

  /// A child has lost a version.
  open nonisolated func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}

  /// A conflict version of a child was resolved.
  open nonisolated func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}

extension NSPresentedDocument: EnginePresenting {
  /// The presenter of the engine.
  nonisolated var enginePresenter: (any FilePresenter)? { place.relay.withLock { $0 }?.presenter }
}
