/// The attributes that Apple's metadata queries give an item in iCloud, for a document in a container.
public struct UbiquitousAttributes: Sendable, Hashable, Encodable {
  /// The place of a document's content, with Apple's names.
  public enum DownloadingStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// The content is only in the container, not on this machine.
    case notDownloaded
    /// An older state of the content is on this machine.
    case downloaded
    /// The newest known state of the content is on this machine.
    case current
  }

  /// The place of the content.
  public var downloadingStatus = DownloadingStatus.current
  /// Whether the content is being downloaded, or waits for its download.
  public var isDownloading = false
  /// The downloaded part of the content, from 0 to 100. If no download runs, it is 0 for a placeholder and otherwise
  /// 100.
  public var percentDownloaded = 100.0
  /// Whether the container has the content that is on this machine. True for a placeholder.
  public var isUploaded = true
  /// Whether the content is being uploaded.
  public var isUploading = false
  /// The uploaded part of the content, from 0 to 100. If no upload runs, it is 0 for content that waits for its upload
  /// and otherwise 100.
  public var percentUploaded = 100.0
  /// Whether versions of other devices are in conflict with the last version.
  public var hasUnresolvedConflicts = false
  /// The reason why the download failed; nil if there is none.
  public var downloadingError: String?
  /// The reason why the upload failed; nil if there is none.
  public var uploadingError: String?

  /// Makes the attributes of a document that is the same on this machine and in the container.
  public init() {}
}

extension UbiquitousAttributes: CustomStringConvertible {
  /// The state of the document in words; empty if it is the same on this machine and in the container.
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
