public import Foundation

extension NSNotification.Name {
  /// A query begins to gather; the object is the query.
  public static let NSMetadataQueryDidStartGathering = NSNotification.Name(
    "NSMetadataQueryDidStartGatheringNotification")
  /// A query that gathers has found some of the documents; the object is the query.
  public static let NSMetadataQueryGatheringProgress = NSNotification.Name(
    "NSMetadataQueryGatheringProgressNotification")
  /// A query has found all present documents; the object is the query.
  public static let NSMetadataQueryDidFinishGathering = NSNotification.Name(
    "NSMetadataQueryDidFinishGatheringNotification")
  /// The results have changed; the object is the query. The user info has the items under the three keys.
  public static let NSMetadataQueryDidUpdate = NSNotification.Name("NSMetadataQueryDidUpdateNotification")
}

/// The key of the new items of an update: an array of `NSMetadataItem`.
public let NSMetadataQueryUpdateAddedItemsKey = "kMDQueryUpdateAddedItems"
/// The key of the changed items of an update, also those with a new place: an array of `NSMetadataItem`.
public let NSMetadataQueryUpdateChangedItemsKey = "kMDQueryUpdateChangedItems"
/// The key of the items that an update removed from the results: an array of `NSMetadataItem`.
public let NSMetadataQueryUpdateRemovedItemsKey = "kMDQueryUpdateRemovedItems"
