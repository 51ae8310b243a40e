import Synchronization

/// The progress of a download.
public struct DownloadProgress: Sendable, Hashable {
  /// The number of bytes downloaded so far.
  public var completedBytes: UInt64 = 0
  /// The number of bytes of the whole download.
  public var totalBytes: UInt64 = 0

  /// The downloaded part, from 0 to 1; 1 for a download without bytes.
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
