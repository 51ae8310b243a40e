import Documents
import Foundation

/// Whether the content of a document is on this machine, and whether it is the newest one.
public struct URLUbiquitousItemDownloadingStatus: RawRepresentable, Hashable, Sendable {
  /// The name, as Apple spells it.
  public let rawValue: String
  /// Makes a status of any name; only the three constants are in use.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The content is only in the container.
  public static let notDownloaded = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusNotDownloaded")
  /// An older state of the content is on this machine.
  public static let downloaded = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusDownloaded")
  /// The newest known state of the content is on this machine.
  public static let current = Self(rawValue: "NSURLUbiquitousItemDownloadingStatusCurrent")

  init(_ status: UbiquitousAttributes.DownloadingStatus) {
    switch status {
    case .notDownloaded: self = .notDownloaded
    case .downloaded: self = .downloaded
    case .current: self = .current
    }
  }
}

extension UbiquitousAttributes.DownloadingStatus {
  /// The status in the words of a query's item.
  var metadataName: String {
    switch self {
    case .notDownloaded: NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
    case .downloaded: NSMetadataUbiquitousItemDownloadingStatusDownloaded
    case .current: NSMetadataUbiquitousItemDownloadingStatusCurrent
    }
  }
}

extension UbiquitousAttributes {
  /// Whether a placeholder's content was asked for.
  var isDownloadRequested: Bool { downloadingStatus == .notDownloaded && isDownloading }

  /// The reason why the content did not come.
  var downloadingNSError: NSError? {
    downloadingError.map { Self.error($0, .ubiquitousFileUnavailable) }
  }

  /// The reason why the content did not go.
  var uploadingNSError: NSError? {
    uploadingError.map { Self.error($0, .ubiquitousFileUbiquityServerNotAvailable) }
  }

  private static func error(_ reason: String, _ code: CocoaError.Code) -> NSError {
    NSError(
      domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: [NSLocalizedDescriptionKey: reason])
  }
}
