internal import CLinux
internal import Glibc
package import SystemPackage

// What only the disk of this machine can say: where a node is by now.
extension PosixDisk {
  /// Opens what is at a path for nothing but knowing it: open(2), O_PATH and O_NOFOLLOW. The node keeps its
  /// number as long as the descriptor is open.
  package func openPlace(at path: FilePath) throws(SystemError) -> OwnedDescriptor {
    let number = try repeated("open", FileName(path)) {
      path.withPlatformString { open($0, Int32(CLINUX_OPEN_PATH) | O_NOFOLLOW | O_CLOEXEC) }
    }
    return OwnedDescriptor(number, of: self)
  }

  /// A path that leads to an open node, whatever its own is by now, as long as it is open.
  package func link(to node: borrowing OwnedDescriptor) -> FilePath {
    FilePath("/proc/self/fd/\(node.number)")
  }

  /// Where an open node is by now, however it got there: readlink(2) of `/proc/self/fd`. Of a node that was
  /// removed it is a path that leads nowhere, or to something else: the caller compares.
  package func path(of node: borrowing OwnedDescriptor) throws(SystemError) -> FilePath {
    let path = "/proc/self/fd/\(node.number)"
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    try repeated("readlink") { readlink(path, &buffer, buffer.count - 1) }
    return buffer.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { FilePath(platformString: $0) } ?? FilePath()
    }
  }

  package func place(of node: borrowing OwnedDescriptor) throws(SystemError) -> FilePath? {
    try path(of: node)
  }

  /// How many descriptors this process may have: getrlimit(2), RLIMIT_NOFILE.
  package var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_cur)
  }
}
