public import Foundation

// Foundation on Linux has the other keys.

extension URLResourceKey {
  /// Asks `resourceValues(forKeys:)` for `ubiquitousItemIsShared`.
  public static let ubiquitousItemIsSharedKey = URLResourceKey(rawValue: "NSURLUbiquitousItemIsSharedKey")
  /// Asks `resourceValues(forKeys:)` for `ubiquitousItemIsExcludedFromSync`.
  public static let ubiquitousItemIsExcludedFromSyncKey = URLResourceKey(
    rawValue: "NSURLUbiquitousItemIsExcludedFromSyncKey")

  static let ubiquitousKeys: Set<URLResourceKey> = [
    .isUbiquitousItemKey, .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemIsDownloadingKey,
    .ubiquitousItemIsUploadedKey, .ubiquitousItemIsUploadingKey, .ubiquitousItemDownloadingStatusKey,
    .ubiquitousItemDownloadingErrorKey, .ubiquitousItemUploadingErrorKey, .ubiquitousItemDownloadRequestedKey,
    .ubiquitousItemContainerDisplayNameKey, .ubiquitousItemIsSharedKey, .ubiquitousItemIsExcludedFromSyncKey,
  ]
}
