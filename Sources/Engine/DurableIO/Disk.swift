package import SystemPackage

/// The only way in which this package reads and changes a disk.
///
/// Every operation names one entry of one open directory, never a path, and never follows a symbolic link. No content
/// of a package gives access to anything outside it. A name with a slash or a NUL, `.` and `..` are refused with
/// EINVAL. The only paths are those of a caller's first directories.
///
/// Only synced data survives a power cut. `synchronize(_:)` of a file makes its bytes and attributes durable, of a
/// directory its entries. The entry of a new file belongs to its directory. `synchronizeData(_:)` of a file makes only
/// its bytes durable.
package protocol Disk: Sendable {
  /// Whether this is the machine's own file system, where other programs find each file by its path.
  ///
  /// False for a disk that passes its requests on to the real one, so that they are counted or fail in a test.
  var isReal: Bool { get }

  /// Whether several syncs at once end sooner than one after the other.
  ///
  /// False for a disk of a test, which wants its requests in the same order each time.
  var syncsTogether: Bool { get }

  // Opening.

  /// Opens a directory by path; follows symbolic links: open(2).
  func openDirectory(at path: FilePath) throws(SystemError) -> OwnedDescriptor
  /// Opens a directory within a directory: openat(2), O_NOFOLLOW.
  func openDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  /// Opens a regular file to read it: openat(2), O_NOFOLLOW. It refuses anything else with EINVAL, and never waits for
  /// a FIFO.
  func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  /// Opens an existing regular file to read and write it: openat(2), O_RDWR and O_NOFOLLOW. It neither makes nor
  /// truncates the file, and refuses anything else as `openFile` does.
  func openFileForWriting(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  /// Makes a new file to read and write it: openat(2), O_RDWR, O_CREAT and O_EXCL. The process's umask applies to
  /// `mode`.
  func createFile(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16) throws(SystemError)
    -> OwnedDescriptor
  /// Closes a descriptor that this disk opened: close(2). Only `OwnedDescriptor` calls it.
  func close(_ number: Int32)

  // Looking.

  /// Returns the status of an open file or directory: statx(2).
  func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus
  /// Returns the status of the directory at a path; follows symbolic links: statx(2). ENOTDIR if it is anything else.
  func statusOfDirectory(at path: FilePath) throws(SystemError) -> FileStatus
  /// Returns the status of an entry, of a symbolic link its own: statx(2).
  func status(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus
  /// Returns the free room of a file system, by an open file or directory: fstatvfs(3). A quota may leave less.
  func room(of file: borrowing OwnedDescriptor) throws(SystemError) -> DiskRoom
  /// Returns whether the file system of an open directory may refuse a name, write it in another way, or take two names
  /// for one: fstatfs(2).
  func limitsNames(in directory: borrowing OwnedDescriptor) throws(SystemError) -> Bool
  /// Checks whether this process may write to an entry of a directory, `.` for the directory itself: faccessat(2) with
  /// AT_EACCESS. EROFS on a read-only file system; EACCES if the permissions forbid it.
  func checkWritable(_ name: String, in directory: borrowing OwnedDescriptor) throws(SystemError)
  /// Returns all entries except `.` and `..`, in the file system's order: getdents64(2).
  func list(_ directory: borrowing OwnedDescriptor) throws(SystemError) -> DirectoryListing
  /// Returns the destination of a symbolic link: readlinkat(2).
  func destination(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) -> [UInt8]
  /// Returns the extended attributes that a copy of the file must carry: flistxattr(2), fgetxattr(2). These are `user.*`
  /// and access control lists; none if the file system has none. A name is spelled as `FileName.string`.
  func extendedAttributes(of file: borrowing OwnedDescriptor) throws(SystemError) -> [String: [UInt8]]

  // Bytes.

  /// Reads at most as many bytes as `buffer` holds: pread(2). Returns their number; 0 at the end.
  func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int
  /// Writes all bytes of `buffer`: pwrite(2), repeated after a short write.
  func write(
    _ buffer: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError)
  /// Shortens a file, or extends it with zeros: ftruncate(2). EINVAL if it is not open for writing. A power cut before
  /// the next sync may undo the change and spare later writes.
  func resize(_ file: borrowing OwnedDescriptor, to size: UInt64) throws(SystemError)
  /// Makes `destination` share the blocks of `source`: ioctl FICLONE. EOPNOTSUPP, EINVAL or EXDEV if the file system
  /// cannot.
  func clone(_ source: borrowing OwnedDescriptor, to destination: borrowing OwnedDescriptor)
    throws(SystemError)

  // Names.

  /// Makes a directory: mkdirat(2). The process's umask applies to `mode`.
  func makeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError)
  /// Makes a symbolic link: symlinkat(2).
  func makeSymbolicLink(
    to destination: [UInt8], named name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError)
  /// Gives a file a second name: linkat(2). EPERM, EMLINK, EXDEV or EOPNOTSUPP if the file system cannot.
  func link(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor
  ) throws(SystemError)
  /// Renames an entry in one atomic step, with any rule: renameat2(2).
  func rename(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor, _ rule: RenameRule
  ) throws(SystemError)
  /// Removes an entry that is not a directory: unlinkat(2).
  func removeFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
  /// Removes an empty directory: unlinkat(2).
  func removeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)

  // Attributes.

  /// Sets the permission bits: fchmod(2).
  func setMode(_ mode: UInt16, of file: borrowing OwnedDescriptor) throws(SystemError)
  /// Sets the owner and the group: fchown(2).
  func setOwner(user: UInt32, group: UInt32, of file: borrowing OwnedDescriptor) throws(SystemError)
  /// Sets the modification time: futimens(2).
  func setModified(_ time: FileTime, of file: borrowing OwnedDescriptor) throws(SystemError)
  /// Sets the modification time of an entry, of a symbolic link its own: utimensat(2).
  func setModified(_ time: FileTime, of name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError)
  /// Sets an extended attribute: fsetxattr(2).
  func setExtendedAttribute(_ name: String, _ value: [UInt8], of file: borrowing OwnedDescriptor)
    throws(SystemError)

  // Syncing.

  /// Makes a file's bytes and attributes, or a directory's entries, durable: fsync(2). After a failure the caller must
  /// give up the file: the kernel marks its pages clean although they never reached the device.
  func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError)
  /// Makes a file's bytes and its size durable, and the metadata that leads to them: fdatasync(2). A power cut may lose
  /// its mode, owner, times and extended attributes. After a failure the caller must give up the file, as with
  /// `synchronize`. For a directory it is the same as `synchronize`.
  func synchronizeData(_ file: borrowing OwnedDescriptor) throws(SystemError)
  /// Begins to write a file's bytes to the device, without a wait: sync_file_range(2), SYNC_FILE_RANGE_WRITE. It makes
  /// nothing durable, but the next sync waits less. It is only a hint, so ENOSYS, EINVAL, ESPIPE and EOPNOTSUPP are not
  /// failures.
  func startWriting(_ file: borrowing OwnedDescriptor) throws(SystemError)

  // Locks. No lock survives a power cut.

  /// Takes or releases the lock of an open directory or file, without a wait: flock(2), LOCK_NB. False if another lock
  /// is in the way; the descriptor then loses a lock of another mode that it held. The lock belongs to the descriptor
  /// and ends with it, or with the process.
  func lock(_ directory: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool
  /// Takes or releases the lock of one byte of a file, without a wait: fcntl(2), F_OFD_SETLK. The byte need not exist.
  /// False if another lock is in the way; the descriptor then still holds the locks that it held. The lock belongs to
  /// the descriptor and ends with it, or with the process. It also excludes other descriptors of the process. EBADF for
  /// an exclusive lock if the file is not open for writing.
  func lock(byte: UInt64, of file: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool
}

extension Disk {
  package var isReal: Bool { false }
  package var syncsTogether: Bool { false }
  package func limitsNames(in directory: borrowing OwnedDescriptor) throws(SystemError) -> Bool { false }
  package func checkWritable(
    _ name: String, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {}
}

/// The free room of a file system, for this process.
package struct DiskRoom: Sendable, Hashable {
  /// The free bytes; nil if the file system does not tell.
  package var bytes: UInt64?
  /// The number of further files and directories; nil if it has no limit or the file system does not tell.
  package var files: UInt64?
  /// The unit of allocation in bytes.
  package var blockSize: UInt64

  package init(bytes: UInt64? = nil, files: UInt64? = nil, blockSize: UInt64 = 4096) {
    (self.bytes, self.files, self.blockSize) = (bytes, files, blockSize)
  }

  /// Returns the room that a file of `size` bytes takes.
  package func allocation(_ size: UInt64) -> UInt64 {
    (size + blockSize - 1) / blockSize * blockSize
  }
}

/// The mode of a lock.
package enum LockMode: Sendable, Hashable, CaseIterable {
  /// No lock: other descriptors may take any. A request for it always succeeds.
  case none
  /// Other descriptors may also hold a shared lock.
  case shared
  /// No other descriptor may hold a lock.
  case exclusive
}

/// The effect of a rename to a name that is taken.
package enum RenameRule: Sendable, Hashable {
  /// The rename removes the old node of the name.
  case replace
  /// The rename fails with EEXIST: RENAME_NOREPLACE.
  case noReplace
  /// The two nodes change places: RENAME_EXCHANGE. EINVAL if the file system cannot.
  case exchange
}

extension Disk {
  /// Writes all of `bytes`.
  package func write(
    _ bytes: [UInt8], to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    let span = bytes.span.bytes
    try span.withUnsafeBytes { (buffer) throws(SystemError) in try write(buffer, to: file, at: offset) }
  }
}
