import CommandSupport
import FilePackages
import PackageArchive

extension ArchiveError {
  /// The same error with the option that lets the archive through.
  var withAdvice: any Error {
    guard let allowance else { return self }
    let advice =
      allowance == .charset
      ? "Name the code page with --charset, such as CP437 or CP932."
      : "If you trust the archive, --\(allowance.rawValue) lets it through."
    return InputError(description: "\(text(path: FilePackageError.Wording.command.path)) \(advice)")
  }
}
