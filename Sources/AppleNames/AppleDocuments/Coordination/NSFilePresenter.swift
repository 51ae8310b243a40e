import Documents
public import Foundation
import Synchronization

/// An object that shows or edits an item, and takes part when other programs read or write it.
///
/// Counterpart of Apple's `NSFilePresenter`. The methods are called on `presentedItemOperationQueue`, each after the
/// one before. A presenter implements the methods that it needs.
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
  /// The item has changed.
  public func presentedSubitemDidAppear(at url: URL) { presentedItemDidChange() }
  /// The item has changed.
  public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { presentedItemDidChange() }
}

/// An `NSFilePresenter`, as a presenter of `Documents`.
// `@unchecked`: the presenter's methods run on its own queue, and its URL may be read on any thread.
final class PresenterLink: FilePresenter, @unchecked Sendable {
  let presenter: any NSFilePresenter
  private let queue: OperationQueue

  init(_ presenter: any NSFilePresenter) {
    (self.presenter, queue) = (presenter, presenter.presentedItemOperationQueue)
  }

  // MARK: The links of registered presenters

  private static let registered = Mutex<[ObjectIdentifier: PresenterLink]>([:])

  static var all: [PresenterLink] { Array(registered.withLock { $0.values }) }

  /// Returns the link of a presenter; it is a new one if the presenter is not registered.
  static func of(_ presenter: any NSFilePresenter) -> PresenterLink {
    registered.withLock { $0[ObjectIdentifier(presenter)] } ?? PresenterLink(presenter)
  }

  /// Remembers the link of a presenter, and returns it.
  static func register(_ presenter: any NSFilePresenter) -> PresenterLink {
    let new = PresenterLink(presenter)
    let number = ObjectIdentifier(presenter)
    return registered.withLock { links in
      if let link = links[number] { return link }
      links[number] = new
      return new
    }
  }

  /// Forgets the link of a presenter, and returns it if there was one.
  static func unregister(_ presenter: any NSFilePresenter) -> PresenterLink? {
    let number = ObjectIdentifier(presenter)
    return registered.withLock { $0.removeValue(forKey: number) }
  }

  // MARK: The presenter's methods

  var presentedItemURL: URL? { presenter.presentedItemURL }
  var presenterCapabilities: FilePresenterCapabilities { .presentedSubitems }

  /// Calls `body` on the presenter's queue, and returns after it has called its handler.
  private func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any NSFilePresenter, @escaping @Sendable (Answer) -> Void) -> Void
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let once = Once(continuation)
      queue.addOperation { [self] in body(presenter) { once.resume($0) } }
    }
  }

  private func tell(_ body: @escaping @Sendable (any NSFilePresenter) -> Void) async {
    let _: Bool = await ask { presenter, done in
      body(presenter)
      done(true)
    }
  }

  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await reacquirer { $0.relinquishPresentedItem(toReader: $1) }
  }

  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await reacquirer { $0.relinquishPresentedItem(toWriter: $1) }
  }

  private func reacquirer(
    _ relinquish:
      @escaping @Sendable (any NSFilePresenter, @escaping @Sendable ((() -> Void)?) -> Void) -> Void
  ) async -> Reacquirer? {
    let closure: Reacquiring? = await ask { presenter, done in
      relinquish(presenter) { done($0.map(Reacquiring.init)) }
    }
    guard let closure else { return nil }
    return { [self] in await tell { _ in closure.call() } }
  }

  func savePresentedItemChanges() async throws {
    try await check { $0.savePresentedItemChanges(completionHandler: $1) }
  }

  func accommodatePresentedItemDeletion() async throws {
    try await check { $0.accommodatePresentedItemDeletion(completionHandler: $1) }
  }

  func accommodatePresentedSubitemDeletion(at url: URL) async throws {
    try await check { $0.accommodatePresentedSubitemDeletion(at: url, completionHandler: $1) }
  }

  private func check(
    _ body: @escaping @Sendable (any NSFilePresenter, @escaping @Sendable ((any Error)?) -> Void) -> Void
  ) async throws {
    if let error = await ask(body) { throw error }
  }

  func presentedItemDidMove(to newURL: URL) async { await tell { $0.presentedItemDidMove(to: newURL) } }
  func presentedItemDidChange() async { await tell { $0.presentedItemDidChange() } }
  func presentedSubitemDidChange(at url: URL) async { await tell { $0.presentedSubitemDidChange(at: url) } }
  func presentedSubitemDidAppear(at url: URL) async { await tell { $0.presentedSubitemDidAppear(at: url) } }

  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    await tell { $0.presentedSubitem(at: oldURL, didMoveTo: newURL) }
  }
}

/// A presenter's closure.
// `@unchecked`: the closure runs on the presenter's queue, as the method that made it did.
private struct Reacquiring: @unchecked Sendable {
  let call: () -> Void
}

/// The continuation of a presenter's answer; a second answer does nothing.
private final class Once<Answer: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

  init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = Mutex(continuation) }

  func resume(_ answer: Answer) { continuation.withLock { $0.take() }?.resume(returning: answer) }
}
