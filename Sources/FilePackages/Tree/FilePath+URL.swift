import DurableIO
package import FoundationEssentials
package import SystemPackage

extension FilePath {
  /// The path that a file URL stands for.
  ///
  /// - Throws: `invalidName` for a URL that leads to no file or of which only a part would be a path.
  package init(of url: URL, for operation: FilePackageError.Operation) throws(FilePackageError) {
    // URL leaves an escaped NUL as it is, and makes nothing of a path that is not UTF-8.
    let path = url.path
    guard url.isFileURL, !path.isEmpty, !url.path(percentEncoded: true).contains("%00") else {
      throw FilePackageError(
        .invalidName, operation, document: url.absoluteString, reason: "that is no URL of a file")
    }
    self.init(lossless: path)
  }
}
