package import Documents
import FilePackages
import SystemPackage

/// Returns whether the folder at a path is one document or a library of documents; nil if no folder is there.
package func folderKind(of path: String) async -> FolderKind? {
  // The command itself reports a string that is no path.
  guard let place = try? FilePath(of: url(path), for: .open) else { return nil }
  return await FolderKind.of(place)
}
