/// The attributes that Apple's metadata queries give an item in iCloud, for a document in a container.
public struct UbiquitousAttributes: Sendable, Hashable {
  /// The place of a document's content, with Apple's names.
  public enum DownloadingStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// The content is only in the container.
    case notDownloaded
    /// An older state of the content is here.
    case downloaded
    /// The newest known state of the content is here.
    case current
  }

  /// The place of the content.
  public var downloadingStatus = DownloadingStatus.current
  /// Whether the content comes here at this moment, or was asked for.
  public var isDownloading = false
  /// The part of the content that has come, from 0 to 100; 100 if nothing is coming.
  public var percentDownloaded = 100.0
  /// Whether the container has the content that is here. True for a placeholder.
  public var isUploaded = true
  /// Whether the content goes to the container at this moment.
  public var isUploading = false
  /// The part of the content that has gone, from 0 to 100; 100 if nothing is going.
  public var percentUploaded = 100.0
  /// Whether versions of other devices are in conflict with the last version.
  public var hasUnresolvedConflicts = false
  /// The reason why the content did not come; nil if there is none.
  public var downloadingError: String?
  /// The reason why the content did not go; nil if there is none.
  public var uploadingError: String?

  /// Makes the attributes of a document that is here and in the container.
  public init() {}
}

extension UbiquitousAttributes: CustomStringConvertible {
  /// The attributes that are not the usual ones, for a user; empty if all are.
  public var description: String {
    var parts: [String] = []
    switch downloadingStatus {
    case .notDownloaded: parts.append("not downloaded")
    case .downloaded: parts.append("an older state is here")
    case .current: break
    }
    if isDownloading { parts.append("downloading") }
    if isUploading { parts.append("uploading") } else if !isUploaded { parts.append("not uploaded") }
    if hasUnresolvedConflicts { parts.append("in conflict") }
    if let error = downloadingError ?? uploadingError { parts.append(error) }
    return parts.joined(separator: ", ")
  }
}
