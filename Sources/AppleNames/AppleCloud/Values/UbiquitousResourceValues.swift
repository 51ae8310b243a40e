import CloudContainers
import Documents
public import Foundation

/// The resource values of an item, together with its values in a container.
///
/// All members of `URLResourceValues` are also members of this type. A value is nil if its key was not requested.
///
/// It exists because Foundation's `URLResourceValues` on Linux cannot have values of a container.
@dynamicMemberLookup
public struct UbiquitousResourceValues {
  private let base: URLResourceValues
  private let ubiquitous: [URLResourceKey: Any]

  /// Looks at an item.
  ///
  /// - Throws: as `URL.resourceValues(forKeys:)` of Foundation, except for a placeholder.
  init(of url: URL, _ keys: Set<URLResourceKey>) throws {
    let asked = keys.intersection(URLResourceKey.ubiquitousKeys)
    let found = asked.isEmpty ? nil : try Self.item(at: url)
    ubiquitous = found.map { Self.values($0.item, $0.container, asked) } ?? Self.values(ofLocalItem: asked)
    do {
      base = try url.resourceValues(forKeys: keys)
    } catch {
      guard let item = found?.item, item.downloadingStatus == .notDownloaded else { throw error }
      base = Self.values(ofPlaceholder: item, keys)
    }
  }

  private static func item(at url: URL) throws -> (item: CloudItem, container: CloudContainer)? {
    guard let place = UbiquityContainers.place(of: url) else { return nil }
    let item = try waitBlocking { try await place.container.item(named: place.name) }
    return item.map { ($0, place.container) }
  }

  private static func values(
    _ item: CloudItem, _ container: CloudContainer, _ keys: Set<URLResourceKey>
  ) -> [URLResourceKey: Any] {
    let attributes = item.attributes
    var values: [URLResourceKey: Any] = [
      .isUbiquitousItemKey: true,
      .ubiquitousItemHasUnresolvedConflictsKey: attributes.hasUnresolvedConflicts,
      .ubiquitousItemIsDownloadingKey: attributes.isDownloading,
      .ubiquitousItemIsUploadedKey: attributes.isUploaded,
      .ubiquitousItemIsUploadingKey: attributes.isUploading,
      .ubiquitousItemDownloadingStatusKey: URLUbiquitousItemDownloadingStatus(attributes.downloadingStatus),
      .ubiquitousItemDownloadRequestedKey: attributes.isDownloadRequested,
      .ubiquitousItemContainerDisplayNameKey: container.displayName,
      .ubiquitousItemIsSharedKey: false,
      .ubiquitousItemIsExcludedFromSyncKey: false,
    ]
    values[.ubiquitousItemDownloadingErrorKey] = attributes.downloadingNSError
    values[.ubiquitousItemUploadingErrorKey] = attributes.uploadingNSError
    return values.filter { keys.contains($0.key) }
  }

  private static func values(ofLocalItem keys: Set<URLResourceKey>) -> [URLResourceKey: Any] {
    keys.contains(.isUbiquitousItemKey) ? [.isUbiquitousItemKey: false] : [:]
  }

  private static func values(
    ofPlaceholder item: CloudItem, _ keys: Set<URLResourceKey>
  ) -> URLResourceValues {
    var values = URLResourceValues()
    if keys.contains(.nameKey) { values.name = item.url.lastPathComponent }
    if keys.contains(.contentModificationDateKey) { values.contentModificationDate = item.modificationDate }
    return values
  }

  // MARK: Values

  /// Returns a value that does not depend on a container.
  public subscript<Value>(dynamicMember path: KeyPath<URLResourceValues, Value>) -> Value {
    base[keyPath: path]
  }

  /// All requested values that the item has.
  public var allValues: [URLResourceKey: Any] { base.allValues.merging(ubiquitous) { $1 } }

  /// Whether a registered container has the item.
  public var isUbiquitousItem: Bool? { value(.isUbiquitousItemKey) }
  /// Whether the content is on this machine; nil for an item that no container has.
  public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? {
    value(.ubiquitousItemDownloadingStatusKey)
  }
  /// Whether versions of other devices are in conflict.
  public var ubiquitousItemHasUnresolvedConflicts: Bool? { value(.ubiquitousItemHasUnresolvedConflictsKey) }
  /// Whether the content is being downloaded or was asked for.
  public var ubiquitousItemIsDownloading: Bool? { value(.ubiquitousItemIsDownloadingKey) }
  /// Whether the content of a placeholder was asked for.
  public var ubiquitousItemDownloadRequested: Bool? { value(.ubiquitousItemDownloadRequestedKey) }
  /// Whether the container has the content of this machine.
  public var ubiquitousItemIsUploaded: Bool? { value(.ubiquitousItemIsUploadedKey) }
  /// Whether the content is being uploaded.
  public var ubiquitousItemIsUploading: Bool? { value(.ubiquitousItemIsUploadingKey) }
  /// The reason why the download failed; nil if it did not fail.
  public var ubiquitousItemDownloadingError: NSError? { value(.ubiquitousItemDownloadingErrorKey) }
  /// The reason why the upload failed; nil if it did not fail.
  public var ubiquitousItemUploadingError: NSError? { value(.ubiquitousItemUploadingErrorKey) }
  /// The name of the container folder.
  public var ubiquitousItemContainerDisplayName: String? { value(.ubiquitousItemContainerDisplayNameKey) }
  /// False: a container belongs to one user.
  public var ubiquitousItemIsShared: Bool? { value(.ubiquitousItemIsSharedKey) }
  /// False: an item that the container folder ignores is not a document of the container.
  public var ubiquitousItemIsExcludedFromSync: Bool? { value(.ubiquitousItemIsExcludedFromSyncKey) }

  private func value<Value>(_ key: URLResourceKey) -> Value? { ubiquitous[key] as? Value }
}

extension URL {
  /// Reads the resource values of the item, together with its values in a container.
  ///
  /// An array literal of keys selects this method. A value of type `Set` selects Foundation's method, whose values of
  /// containers are nil.
  ///
  /// Cost: that of `CloudContainer.item(named:)` if a value of a container is requested.
  ///
  /// - Throws: the errors of Foundation's method, except for a placeholder, and those of `CloudContainer.item(named:)`.
  public func resourceValues(forKeys keys: [URLResourceKey]) throws -> UbiquitousResourceValues {
    try UbiquitousResourceValues(of: self, Set(keys))
  }
}
