// The names that queries and their items use, with Apple's values.

// MARK: Scopes

/// The documents in the folders `Documents` of the registered containers.
public let NSMetadataQueryUbiquitousDocumentsScope = "NSMetadataQueryUbiquitousDocumentsScope"
/// The documents of the registered containers outside of the folders `Documents`: the data of the program.
public let NSMetadataQueryUbiquitousDataScope = "NSMetadataQueryUbiquitousDataScope"
/// Documents that other programs gave access to. There are none.
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
/// The same as a path: a `String`.
public let NSMetadataItemPathKey = "kMDItemPath"
/// The bytes: an integer; nil for a package outside of a container.
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
/// Whether content is here, also an older state: a `Bool`. Apple's systems have the downloading status instead.
public let NSMetadataUbiquitousItemIsDownloadedKey = "NSMetadataUbiquitousItemIsDownloadedKey"
/// Whether the content comes at this moment, or was asked for: a `Bool`.
public let NSMetadataUbiquitousItemIsDownloadingKey = "NSMetadataUbiquitousItemIsDownloadingKey"
/// Whether the content of a placeholder was asked for: a `Bool`.
public let NSMetadataUbiquitousItemDownloadRequestedKey = "NSMetadataUbiquitousItemDownloadRequestedKey"
/// Whether the container has the content that is here: a `Bool`.
public let NSMetadataUbiquitousItemIsUploadedKey = "NSMetadataUbiquitousItemIsUploadedKey"
/// Whether the content goes to the container at this moment: a `Bool`.
public let NSMetadataUbiquitousItemIsUploadingKey = "NSMetadataUbiquitousItemIsUploadingKey"
/// The part of the content that has come, from 0 to 100: a `Double`.
public let NSMetadataUbiquitousItemPercentDownloadedKey = "NSMetadataUbiquitousItemPercentDownloadedKey"
/// The part of the content that has gone, from 0 to 100: a `Double`.
public let NSMetadataUbiquitousItemPercentUploadedKey = "NSMetadataUbiquitousItemPercentUploadedKey"
/// The reason why the content did not come: an `NSError`; nil if there is none.
public let NSMetadataUbiquitousItemDownloadingErrorKey = "NSMetadataUbiquitousItemDownloadingErrorKey"
/// The reason why the content did not go: an `NSError`; nil if there is none.
public let NSMetadataUbiquitousItemUploadingErrorKey = "NSMetadataUbiquitousItemUploadingErrorKey"

/// The content is only in the container.
public let NSMetadataUbiquitousItemDownloadingStatusNotDownloaded =
  "NSMetadataUbiquitousItemDownloadingStatusNotDownloaded"
/// An older state of the content is here.
public let NSMetadataUbiquitousItemDownloadingStatusDownloaded =
  "NSMetadataUbiquitousItemDownloadingStatusDownloaded"
/// The newest known state of the content is here.
public let NSMetadataUbiquitousItemDownloadingStatusCurrent =
  "NSMetadataUbiquitousItemDownloadingStatusCurrent"
