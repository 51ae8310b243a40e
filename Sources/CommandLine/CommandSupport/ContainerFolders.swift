import Documents
import DurableIO
import FilePackages
package import FoundationEssentials

/// Returns the command that brings the content of a document here, if an error did not find the document and its folder
/// belongs to a container; empty for other errors.
func placeholderHint(of error: any Error) -> String {
  guard let error = (error as? DocumentError)?.fileError ?? error as? FilePackageError,
    error.code == .noSuchFile, error.child == nil, let folder = containerFolder(around: error.document),
    folder.path != absoluteURL(error.document).path
  else { return "" }
  let path = FilePackageError.Wording.command.path(error.document)
  return " If the container has it, 'docpkg cloud download \(path)' brings it."
}

/// Returns the container folder that a path is or is in; nil if there is none.
package func containerFolder(around path: String) -> URL? {
  sequence(first: absoluteURL(path)) { folder in
    folder.path == "/" ? nil : folder.deletingLastPathComponent().standardized
  }.first(where: isContainerFolder)
}

/// Returns whether a folder is a container folder itself.
package func isContainerFolder(_ folder: URL) -> Bool {
  FileManager.default.fileExists(atPath: folder.appending(path: PackageLayout.containerFolder.string).path)
}
