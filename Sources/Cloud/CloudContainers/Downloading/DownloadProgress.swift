import Synchronization

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
  /// The bytes that are here so far.
  public var completedBytes: UInt64 = 0
  /// The bytes that come.
  public var totalBytes: UInt64 = 0

  /// The share that is here, from 0 to 1.
  public var fraction: Double { totalBytes == 0 ? 1 : Double(completedBytes) / Double(totalBytes) }
}

extension DownloadProgress: CustomStringConvertible {
  /// One line for a user, such as `45%`.
  public var description: String { "\(Int(fraction * 100))%" }
}

/// Adds up the bytes of many tasks.
final class DownloadCounter: Sendable {
  private let progress: Mutex<DownloadProgress>
  private let handler: @Sendable (DownloadProgress) -> Void

  init(total: UInt64, _ handler: @escaping @Sendable (DownloadProgress) -> Void) {
    progress = Mutex(DownloadProgress(totalBytes: total))
    self.handler = handler
    handler(DownloadProgress(totalBytes: total))
  }

  func add(_ bytes: UInt64) {
    let now = progress.withLock { progress in
      progress.completedBytes += bytes
      return progress
    }
    handler(now)
  }
}
