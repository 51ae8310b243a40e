import CommandSupport
import FilePackages
import PackageArchive

extension ArchiveError {
  /// The same error with another way to the contents of the archive.
  var withAdvice: any Error {
    guard let advice = allowance?.advice else { return self }
    return InputError(description: "\(text(path: FilePackageError.Wording.command.path)) \(advice)")
  }
}

extension ArchiveError.Allowance {
  /// The option with which an import takes the archive all the same, or a program that unpacks it.
  fileprivate var advice: String {
    switch self {
    case .history, .similarNames, .backslashes, .bytes:
      "If you trust the archive, --\(rawValue) lets it through."
    case .appleDouble, .outsideLinks, .controlCharacters, .driveLetters, .charset, .entries, .ratio, .depth,
      .dictionaryBytes:
      "If you trust it, unpack it with another program, such as bsdtar: the folder is a package."
    }
  }
}
