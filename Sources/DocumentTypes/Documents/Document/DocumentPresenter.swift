package import FoundationEssentials
import Synchronization

/// An object that hears of single children of an open package.
package protocol ChildObserver: AnyObject, Sendable {
  /// Another program is about to delete or replace a child. An error stops that program.
  func accommodateDeletion(ofChildAt url: URL) async throws
  /// Another program has moved a child.
  func childDidMove(from oldURL: URL, to newURL: URL)
}

/// The presenter of an open document. It does not keep the document alive.
package final class DocumentPresenter: FilePresenter {
  private struct State: Sendable {
    var url: URL
    weak var document: (any LiveDocument)?
    weak var observer: (any ChildObserver)?
  }

  private let state: Mutex<State>

  init(_ document: any LiveDocument, at url: URL) { state = Mutex(State(url: url, document: document)) }

  package var presentedItemURL: URL? { state.withLock { $0.url } }

  /// The observer hears of children from now on.
  package func observe(_ observer: any ChildObserver) { state.withLock { $0.observer = observer } }

  private var document: (any LiveDocument)? { state.withLock { $0.document } }
  private var observer: (any ChildObserver)? { state.withLock { $0.observer } }

  package func go(to newURL: URL) { state.withLock { $0.url = newURL } }

  package func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await document?.makeWay()
  }

  package func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await document?.makeWay()
  }

  package func savePresentedItemChanges() async throws {
    guard let document else { return }
    do {
      try await document.savePresentedItemChanges()
    } catch {
      // A document that has closed meanwhile has nothing to save: the access may begin.
      if await document.isOpen { throw error }
    }
  }

  package func accommodatePresentedItemDeletion() async throws {
    try await document?.accommodatePresentedItemDeletion()
  }
  package func presentedItemDidMove(to newURL: URL) async { await document?.presentedItemDidMove(to: newURL) }
  package func presentedItemDidChange() async { await document?.presentedItemDidChange() }

  // MARK: Children

  package func accommodatePresentedSubitemDeletion(at url: URL) async throws {
    try await observer?.accommodateDeletion(ofChildAt: url)
  }

  package func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) async {
    await document?.presentedItemDidChange()
    observer?.childDidMove(from: oldURL, to: newURL)
  }
}
