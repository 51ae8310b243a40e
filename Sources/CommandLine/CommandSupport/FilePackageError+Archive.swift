import FilePackages
import PackageArchive

extension FilePackageError {
  /// A hint for an archive, such as an EPUB, in the place of a package; empty for other errors.
  package var archiveHint: String {
    guard code == .notAPackage, let format = ArchiveFormat(recognizingFileAt: url(document)) else {
      return ""
    }
    return " It is an archive (\(format.rawValue)): 'docpkg import' makes a package of it."
  }
}
