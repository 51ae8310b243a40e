import CommandSupport
import FilePackages
import Glibc
import SystemPackage

/// Returns the status of the node at a path, also of a name that is not UTF-8; nil if there is none.
///
/// It is nil after an error, too: the command reports that when it uses the path.
func nodeStatus(_ path: String, following: Bool) -> stat? {
  var status = stat()
  let place = try? FilePath(of: url(path), for: .open)  // The command reports a text that is no path.
  let result = place?.withPlatformString { following ? stat($0, &status) : lstat($0, &status) }
  return result == 0 ? status : nil
}

/// Returns whether a path leads to a directory.
func isDirectory(_ path: String) -> Bool {
  nodeStatus(path, following: true).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
}
