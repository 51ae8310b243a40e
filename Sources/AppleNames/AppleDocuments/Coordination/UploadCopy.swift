public import Documents
import FilePackages
import Foundation

extension FileCoordinator.ReadingOptions {
  /// The accessor of an `NSFileCoordinator` gets the URL of a temporary copy: the file, or a ZIP file of a folder.
  ///
  /// The copy is removed after the accessor returns. The ZIP file has no compression and no versions of a document. A
  /// `FileCoordinator` of `Documents` ignores the option.
  public static let forUploading = FileCoordinator.ReadingOptions(rawValue: 8)
}

/// The temporary copy of an item for an upload. It is removed with this object.
final class UploadCopy: Sendable {
  let url: URL
  private let files: WrittenFiles

  /// Copies the item of an intent; returns nil for an intent that wants no copy.
  init?(_ intent: FileAccessIntent) throws {
    guard intent.readingOptions.contains(.forUploading) else { return nil }
    files = try WrittenFiles.folder(beside: nil)
    let (item, name) = (intent.url, intent.url.lastPathComponent)
    if FileManager.default.isFolder(at: item) {
      url = URL(fileURLWithPath: "\(files.path)/\(name).zip")
      try StoredZip.write(item, to: url)
    } else {
      url = URL(fileURLWithPath: "\(files.path)/\(name)")
      try FileManager.default.copyItem(at: item, to: url)
    }
  }
}
