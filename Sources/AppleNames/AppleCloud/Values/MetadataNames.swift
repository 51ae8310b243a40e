// The names that queries and their items use, with Apple's values.

// MARK: Scopes

/// The documents in the folders `Documents` of the registered containers.
public let NSMetadataQueryUbiquitousDocumentsScope = "NSMetadataQueryUbiquitousDocumentsScope"
/// The documents of the registered containers outside of the folders `Documents`: the data of the program.
public let NSMetadataQueryUbiquitousDataScope = "NSMetadataQueryUbiquitousDataScope"
/// Documents that other programs gave access to. On Linux a query finds none.
public let NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope =
  "NSMetadataQueryAccessibleUbiquitousExternalDocumentsScope"
/// The documents in the user's home folder.
public let NSMetadataQueryUserHomeScope = "kMDQueryScopeHome"

// MARK: Attributes of all documents

/// The filename: a `String`.
public let NSMetadataItemFSNameKey = "kMDItemFSName"
/// The name for people, without an extension: a `String`.
public let NSMetadataItemDisplayNameKey = "kMDItemDisplayName"
/// The place: a `URL`. For a placeholder it is the place that the document will have.
public let NSMetadataItemURLKey = "kMDItemURL"
/// The path of the place: a `String`.
public let NSMetadataItemPathKey = "kMDItemPath"
/// The size in bytes: an integer; nil for a package outside of a container.
public let NSMetadataItemFSSizeKey = "kMDItemFSSize"
/// The date when the file was made: a `Date`; nil for a placeholder, and if the file system does not record it.
public let NSMetadataItemFSCreationDateKey = "kMDItemFSCreationDate"
/// The date of the last change: a `Date`.
public let NSMetadataItemFSContentChangeDateKey = "kMDItemFSContentChangeDate"
/// The identifier of the type: a `String`.
public let NSMetadataItemContentTypeKey = "kMDItemContentType"
/// The identifiers of the type and of all types that it conforms to: an array of `String`.
public let NSMetadataItemContentTypeTreeKey = "kMDItemContentTypeTree"

// MARK: Attributes of documents in a container

/// Whether a container has the document: a `Bool`.
public let NSMetadataItemIsUbiquitousKey = "NSMetadataItemIsUbiquitousKey"
/// The name of the container folder: a `String`.
public let NSMetadataUbiquitousItemContainerDisplayNameKey = "NSMetadataUbiquitousItemContainerDisplayNameKey"
/// Whether versions of other devices are in conflict: a `Bool`.
public let NSMetadataUbiquitousItemHasUnresolvedConflictsKey =
  "NSMetadataUbiquitousItemHasUnresolvedConflictsKey"
/// The place of the content: one of the three constants below.
public let NSMetadataUbiquitousItemDownloadingStatusKey = "NSMetadataUbiquitousItemDownloadingStatusKey"
/// Whether content is on this machine, also an older state: a `Bool`. Apple's systems have only the downloading status.
public let NSMetadataUbiquitousItemIsDownloadedKey = "NSMetadataUbiquitousItemIsDownloadedKey"
/// Whether the content is being downloaded or was asked for: a `Bool`.
public let NSMetadataUbiquitousItemIsDownloadingKey = "NSMetadataUbiquitousItemIsDownloadingKey"
/// Whether the content of a placeholder was asked for: a `Bool`.
public let NSMetadataUbiquitousItemDownloadRequestedKey = "NSMetadataUbiquitousItemDownloadRequestedKey"
/// Whether the container has the content of this machine: a `Bool`.
public let NSMetadataUbiquitousItemIsUploadedKey = "NSMetadataUbiquitousItemIsUploadedKey"
/// Whether the content is being uploaded: a `Bool`.
public let NSMetadataUbiquitousItemIsUploadingKey = "NSMetadataUbiquitousItemIsUploadingKey"
/// The downloaded part of the content, from 0 to 100: a `Double`.
public let NSMetadataUbiquitousItemPercentDownloadedKey = "NSMetadataUbiquitousItemPercentDownloadedKey"
/// The uploaded part of the content, from 0 to 100: a `Double`.
public let NSMetadataUbiquitousItemPercentUploadedKey = "NSMetadataUbiquitousItemPercentUploadedKey"
/// The reason why the download failed: an `NSError`; nil if it did not fail.
public let NSMetadataUbiquitousItemDownloadingErrorKey = "NSMetadataUbiquitousItemDownloadingErrorKey"
/// The reason why the upload failed: an `NSError`; nil if it did not fail.
public let NSMetadataUbiquitousItemUploadingErrorKey = "NSMetadataUbiquitousItemUploadingErrorKey"

/// The content is only in the container.
public let NSMetadataUbiquitousItemDownloadingStatusNotDownloaded =
  "NSMetadataUbiquitousItemDownloadingStatusNotDownloaded"
/// An older state of the content is on this machine.
public let NSMetadataUbiquitousItemDownloadingStatusDownloaded =
  "NSMetadataUbiquitousItemDownloadingStatusDownloaded"
/// The newest known state of the content is on this machine.
public let NSMetadataUbiquitousItemDownloadingStatusCurrent =
  "NSMetadataUbiquitousItemDownloadingStatusCurrent"
