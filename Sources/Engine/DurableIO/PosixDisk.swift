internal import CLinux
internal import Glibc
package import SystemPackage

/// The disk of this machine, through the system calls that `Disk` names.
///
/// It repeats calls that a signal interrupts, except an exchange. It caches nothing, never retries a failed sync, and
/// follows no symbolic link inside a given directory.
package struct PosixDisk: Disk {
  package init() {}

  package var isReal: Bool { true }
  package var syncsTogether: Bool { true }

  // MARK: Opening

  package func openDirectory(at path: FilePath) throws(SystemError) -> OwnedDescriptor {
    let number = try repeated("open", FileName(path)) {
      path.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }
    return OwnedDescriptor(number, of: self)
  }

  package func openDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    let number = try name.call("openat") { name in
      openat(directory.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    return OwnedDescriptor(number, of: self)
  }

  package func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    try openFile(name, in: directory, O_RDONLY)
  }

  package func openFileForWriting(_ name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError) -> OwnedDescriptor
  {
    try openFile(name, in: directory, O_RDWR)
  }

  private func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor, _ access: Int32)
    throws(SystemError) -> OwnedDescriptor
  {
    // An open of a device has effects, so this checks the kind first. O_NONBLOCK and the second check are against a
    // program that swaps the entry in between.
    let found = try status(of: name, in: directory)
    guard found.kind == .file else { throw SystemError("openat", name, code: .invalidArgument) }
    if let number = ProcessLocks.descriptor(of: found.identity, forWriting: access == O_RDWR) {
      return OwnedDescriptor(number, of: self)
    }
    let number = try name.call("openat") { name in
      openat(directory.number, name, access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
    let file = OwnedDescriptor(number, of: self)
    guard try status(of: file).kind == .file else {
      throw SystemError("openat", name, code: .invalidArgument)
    }
    return file
  }

  package func createFile(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError) -> OwnedDescriptor
  {
    let number = try name.call("openat") { name in
      openat(directory.number, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
    }
    return OwnedDescriptor(number, of: self)
  }

  package func close(_ number: Int32) {
    ProcessLocks.close(number)
  }

  // MARK: Looking

  package func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
    var status = clinux_status()
    try repeated("statx") { clinux_status(file.number, "", &status) }
    return FileStatus(status)
  }

  package func statusOfDirectory(at path: FilePath) throws(SystemError) -> FileStatus {
    var status = clinux_status()
    try repeated("statx", FileName(path)) { path.withPlatformString { clinux_status_at($0, &status) } }
    let found = FileStatus(status)
    guard found.kind == .directory else { throw SystemError("statx", FileName(path), code: .notDirectory) }
    return found
  }

  package func status(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> FileStatus
  {
    var status = clinux_status()
    // An empty name would mean the directory itself.
    guard !name.bytes.isEmpty else { throw SystemError("statx", name, code: .noSuchFileOrDirectory) }
    try name.call("statx") { clinux_status(directory.number, $0, &status) }
    return FileStatus(status)
  }

  package func room(of file: borrowing OwnedDescriptor) throws(SystemError) -> DiskRoom {
    var room = statvfs()
    try repeated("fstatvfs") { fstatvfs(file.number, &room) }
    // The superuser may use the reserved room.
    let isSuperuser = geteuid() == 0
    let blockSize = UInt64(max(room.f_frsize, 1))
    let blocks = UInt64(isSuperuser ? room.f_bfree : room.f_bavail)
    return DiskRoom(
      bytes: room.f_blocks == 0 ? nil : blocks * blockSize,
      files: room.f_files == 0 ? nil : UInt64(isSuperuser ? room.f_ffree : room.f_favail),
      blockSize: blockSize)
  }

  package func destination(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> [UInt8]
  {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try name.call("readlinkat") { name in
      readlinkat(directory.number, name, &buffer, buffer.count)
    }
    return buffer.prefix(count).map { UInt8(bitPattern: $0) }
  }

  // MARK: Bytes

  package func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    guard let offset = off_t(exactly: offset) else { throw SystemError("pread", code: .invalidArgument) }
    return try repeated("pread") { pread(file.number, buffer.baseAddress, buffer.count, offset) }
  }

  package func write(
    _ buffer: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    guard offset <= UInt64(off_t.max) - UInt64(buffer.count) else {
      throw SystemError("pwrite", code: .invalidArgument)
    }
    var done = 0
    while done < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
      let position = off_t(offset) + off_t(done)
      let count = try repeated("pwrite") { pwrite(file.number, rest.baseAddress, rest.count, position) }
      // Linux never returns 0 here; a file system that did would cause an endless loop.
      guard count > 0 else { throw SystemError("pwrite", code: .ioError) }
      done += count
    }
  }

  package func resize(_ file: borrowing OwnedDescriptor, to size: UInt64) throws(SystemError) {
    guard let size = off_t(exactly: size) else { throw SystemError("ftruncate", code: .invalidArgument) }
    try repeated("ftruncate") { ftruncate(file.number, size) }
  }

  package func clone(_ source: borrowing OwnedDescriptor, to destination: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try repeated("ioctl FICLONE") { clinux_clone(destination.number, source.number) }
  }

  // MARK: Names

  package func makeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError)
  {
    try name.call("mkdirat") { mkdirat(directory.number, $0, mode_t(mode)) }
  }

  package func makeSymbolicLink(
    to destination: [UInt8], named name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    guard !destination.contains(0) else { throw SystemError("symlinkat", name, code: .invalidArgument) }
    try name.call("symlinkat") { name in
      FileName(bytes: destination).withCString { symlinkat($0, directory.number, name) }
    }
  }

  package func link(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    try name.requireOneEntry("linkat")
    try newName.call("linkat") { newName in
      name.withCString { linkat(directory.number, $0, newDirectory.number, newName, 0) }
    }
  }

  package func rename(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor, _ rule: RenameRule
  ) throws(SystemError) {
    let flags: UInt32 =
      switch rule {
      case .replace: 0
      case .noReplace: UInt32(CLINUX_RENAME_NOREPLACE)
      case .exchange: UInt32(CLINUX_RENAME_EXCHANGE)
      }
    try name.requireOneEntry("renameat2")
    // A second exchange would undo the first; the caller checks an interrupted one.
    try newName.call("renameat2", repeats: rule != .exchange) { newName in
      name.withCString { clinux_rename(directory.number, $0, newDirectory.number, newName, flags) }
    }
  }

  package func removeFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) {
    try name.call("unlinkat") { unlinkat(directory.number, $0, 0) }
  }

  package func removeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
  {
    try name.call("unlinkat") { unlinkat(directory.number, $0, AT_REMOVEDIR) }
  }

  // MARK: Attributes

  package func setMode(_ mode: UInt16, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try repeated("fchmod") { fchmod(file.number, mode_t(mode)) }
  }

  package func setOwner(user: UInt32, group: UInt32, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try repeated("fchown") { fchown(file.number, user, group) }
  }

  package func setModified(_ time: FileTime, of file: borrowing OwnedDescriptor) throws(SystemError) {
    let times = try time.accessOmitted("futimens")
    try repeated("futimens") { futimens(file.number, times) }
  }

  package func setModified(_ time: FileTime, of name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    let times = try time.accessOmitted("utimensat")
    try name.call("utimensat") { utimensat(directory.number, $0, times, AT_SYMLINK_NOFOLLOW) }
  }

  // MARK: Syncing

  package func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try repeated("fsync") { fsync(file.number) }
  }

  package func synchronizeData(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try repeated("fdatasync") { fdatasync(file.number) }
  }

  package func startWriting(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    do {
      try repeated("sync_file_range") { clinux_start_writing(file.number) }
    } catch {
      switch error.code {
      // It is only a hint: without it, the sync does all of the work.
      case .noFunction, .invalidArgument, .illegalSeek, .notSupported: return
      default: throw error
      }
    }
  }
}

