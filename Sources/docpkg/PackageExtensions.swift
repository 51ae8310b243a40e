import Documents
import FilePackages
import FoundationEssentials
import Glibc

/// The extensions that a user says are those of packages: an option of `list`, and a file with one a line.
enum PackageExtensions {
  /// As they are compared: in lower case and without `.` or `*.` before them.
  static func canonical(_ names: [String]) -> Set<String> {
    Set(names.map { TypeCatalog.bareExtension($0).lowercased() })
  }

  static func isValid(_ name: String) -> Bool {
    TypeTag(TypeCatalog.bareExtension(name), tagClass: .filenameExtension) != nil
  }

  /// Those of the user's file; none where there is no file, or none that this user can reach.
  static func ofUser() throws -> Set<String> {
    guard let path, access(path, F_OK) == 0 else { return [] }
    guard let text = String(validating: try contents(ofFile: path).contents(), as: UTF8.self) else {
      throw InputError(description: "The settings file '\(display(path))' is not a text in UTF-8.")
    }
    var names: [String] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let name = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      if name.isEmpty || name.hasPrefix("#") { continue }
      guard isValid(name) else {
        throw InputError(
          description:
            "The settings file '\(display(path))': line \(index + 1): '\(display(name))' is no extension.")
      }
      names.append(name)
    }
    return canonical(names)
  }

  /// Where the XDG Base Directory Specification says that the file is. Relative paths are ignored, as it asks.
  private static var path: String? {
    func folder(_ variable: String) -> String? {
      getenv(variable).map { FilePackages.losslessString(cString: $0) }.flatMap {
        $0.hasPrefix("/") ? $0 : nil
      }
    }
    let base = folder("XDG_CONFIG_HOME") ?? folder("HOME").map { $0 + "/.config" }
    return base.map { $0 + "/docpkg/package-extensions" }
  }
}
