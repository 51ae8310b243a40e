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
  public func value(forAttribute key: String) -> Any? { facts.withLock { Self.values[key]?($0) } }

  /// Returns the values of attributes, without those that the document does not have.
  public func values(forAttributes keys: [String]) -> [String: Any]? {
    var values: [String: Any] = [:]
    for key in keys { values[key] = value(forAttribute: key) }
    return values
  }

  /// The attributes that the document has.
  public var attributes: [String] { Self.values.keys.sorted().filter { value(forAttribute: $0) != nil } }

  /// The values of all attributes.
  private static let values: [String: @Sendable (Facts) -> Any?] = {
    var values: [String: @Sendable (Facts) -> Any?] = [
      NSMetadataItemFSNameKey: { $0.item.filename },
      NSMetadataItemDisplayNameKey: { $0.item.displayName },
      NSMetadataItemURLKey: { $0.item.url },
      NSMetadataItemPathKey: { $0.item.path },
      NSMetadataItemFSSizeKey: { $0.item.size.map { NSNumber(value: $0) } },
      NSMetadataItemFSCreationDateKey: { $0.item.creationDate },
      NSMetadataItemFSContentChangeDateKey: { $0.item.modificationDate },
      NSMetadataItemContentTypeKey: { $0.item.contentType.identifier },
      NSMetadataItemContentTypeTreeKey: {
        [$0.item.contentType.identifier] + $0.item.contentType.supertypes.map(\.identifier).sorted()
      },
      NSMetadataItemIsUbiquitousKey: { $0.item.isUbiquitous },
      NSMetadataUbiquitousItemContainerDisplayNameKey: { $0.container },
    ]
    let ubiquitous: [String: @Sendable (UbiquitousAttributes) -> Any?] = [
      NSMetadataUbiquitousItemHasUnresolvedConflictsKey: { $0.hasUnresolvedConflicts },
      NSMetadataUbiquitousItemDownloadingStatusKey: { $0.downloadingStatus.metadataName },
      NSMetadataUbiquitousItemIsDownloadedKey: { $0.downloadingStatus != .notDownloaded },
      NSMetadataUbiquitousItemIsDownloadingKey: { $0.isDownloading },
      NSMetadataUbiquitousItemDownloadRequestedKey: { $0.isDownloadRequested },
      NSMetadataUbiquitousItemIsUploadedKey: { $0.isUploaded },
      NSMetadataUbiquitousItemIsUploadingKey: { $0.isUploading },
      NSMetadataUbiquitousItemPercentDownloadedKey: { $0.percentDownloaded },
      NSMetadataUbiquitousItemPercentUploadedKey: { $0.percentUploaded },
      NSMetadataUbiquitousItemDownloadingErrorKey: { $0.downloadingNSError },
      NSMetadataUbiquitousItemUploadingErrorKey: { $0.uploadingNSError },
    ]
    for (key, value) in ubiquitous { values[key] = { $0.item.ubiquitousAttributes.flatMap(value) } }
    return values
  }()

  /// The value of an attribute, for the key path of a sort descriptor.
  subscript(attribute key: String) -> Any? { value(forAttribute: key) }

  /// One line for a user.
  public override var description: String { "\(item)" }
}
