internal import CLinux
internal import Glibc
package import SystemPackage

/// The files on which a library holds locks of this process, as SQLite does on an open database.
///
/// The system ends all locks of a process on a file when the process closes any descriptor of the file. So `PosixDisk`
/// closes no descriptor of such a file. It keeps the descriptor, gives it to the next reader of the file, and closes it
/// when the library has closed the file.
package enum ProcessLocks {
  /// A file of the file system, whatever its name.
  package struct Node: Hashable, Sendable {
    fileprivate let device, inode: UInt64
  }

  private static let files = LockedFiles()

  /// Returns the node at a path; follows symbolic links.
  package static func node(at path: FilePath) throws(SystemError) -> Node {
    var status = clinux_status()
    try repeated("statx", FileName(path)) { path.withPlatformString { clinux_status_at($0, &status) } }
    return Node(device: status.device, inode: status.inode)
  }

  /// Says that a library has opened a file, before its first lock. Waits for the descriptors that close at this moment.
  package static func begin(_ node: Node) {
    files.change { files in files[node, default: HeldFile()].users += 1 }
  }

  /// Says that a library has closed a file that it began with.
  package static func end(_ node: Node) {
    files.change { files in
      guard var file = files[node] else { return }
      file.users -= 1
      files[node] = file.users == 0 ? nil : file
      // No other thread can begin with the file meanwhile.
      if file.users == 0 { for number in file.kept { closeNow(number) } }
    }
  }

  /// Takes a kept descriptor of a file; nil if there is none.
  static func descriptor(of identity: FileIdentity, forWriting: Bool) -> Int32? {
    if files.look(\.isEmpty) { return nil }
    let node = Node(device: identity.device, inode: identity.inode)
    return files.change { files in
      let index = files[node]?.kept.lastIndex {
        fcntl($0, F_GETFL) & O_ACCMODE == (forWriting ? O_RDWR : O_RDONLY)
      }
      return index.flatMap { files[node]?.kept.remove(at: $0) }
    }
  }

  /// Closes a descriptor, or keeps it.
  static func close(_ number: Int32) {
    let isHeld = files.look { files in
      if !files.isEmpty, let node = node(of: number), files[node] != nil { return true }
      closeNow(number)
      return false
    }
    if !isHeld { return }
    files.change { files in
      if let node = node(of: number), files[node] != nil {
        files[node]?.kept.append(number)
      } else {
        closeNow(number)
      }
    }
  }

  private static func node(of number: Int32) -> Node? {
    var status = clinux_status()
    return clinux_status(number, "", &status) == 0 ? Node(device: status.device, inode: status.inode) : nil
  }

  /// An error of `close` tells nothing new: see `OwnedDescriptor`.
  private static func closeNow(_ number: Int32) { _ = Glibc.close(number) }
}

/// A file on which a library holds locks.
private struct HeldFile {
  /// How often libraries of this process have it open.
  var users = 0
  /// Open descriptors that wait for the next reader.
  var kept: [Int32] = []
}

/// The table of these files. Descriptors close beside each other, and no file begins while one closes.
private final class LockedFiles: @unchecked Sendable {
  // The lock guards it.
  private var files: [ProcessLocks.Node: HeldFile] = [:]
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  /// Lives until the process ends.
  init() { pthread_rwlock_init(lock, nil) }

  func look<Result>(_ body: ([ProcessLocks.Node: HeldFile]) -> Result) -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body(files)
  }

  func change<Result>(_ body: (inout [ProcessLocks.Node: HeldFile]) -> Result) -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return body(&files)
  }
}
