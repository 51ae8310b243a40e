import DurableIO
package import FoundationEssentials
package import PackageFormat
package import SystemPackage

extension FilePath {
  /// Makes a path of a file URL.
  ///
  /// - Throws: `invalidName` if the URL leads to no file, or if only a part of it would become the path.
  package init(of url: URL, for operation: FilePackageError.Operation) throws(FilePackageError) {
    // URL keeps an escaped NUL, and its path is empty if the path is not UTF-8.
    let path = url.path
    guard url.isFileURL, !path.isEmpty, !url.path(percentEncoded: true).contains("%00") else {
      throw FilePackageError(
        .invalidName, operation, document: url.absoluteString, reason: "it is not the URL of a file")
    }
    self.init(lossless: path)
  }
}
