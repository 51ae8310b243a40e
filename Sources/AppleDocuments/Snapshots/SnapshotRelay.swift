import Documents
import Synchronization

/// The present content of a `SnapshotDocument`, and its owner, for code that runs on any thread.
final class SnapshotRelay: Sendable {
  private struct Target {
    weak var owner: (any SnapshotOwner)?
    var content: SnapshotContent?
    /// Whether a save succeeded that the owner does not know of.
    var isSaved = false
  }

  private let target = Mutex(Target())

  var content: SnapshotContent? { target.withLock { $0.content } }

  func attach(_ owner: any SnapshotOwner, _ content: SnapshotContent) {
    target.withLock { ($0.owner, $0.content) = (owner, content) }
  }

  /// Returns whether a save has succeeded since the last call of this method.
  func takeSaved() -> Bool {
    target.withLock { target in
      defer { target.isSaved = false }
      return target.isSaved
    }
  }

  func note(_ event: DocumentEvent) {
    let content = content
    switch event {
    case .saved:
      content?.link.noteSave()
      target.withLock { $0.isSaved = true }
    case .changedByOthers(.conflict, _): content?.link.forgetSaved()
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