// MARK: - Calling C

/// Makes a call again until no signal interrupts it; -1 becomes the error in errno.
@discardableResult
func repeated<Number: SignedInteger>(
  _ call: String, _ name: @autoclosure () -> FileName? = nil, repeats: Bool = true, _ body: () -> Number
) throws(SystemError) -> Number {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = Errno(rawValue: errno)
    if code != .interrupted || !repeats { throw SystemError(call, name(), code: code) }
  }
}

extension FileName {
  /// Makes a call with this name.
  @discardableResult
  fileprivate func call<Number: SignedInteger>(
    _ call: String, repeats: Bool = true, _ body: (UnsafePointer<CChar>) -> Number
  ) throws(SystemError) -> Number {
    try requireOneEntry(call)
    return try repeated(call, self, repeats: repeats) { withCString(body) }
  }

  /// Refuses a name with which the call would reach another file. A slash or dots lead out of the directory, and a NUL
  /// cuts the name short. The system refuses all other unusable names itself.
  fileprivate func requireOneEntry(_ call: String) throws(SystemError) {
    switch problem {
    case .dots, .slash, .nul: throw SystemError(call, self, code: .invalidArgument)
    case .empty, .tooLong, nil: return
    }
  }

  fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: bytes.count + 1, alignment: 1) { copy in
      copy.copyBytes(from: bytes)
      copy[bytes.count] = 0
      return body(UnsafePointer(copy.bindMemory(to: CChar.self).baseAddress.unsafelyUnwrapped))
    }
  }
}

extension FileTime {
  fileprivate func accessOmitted(_ call: String) throws(SystemError) -> [timespec] {
    // Some greater numbers have a special meaning: the time of the call, or no time at all.
    guard nanoseconds < 1_000_000_000 else { throw SystemError(call, code: .invalidArgument) }
    return [
      timespec(tv_sec: 0, tv_nsec: Int(CLINUX_TIME_OMIT)),
      timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)),
    ]
  }
}

extension FileStatus {
  fileprivate init(_ status: clinux_status) {
    self.init(
      kind: FileKind(mode: status.mode), mode: UInt16(status.mode & 0o7777),
      identity: FileIdentity(
        device: status.device, inode: status.inode, size: status.size,
        modified: FileTime(seconds: status.modified_seconds, nanoseconds: status.modified_nanoseconds),
        changed: FileTime(seconds: status.changed_seconds, nanoseconds: status.changed_nanoseconds)),
      links: status.links, user: status.user, group: status.group,
      born: status.has_born == 0
        ? nil : FileTime(seconds: status.born_seconds, nanoseconds: status.born_nanoseconds))
    mount = status.has_mount == 0 ? nil : status.mount
    isImmutable = status.is_immutable != 0
  }
}

extension FileKind {
  fileprivate init(mode: UInt32) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .fifo
      case S_IFSOCK: .socket
      default: .device
      }
  }
}
