import CloudContainers
import Documents
public import Foundation
import Synchronization

/// A document that an `NSMetadataQuery` found, with its attributes.
///
/// The item of a document is the same object as long as the query runs, also after the document moved. Its attributes
/// are those of the last update.
public final class NSMetadataItem: NSObject, Sendable {
  private struct Facts {
    var item: DocumentItem
    /// The name of the document's container; nil outside of one.
    var container: String?
  }

  private let facts: Mutex<Facts>

  init(_ item: DocumentItem, container: String?) {
    facts = Mutex(Facts(item: item, container: container))
    super.init()
  }

  /// The document as it was told last.
  var item: DocumentItem {
    get { facts.withLock { $0.item } }
    set { facts.withLock { $0.item = newValue } }
  }

  /// Returns the value of an attribute, such as `NSMetadataItemURLKey`; nil if the document has none.
  ///
  /// The constants of the attributes have the types of the values.
  public func value(forAttribute key: String) -> Any? {
    let facts = facts.withLock { $0 }
    let item = facts.item
    switch key {
    case NSMetadataItemFSNameKey: return item.filename
    case NSMetadataItemDisplayNameKey: return item.displayName
    case NSMetadataItemURLKey: return item.url
    case NSMetadataItemPathKey: return item.path
    case NSMetadataItemFSSizeKey: return item.size.map { NSNumber(value: $0) }
    case NSMetadataItemFSCreationDateKey: return item.creationDate
    case NSMetadataItemFSContentChangeDateKey: return item.modificationDate
    case NSMetadataItemContentTypeKey: return item.contentType.identifier
    case NSMetadataItemContentTypeTreeKey:
      return [item.contentType.identifier] + item.contentType.supertypes.map(\.identifier).sorted()
    case NSMetadataItemIsUbiquitousKey: return item.isUbiquitous
    case NSMetadataUbiquitousItemContainerDisplayNameKey: return facts.container
    default: return item.ubiquitousAttributes.flatMap { Self.value(of: key, in: $0) }
    }
  }

  private static func value(of key: String, in attributes: UbiquitousAttributes) -> Any? {
    switch key {
    case NSMetadataUbiquitousItemHasUnresolvedConflictsKey: attributes.hasUnresolvedConflicts
    case NSMetadataUbiquitousItemDownloadingStatusKey: attributes.downloadingStatus.metadataName
    case NSMetadataUbiquitousItemIsDownloadedKey: attributes.downloadingStatus != .notDownloaded
    case NSMetadataUbiquitousItemIsDownloadingKey: attributes.isDownloading
    case NSMetadataUbiquitousItemDownloadRequestedKey: attributes.isDownloadRequested
    case NSMetadataUbiquitousItemIsUploadedKey: attributes.isUploaded
    case NSMetadataUbiquitousItemIsUploadingKey: attributes.isUploading
    case NSMetadataUbiquitousItemPercentDownloadedKey: attributes.percentDownloaded
    case NSMetadataUbiquitousItemPercentUploadedKey: attributes.percentUploaded
    case NSMetadataUbiquitousItemDownloadingErrorKey: attributes.downloadingNSError
    case NSMetadataUbiquitousItemUploadingErrorKey: attributes.uploadingNSError
    default: nil
    }
  }

  /// Returns the values of attributes, without those that the document does not have.
  public func values(forAttributes keys: [String]) -> [String: Any]? {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forAttribute: key) }
    return values
  }

  /// The attributes that the document has.
  public var attributes: [String] { Self.keys.filter { value(forAttribute: $0) != nil } }

  private static let keys = [
    NSMetadataItemFSNameKey, NSMetadataItemDisplayNameKey, NSMetadataItemURLKey, NSMetadataItemPathKey,
    NSMetadataItemFSSizeKey, NSMetadataItemFSCreationDateKey, NSMetadataItemFSContentChangeDateKey,
    NSMetadataItemContentTypeKey, NSMetadataItemContentTypeTreeKey, NSMetadataItemIsUbiquitousKey,
    NSMetadataUbiquitousItemContainerDisplayNameKey, NSMetadataUbiquitousItemHasUnresolvedConflictsKey,
    NSMetadataUbiquitousItemDownloadingStatusKey, NSMetadataUbiquitousItemIsDownloadedKey,
    NSMetadataUbiquitousItemIsDownloadingKey, NSMetadataUbiquitousItemDownloadRequestedKey,
    NSMetadataUbiquitousItemIsUploadedKey, NSMetadataUbiquitousItemIsUploadingKey,
    NSMetadataUbiquitousItemPercentDownloadedKey, NSMetadataUbiquitousItemPercentUploadedKey,
    NSMetadataUbiquitousItemDownloadingErrorKey, NSMetadataUbiquitousItemUploadingErrorKey,
  ]

  /// The value of an attribute, for the key path of a sort descriptor.
  subscript(attribute key: String) -> Any? { value(forAttribute: key) }

  /// One line for a user.
  public override var description: String { "\(item)" }
}
