import FilePackages
import PackageArchive

extension FilePackageError {
  /// What to do with an archive, such as an EPUB, that was named where a package is expected.
  var archiveHint: String {
    guard code == .notAPackage, let format = ArchiveFormat(recognizingFileAt: url(document)) else {
      return ""
    }
    return " It is an archive (\(format.rawValue)): 'docpkg import' makes a package of it."
  }
}
