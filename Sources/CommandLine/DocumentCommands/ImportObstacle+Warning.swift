import CommandSupport
import FilePackages
import PackageArchive

extension ImportObstacle {
  /// A sentence that names the option of `docpkg import` which helps.
  var warning: String {
    var subject = path.map { "'\(display($0))'" } ?? "the archive"
    if count > 1 { subject += " and \(count - 1) more" }
    let limit = limit.map(String.init) ?? ""
    let (problem, option) =
      switch kind {
      case .controlCharacters: ("control characters in a name", "--control-characters")
      case .similarNames: ("a name that differs from another only in case or encoding", "--similar-names")
      case .outsideLink: ("a link that leads out of the package", "--outside-links")
      case .appleDouble: ("a file that looks like macOS's own", "--apple-double")
      case .hiddenName: ("a name like that of the hidden folder", "--with-history")
      case .depth: ("\(limit) folders within folders", "--max-depth \(limit)")
      case .entries: ("\(limit) entries", "--max-entries \(limit)")
      case .bytes: ("\(limit) bytes", "--max-bytes \(limit)")
      case .ratio: ("\(limit) times as many bytes as the archive", "--max-ratio \(limit)")
      }
    let outcome = kind == .appleDouble || kind == .hiddenName ? "leaves it out" : "refuses it"
    return "\(subject): \(problem); 'docpkg import' \(outcome) without \(option)"
  }
}
