public import FilePackages
public import FoundationEssentials

/// A document of a container, with the attributes that Apple's metadata queries give an item in iCloud.
public struct CloudItem: Sendable, Hashable, Identifiable {
  /// The place of a document's content, with Apple's names.
  public enum DownloadingStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// The content is only in the container.
    case notDownloaded
    /// An older state of the content is here.
    case downloaded
    /// The newest known state of the content is here.
    case current
  }

  /// The document's identity, which stays under another name.
  public var id: CloudDocumentID
  /// The name in the container: a path with slashes.
  public var name: String
  /// The place in the container folder, where the document is or will be.
  public var url: URL
  /// The document's type.
  public var contentType: UTType
  /// Whether the document is a directory; otherwise it is a flat file.
  public var isPackage: Bool
  /// The bytes of the last version in the container; nil if it has none yet.
  public var size: UInt64?
  /// The time of the last version in the container, by its device's clock; nil if it has none yet.
  public var modificationDate: Date?
  /// The name of the device that made the last version; nil if there is none yet.
  public var savingComputer: String?
  /// The place of the content.
  public var downloadingStatus: DownloadingStatus
  /// Whether the content comes here at this moment, or was asked for.
  public var isDownloading: Bool
  /// The part of the content that has come, from 0 to 100; 100 if nothing is coming.
  public var percentDownloaded: Double
  /// Whether the container has the content that is here. True for a placeholder.
  public var isUploaded: Bool
  /// Whether the content goes to the container at this moment.
  public var isUploading: Bool
  /// The part of the content that has gone, from 0 to 100; 100 if nothing is going.
  public var percentUploaded: Double
  /// Whether versions of other devices are in conflict with the last version.
  public var hasUnresolvedConflicts: Bool
  /// The reason why the content did not come; nil if there is none.
  public var downloadingError: String?
  /// The reason why the content did not go; nil if there is none.
  public var uploadingError: String?

  /// Always true: the item belongs to a container.
  public var isUbiquitous: Bool { true }
}

extension CloudItem: CustomStringConvertible {
  /// One line for a user.
  public var description: String {
    var parts = [displayString(name)]
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
