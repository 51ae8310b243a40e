import Documents
import FoundationEssentials

/// Returns whether the path is a package, or a folder that other programs would take for one.
func isPackage(_ path: String) -> Bool {
  func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).appending(path: name).path)
  }
  let type = UTType(filename: url(path).lastPathComponent, isDirectory: true)
  let isOne = type.conforms(to: .package) || type.conforms(to: .bundle)
  return has(".docpkg") || has("Metadata.plist") || isOne && has(".")
}

/// Returns whether the path is a folder that is no package.
func isPlainFolder(_ path: String) -> Bool {
  // A path with a slash at its end leads to directories only.
  FileManager.default.fileExists(atPath: url(path).path + "/") && !isPackage(path)
}
