internal import CLinux
internal import Glibc
package import SystemPackage

// The present places of nodes, which only this machine's disk knows.
extension PosixDisk {
  /// Opens the node at a path without access to it: open(2), O_PATH and O_NOFOLLOW. The node's number stays taken until
  /// the descriptor closes.
  package func openPlace(at path: FilePath) throws(SystemError) -> OwnedDescriptor {
    let number = try repeated("open", FileName(path)) {
      path.withPlatformString { open($0, Int32(CLINUX_OPEN_PATH) | O_NOFOLLOW | O_CLOEXEC) }
    }
    return OwnedDescriptor(number, of: self)
  }

  /// Returns a path that leads to an open node until it closes, wherever the node is.
  package func link(to node: borrowing OwnedDescriptor) -> FilePath {
    FilePath("/proc/self/fd/\(node.number)")
  }

  /// Returns the present path of an open node after any moves: readlink(2) of `/proc/self/fd`.
  ///
  /// The path of a removed node leads to nothing, or to another node; the caller compares.
  package func path(of node: borrowing OwnedDescriptor) throws(SystemError) -> FilePath {
    let path = "/proc/self/fd/\(node.number)"
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try repeated("readlink") { readlink(path, &buffer, buffer.count - 1) }
    return buffer.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  package func checkWritable(_ name: String, in directory: borrowing OwnedDescriptor) throws(SystemError) {
    _ = try repeated("faccessat", FileName(name)) { faccessat(directory.number, name, W_OK, AT_EACCESS) }
  }

  /// The number of descriptors that this process may have: getrlimit(2), RLIMIT_NOFILE.
  package var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_cur)
  }
}
