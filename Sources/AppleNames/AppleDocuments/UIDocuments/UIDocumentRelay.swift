import Documents
import FilePackages
import Foundation
import Synchronization

/// Passes the events of the engine to its `UIDocument`, from any thread.
final class UIDocumentRelay: Sendable {
  private struct Target {
    weak var document: UIDocument?
    var link: ChangeLink?
    var source: UIDocumentSource?
    var saves = 0
    var url: URL?
    var presenter: (any FilePresenter)?
    /// The errors that the document does not know yet.
    var errors: [DocumentError] = []
  }

  private let target = Mutex(Target())

  var link: ChangeLink? { target.withLock { $0.link } }

  /// The number of saves up to now.
  var saves: Int { target.withLock { $0.saves } }

  /// The document's place, and the presenter of its engine, for any thread.
  var url: URL? { target.withLock { $0.url } }
  var presenter: (any FilePresenter)? { target.withLock { $0.presenter } }
  func noteURL(_ url: URL) { target.withLock { $0.url = url } }
  func notePresenter(_ presenter: (any FilePresenter)?) {
    target.withLock { $0.presenter = presenter }
    (presenter as? DocumentPresenter)?.observe(self)
  }

  /// Tells the document of a conflict that the program has resolved by `NSFileVersion`.
  func note(_ resolution: NSFileVersion.Resolution) { tell { await $0.note(resolution) } }

  /// The changes of this document go by this link, and its contents by this source, from now on.
  func attach(_ document: UIDocument, _ link: ChangeLink, _ source: UIDocumentSource?) {
    target.withLock { ($0.document, $0.link, $0.source) = (document, link, source) }
  }

  func note(_ event: DocumentEvent) {
    var isSave: Bool { if case .saved = event { true } else { false } }
    let (link, source) = target.withLock { target in
      if isSave { target.saves += 1 }
      return (target.link, target.source)
    }
    link?.note(event)
    if isSave { source?.noteSave() }
    tell { await $0.note(event) }
  }

  func note(_ error: DocumentError) {
    target.withLock { $0.errors.append(error) }
    tell { $0.reportErrors() }
  }

  /// Shows the progress of a download, unless it is over by then.
  func show(_ download: Progress) {
    tell { document in
      if download.isFinished || download.isCancelled { return }
      document.download = download
      document.updateState()
    }
  }

  /// Ends the showing of a download.
  @MainActor
  func hide(_ download: Progress) {
    guard let document = target.withLock({ $0.document }), document.download === download else { return }
    document.download = nil
    document.updateState()
  }

  /// Returns the errors since the last call of this method.
  func takeErrors() -> [DocumentError] {
    target.withLock { target in
      defer { target.errors = [] }
      return target.errors
    }
  }

  private func tell(_ body: @escaping @Sendable @MainActor (UIDocument) async -> Void) {
    guard let document = target.withLock({ $0.document }) else { return }
    Task { @MainActor in await body(document) }
  }
}

extension UIDocumentRelay: ChildObserver {
  func accommodateDeletion(ofChildAt url: URL) async throws {
    guard let document = target.withLock({ $0.document }) else { return }
    let error: (any Error)? = await withCheckedContinuation { continuation in
      let once = Once(continuation)
      Task { @MainActor in
        document.accommodatePresentedSubitemDeletion(at: url) { once.resume($0) }
      }
    }
    if let error { throw error }
  }

  func childDidMove(from oldURL: URL, to newURL: URL) {
    tell { $0.presentedSubitem(at: oldURL, didMoveTo: newURL) }
  }
}

extension UIDocument: EnginePresenting {
  /// The presenter of the engine.
  nonisolated var enginePresenter: (any FilePresenter)? { relay.presenter }
}
