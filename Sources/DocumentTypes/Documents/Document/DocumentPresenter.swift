package import FoundationEssentials
import Synchronization

/// The presenter of an open document. It does not keep the document alive.
package final class DocumentPresenter: FilePresenter {
  package struct Methods: Sendable {
    package var makeWay: @Sendable () async -> Reacquirer?
    package var save: @Sendable () async throws -> Void
    package var accommodateDeletion: @Sendable () async throws -> Void
    package var move: @Sendable (URL) async -> Void
    package var change: @Sendable () async -> Void

    package init(
      makeWay: @escaping @Sendable () async -> Reacquirer?, save: @escaping @Sendable () async throws -> Void,
      accommodateDeletion: @escaping @Sendable () async throws -> Void,
      move: @escaping @Sendable (URL) async -> Void, change: @escaping @Sendable () async -> Void
    ) {
      (self.makeWay, self.save, self.accommodateDeletion) = (makeWay, save, accommodateDeletion)
      (self.move, self.change) = (move, change)
    }
  }

  private let url: Mutex<URL>
  private let methods: Methods

  package init(_ url: URL, _ methods: Methods) {
    self.url = Mutex(url)
    self.methods = methods
  }

  package var presentedItemURL: URL? { url.withLock { $0 } }

  package func go(to newURL: URL) { url.withLock { $0 = newURL } }

  package func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  package func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  package func savePresentedItemChanges() async throws { try await methods.save() }
  package func accommodatePresentedItemDeletion() async throws { try await methods.accommodateDeletion() }
  package func presentedItemDidMove(to newURL: URL) async { await methods.move(newURL) }
  package func presentedItemDidChange() async { await methods.change() }
}
