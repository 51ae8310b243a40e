import CloudContainers
import Documents
public import Foundation

/// The resource values of an item, with those of a container.
///
/// All members of `URLResourceValues` are also members of this type. A value is nil if its key was not asked for.
///
/// Foundation on Linux never has values of a container, and no program can put them into its `URLResourceValues`.
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
    let item = try waitBlocking {
      try await place.container.items().first { $0.name == place.name }
    }
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

  /// All values that were asked for and that are there.
  public var allValues: [URLResourceKey: Any] { base.allValues.merging(ubiquitous) { $1 } }

  /// Whether a registered container has the item.
  public var isUbiquitousItem: Bool? { value(.isUbiquitousItemKey) }
  /// The place of the content; nil for an item that no container has.
  public var ubiquitousItemDownloadingStatus: URLUbiquitousItemDownloadingStatus? {
    value(.ubiquitousItemDownloadingStatusKey)
  }
  /// Whether versions of other devices are in conflict.
  public var ubiquitousItemHasUnresolvedConflicts: Bool? { value(.ubiquitousItemHasUnresolvedConflictsKey) }
  /// Whether the content comes at this moment, or was asked for.
  public var ubiquitousItemIsDownloading: Bool? { value(.ubiquitousItemIsDownloadingKey) }
  /// Whether the content of a placeholder was asked for.
  public var ubiquitousItemDownloadRequested: Bool? { value(.ubiquitousItemDownloadRequestedKey) }
  /// Whether the container has the content that is here.
  public var ubiquitousItemIsUploaded: Bool? { value(.ubiquitousItemIsUploadedKey) }
  /// Whether the content goes to the container at this moment.
  public var ubiquitousItemIsUploading: Bool? { value(.ubiquitousItemIsUploadingKey) }
  /// The reason why the content did not come; nil if there is none.
  public var ubiquitousItemDownloadingError: NSError? { value(.ubiquitousItemDownloadingErrorKey) }
  /// The reason why the content did not go; nil if there is none.
  public var ubiquitousItemUploadingError: NSError? { value(.ubiquitousItemUploadingErrorKey) }
  /// The name of the container folder.
  public var ubiquitousItemContainerDisplayName: String? { value(.ubiquitousItemContainerDisplayNameKey) }
  /// False: a container belongs to one user.
  public var ubiquitousItemIsShared: Bool? { value(.ubiquitousItemIsSharedKey) }
  /// False: the file `.docpkgignore` names the items that a container leaves out, and they are not its documents.
  public var ubiquitousItemIsExcludedFromSync: Bool? { value(.ubiquitousItemIsExcludedFromSyncKey) }

  private func value<Value>(_ key: URLResourceKey) -> Value? { ubiquitous[key] as? Value }
}

extension URL {
  /// Looks at the item, with its values in a container.
  ///
  /// A call with the keys in brackets calls this method. A call with a variable of type `Set` calls that of Foundation,
  /// whose values of containers are nil.
  ///
  /// Cost: as `CloudContainer.items()` if a value of a container is asked for.
  ///
  /// - Throws: as that of Foundation, except for a placeholder; the errors of `CloudContainer.items()`.
  public func resourceValues(forKeys keys: [URLResourceKey]) throws -> UbiquitousResourceValues {
    try UbiquitousResourceValues(of: self, Set(keys))
  }
}
