import CommandSupport
import FilePackages
import PackageArchive

extension ArchiveError {
  /// The same error with the option that lets the archive through.
  var withAdvice: any Error {
    guard let advice = allowance?.advice else { return self }
    return InputError(description: "\(text(path: FilePackageError.Wording.command.path)) \(advice)")
  }
}

extension ArchiveError.Allowance {
  /// The option with which an import takes the archive all the same.
  fileprivate var advice: String {
    switch self {
    case .appleDouble: "--apple-double imports these too."
    case .history: "--with-history imports these too; use it only with archives that you trust."
    case .outsideLinks: "If you trust it, import such links with --outside-links."
    case .similarNames: "If your disk distinguishes such names, accept them with --similar-names."
    case .controlCharacters: "If you trust it, accept such names with --control-characters."
    case .driveLetters: "If it is an ordinary name, accept it with --drive-letters."
    case .charset: "Name the code page with --charset, such as CP437 or CP932."
    case .format: "Name the format with --format."
    case .bytes: "If you trust it, raise --max-bytes."
    case .entries: "If you trust it, raise --max-entries."
    case .ratio: "If you trust it, raise --max-ratio."
    case .depth: "If you trust it, raise --max-depth."
    case .dictionaryBytes: "If you trust it and have so much memory, raise --max-dictionary."
    }
  }
}
