import Documents
import Foundation
import Synchronization

/// A provider that shows its downloads as the progress of a `UIDocument`.
struct DownloadShowing: DocumentProvider {
  private let base: any DocumentProvider
  private let news: ModelNews

  init(_ base: any DocumentProvider, in news: ModelNews) { (self.base, self.news) = (base, news) }

  func provide(
    itemAt url: URL, progress: @escaping @Sendable (_ completed: UInt64, _ total: UInt64) -> Void
  ) async throws {
    let shown = ShownDownload()
    let task = Task { [base, news] in
      try await base.provide(itemAt: url) { completed, total in
        progress(completed, total)
        if shown.note(completed, total) { news.show(shown.progress) }
      }
    }
    shown.progress.isCancellable = true
    shown.progress.cancellationHandler = { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    shown.finish(result)
    await news.hide(shown.progress)
    try result.get()
  }
}

extension ModelNews {
  /// Shows the progress of a download, unless it is over by then.
  fileprivate func show(_ download: Progress) {
    tell { if !download.isFinished && !download.isCancelled { $0.download = download } }
  }

  /// Ends the showing of a download.
  @MainActor
  fileprivate func hide(_ download: Progress) {
    if let file, file.download === download { file.download = nil }
  }
}

/// A download, as Foundation's `Progress` in bytes.
private final class ShownDownload: Sendable {
  let progress = Progress(totalUnitCount: -1)
  private let isShown = Mutex(false)

  /// Takes the figures; returns true at the first call. The progress is indeterminate until the bytes are known.
  func note(_ completed: UInt64, _ total: UInt64) -> Bool {
    isShown.withLock { isShown in
      defer { isShown = true }
      progress.kind = .file
      progress.totalUnitCount = total == 0 ? -1 : Int64(clamping: total)
      progress.completedUnitCount = Int64(clamping: completed)
      return !isShown
    }
  }

  /// Makes the progress one that is not shown any more.
  func finish(_ result: Result<Void, any Error>) {
    isShown.withLock { _ in
      guard case .success = result else { return progress.cancel() }
      progress.totalUnitCount = max(1, progress.totalUnitCount)
      progress.completedUnitCount = progress.totalUnitCount
    }
  }
}
