import Documents
import Synchronization

/// The present content of a `SnapshotDocument`, and its owner, for code that runs on any thread.
final class SnapshotRelay: Sendable {
  private struct Target {
    weak var owner: (any SnapshotOwner)?
    var content: SnapshotContent?
    var news = News()
  }

  /// The changes of the disk that the owner does not know of.
  struct News {
    /// Whether a save succeeded.
    var isSaved = false
    /// Whether another program changed the document after that.
    var isChangedByOthers = false
  }

  private let target = Mutex(Target())

  var content: SnapshotContent? { target.withLock { $0.content } }

  func attach(_ owner: any SnapshotOwner, _ content: SnapshotContent) {
    target.withLock { ($0.owner, $0.content) = (owner, content) }
  }

  /// Returns the changes of the disk since the last call of this method.
  func takeNews() -> News {
    target.withLock { target in
      defer { target.news = News() }
      return target.news
    }
  }

  func note(_ event: DocumentEvent) {
    content?.link.note(event)
    switch event {
    case .saved: target.withLock { $0.news.isSaved = true }
    case .changedByOthers: target.withLock { $0.news.isChangedByOthers = true }
    default: break
    }
    guard let owner = target.withLock({ $0.owner }) else { return }
    Task { @MainActor in
      if case .saved = event { owner.noteSave() }
      await owner.note(event)
    }
  }

  func note(_ error: DocumentError) {
    guard let owner = target.withLock({ $0.owner }) else { return }
    Task { @MainActor in owner.note(error.code == .content ? error.cause ?? error : error) }
  }
}
