import Documents
import Foundation
import Synchronization

/// An `NSFilePresenter`, as a presenter of `Documents`.
// `@unchecked`: the presenter's methods run on its own queue, and its URL may be read on any thread.
final class PresenterLink: FilePresenter, @unchecked Sendable {
  let presenter: any NSFilePresenter
  private let queue: OperationQueue
  /// Finds the changes of other programs.
  let watch = PresenterWatch()

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

  /// Calls `body` on the presenter's queue, and returns after it has called its handler.
  private func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any NSFilePresenter, @escaping @Sendable (Answer) -> Void) -> Void
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      let once = Once(continuation)
      queue.addOperation { [self] in body(presenter) { once.resume($0) } }
    }
  }

  /// Calls `body` on the presenter's queue, and returns after it.
  func tell(_ body: @escaping @Sendable (any NSFilePresenter) -> Void) async {
    let _: Bool = await ask { presenter, done in
      body(presenter)
      done(true)
    }
  }

  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await reacquirer { $0.relinquishPresentedItem(toReader: $1) }
  }

  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    // The watcher's events wait until the write has ended.
    let pause = watch.pause()
    let closure = await reacquirer { $0.relinquishPresentedItem(toWriter: $1) }
    return {
      await closure?()
      pause.finish()
    }
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

  // MARK: News of coordinated writes

  func presentedItemDidMove(to newURL: URL) async {
    await tell { $0.presentedItemDidMove(to: newURL) }
  }

  func presentedItemDidChange() async {
    await tell { $0.presentedItemDidChange() }
    await watch.follow(self)
  }

  func presentedSubitemDidChange(at url: URL) async { await tell { $0.presentedSubitemDidChange(at: url) } }

  func presentedSubitemDidAppear(at url: URL) async { await tell { $0.presentedSubitemDidAppear(at: url) } }

  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    await tell { $0.presentedSubitem(at: oldURL, didMoveTo: newURL) }
  }

  /// Takes the presenter's own writes as known.
  func settle(_ intents: [FileAccessIntent]) async {
    for intent in intents where intent.isWriting {
      await watch.learn(intent.url)
    }
    await watch.follow(self)
  }
}

/// A presenter's closure.
// `@unchecked`: the closure runs on the presenter's queue, as the method that made it did.
private struct Reacquiring: @unchecked Sendable {
  let call: () -> Void
}

/// The continuation of a presenter's answer; a second answer does nothing.
final class Once<Answer: Sendable>: Sendable {
  private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

  init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = Mutex(continuation) }

  func resume(_ answer: Answer) { continuation.withLock { $0.take() }?.resume(returning: answer) }
}
