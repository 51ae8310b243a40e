import FilePackages
import Foundation

/// The contents that `writeContents` gives to a save: a tree, or files in a temporary place.
final class CollectedContents {
  private var files: Result<WrittenFiles, FilePackageError>?
  /// The tree that needs no files.
  var tree: FileWrapper?

  private static let name = "Contents"

  /// The temporary place, in a folder that is made when this is first read.
  var url: URL {
    let made = files ?? Result { () throws(FilePackageError) in try WrittenFiles.folder(beside: nil) }
    files = made
    // `result()` throws the error of the folder.
    guard case .success(let files) = made else { return URL(fileURLWithPath: "/dev/null") }
    return URL(fileURLWithPath: "\(files.path)/\(Self.name)")
  }

  /// Returns the tree, and whether it consists of files in the temporary place.
  ///
  /// - Throws: `CocoaError.fileWriteUnknown` if nothing was written; the system's error.
  func result() throws -> (tree: FileWrapper, isWritten: Bool) {
    if let tree { return (tree, false) }
    guard let files = try files?.get(), FileManager.default.fileExists(atPath: url.path) else {
      throw CocoaError(
        .fileWriteUnknown,
        userInfo: [
          NSDebugDescriptionErrorKey: "an override of writeContents must call super, or write at its URL"
        ])
    }
    return (try files.read(Self.name), true)
  }
}
