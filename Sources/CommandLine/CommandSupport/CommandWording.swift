package import FilePackages
import FoundationEssentials

extension FilePackageError.Wording {
  /// The wording for users of a command: paths as they gave them, and the command that helps.
  package static let command = FilePackageError.Wording(
    hasEnded: true,
    hint: { code in
      switch code {
      case .logDamaged: "'docpkg repair' does that."
      case .unpublished:
        "'docpkg recover --discard-unpublishable' drops these children and keeps their bytes."
      case .noSuchVersion: "'docpkg versions' lists the versions."
      default: nil
      }
    },
    path: { display(spelling(of: $0, among: givenArguments)) })

  /// Returns the path's spelling in the arguments. If they lack it, returns the path relative to the working
  /// directory, or the path itself outside of it.
  package static func spelling(of path: String, among arguments: [String]) -> String {
    let wanted = absoluteURL(path).path
    for argument in arguments {
      // An argument may be a path, or an assignment such as `--set child=file` or `--text-file=file`.
      let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
      for start in parts.indices {
        let candidate = parts[start...].joined(separator: "=")
        if !candidate.isEmpty, absoluteURL(candidate).path == wanted { return candidate }
      }
    }
    let folder = FileManager.default.currentDirectoryPath + "/"
    return wanted.hasPrefix(folder) ? String(wanted.dropFirst(folder.count)) : path
  }
}
