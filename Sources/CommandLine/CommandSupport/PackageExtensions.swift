package import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// The extensions that the user declares as those of packages: in an option of `list`, and in a file with one on
/// each line.
package enum PackageExtensions {
  /// Returns the extensions in a comparable form: in lower case, without a leading `.` or `*.`.
  package static func canonical(_ names: [String]) -> Set<String> {
    Set(names.map { TypeCatalog.bareExtension($0).lowercased() })
  }

  package static func isValid(_ name: String) -> Bool {
    let name = TypeCatalog.bareExtension(name)
    return TypeTag(name, tagClass: .filenameExtension) != nil
      && !name.unicodeScalars.contains {
        $0.value <= 0x20 || $0.value == 0x7F || "*?[".unicodeScalars.contains($0)
      }
  }

  /// Returns the extensions in the user's file; none if the file is missing or unreachable.
  package static func ofUser() throws -> Set<String> {
    guard let path, access(path, F_OK) == 0 else { return [] }
    let bytes: Data
    do {
      bytes = try contents(ofFile: path).contents()
    } catch {
      let cause = (error as? CocoaError)?.userInfo["NSUnderlyingError"] ?? error
      let reason = (cause as? FilePackageError)?.reason.map { ": \($0)" } ?? ""
      throw InputError(description: "The settings file '\(display(path))' could not be read\(reason).")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw InputError(description: "The settings file '\(display(path))' is not a text in UTF-8.")
    }
    let lines = text.drop { $0 == "\u{FEFF}" }.split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return canonical(
      try lines.enumerated().compactMap { index, line in
        let name = line.trimmed()
        if name.isEmpty || name.hasPrefix("#") { return nil }
        if isValid(name) { return name }
        throw InputError(
          description:
            "The settings file '\(display(path))': line \(index + 1): '\(display(name))' is not an extension."
        )
      })
  }

  /// The file's path by the XDG Base Directory Specification, which says to ignore relative paths.
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

/// Returns whether the folder at a path is one document or a library of documents; nil if no folder is there.
///
/// The user's own extensions of packages count.
package func folderKind(of path: String) async throws -> FolderKind? {
  // The command itself reports a string that is no path.
  guard let place = try? FilePath(of: url(path), for: .open) else { return nil }
  return await FolderKind.of(place, packages: try PackageExtensions.ofUser())
}
