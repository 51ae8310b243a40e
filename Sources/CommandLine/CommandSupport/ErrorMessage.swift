import Documents
package import FilePackages
import FoundationEssentials
import PackageArchive

/// Returns a sentence on an error of a command, with a hint if an archive is in the place of a package.
package func errorMessage(
  of error: any Error, _ wording: FilePackageError.Wording = .command
) -> String {
  switch error {
  case let error as FilePackageError: error.text(wording) + error.archiveHint
  case let error as DocumentError: error.text(wording)
  case let error as ArchiveError: error.text(path: wording.path)
  case let error as CocoaError:
    (error.userInfo["NSUnderlyingError"] as? FilePackageError)?.text(wording) ?? sentence(of: error)
  default: sentence(of: error)
  }
}
