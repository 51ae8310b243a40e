import FilePackages
import FoundationEssentials
import Synchronization

/// The presenter of an open document. It does not keep the document alive.
final class DocumentPresenter: FilePresenter {
  struct Methods: Sendable {
    var makeWay: @Sendable () async -> Reacquirer?
    var save: @Sendable () async throws -> Void
    var accommodateDeletion: @Sendable () async throws -> Void
    var move: @Sendable (URL) async -> Void
    var change: @Sendable () async -> Void
  }

  private let url: Mutex<URL>
  private let methods: Methods

  init(_ url: URL, _ methods: Methods) {
    self.url = Mutex(url)
    self.methods = methods
  }

  var presentedItemURL: URL? { url.withLock { $0 } }

  func go(to newURL: URL) { url.withLock { $0 = newURL } }

  func relinquishPresentedItem(toReader reader: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
    await methods.makeWay()
  }

  func savePresentedItemChanges() async throws { try await methods.save() }
  func accommodatePresentedItemDeletion() async throws { try await methods.accommodateDeletion() }
  func presentedItemDidMove(to newURL: URL) async { await methods.move(newURL) }
  func presentedItemDidChange() async { await methods.change() }
}
