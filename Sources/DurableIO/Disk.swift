package import SystemPackage

/// The one way in which this package reads and changes a disk.
///
/// Every operation names one entry of one open directory, never a path, and never follows a symbolic link:
/// whatever an attacker puts into a package, nothing outside it can be reached. A name with a slash or a NUL,
/// `.` and `..` are refused with EINVAL. The only paths are those of the directories a caller starts from.
///
/// What survives a power cut: nothing that was not synchronised. `synchronize(_:)` of a file keeps its bytes
/// and attributes, of a directory its entries; the entry of a new file is the business of its directory.
/// `synchronizeData(_:)` of a file keeps its bytes alone.
package protocol Disk: Sendable {
  // Opening.

  /// Opens a directory by path, following symbolic links: open(2).
  func openDirectory(at path: FilePath) throws(SystemError) -> OwnedDescriptor
  /// Opens a directory within a directory: openat(2), O_NOFOLLOW.
  func openDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  /// Opens a regular file for reading: openat(2), O_NOFOLLOW. Anything else is refused with EINVAL, and a
  /// FIFO is never waited for.
  func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  /// Opens a regular file that is there for reading and writing: openat(2), O_RDWR and O_NOFOLLOW. It is
  /// neither made nor cut. Anything else is refused as by `openFile`.
  func openFileForWriting(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  /// Makes a new file for reading and writing: openat(2), O_RDWR, O_CREAT and O_EXCL. The process's umask
  /// applies to `mode`.
  func createFile(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16) throws(SystemError)
    -> OwnedDescriptor
  /// Closes a descriptor that this disk opened: close(2). Only `OwnedDescriptor` calls it.
  func close(_ number: Int32)

  // Looking.

  /// statx(2) of an open file or directory.
  func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus
  /// Where an open node is by now, wherever it was opened: readlink(2) of `/proc/self/fd`. Nil where the disk cannot
  /// tell. Of a node that was removed it is a path that leads nowhere, or to something else.
  func place(of node: borrowing OwnedDescriptor) throws(SystemError) -> FilePath?
  /// statx(2) of an entry; of a symbolic link, the link's own.
  func status(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus
  /// How much more the file system of an open file or directory can hold: fstatvfs(3). A quota may leave less.
  func room(of file: borrowing OwnedDescriptor) throws(SystemError) -> DiskRoom
  /// All entries but `.` and `..`, in the file system's order: getdents64(2).
  func list(_ directory: borrowing OwnedDescriptor) throws(SystemError) -> DirectoryListing
  /// The destination of a symbolic link: readlinkat(2).
  func destination(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) -> [UInt8]
  /// The extended attributes that a copy of the file has to carry, by name: flistxattr(2), fgetxattr(2). Only
  /// `user.*` and access control lists; empty where the file system has none.
  func extendedAttributes(of file: borrowing OwnedDescriptor) throws(SystemError) -> [String: [UInt8]]

  // Bytes.

  /// Reads at most as many bytes as `buffer` holds: pread(2). Returns how many; 0 at the end.
  func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int
  /// The next bytes from `offset` on that are not a hole, up to the next hole or the end: lseek(2), SEEK_DATA and
  /// SEEK_HOLE. Nil where nothing but a hole follows. A file system that knows of no holes says that all is data.
  func nextData(in file: borrowing OwnedDescriptor, from offset: UInt64) throws(SystemError) -> Range<UInt64>?
  /// Writes all bytes of `buffer`: pwrite(2), repeated while it writes less.
  func write(
    _ buffer: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError)
  /// Makes a file shorter, or longer with zeros: ftruncate(2). EINVAL where it was not opened for writing. A
  /// power cut before the next synchronisation may undo it and keep what was written afterwards.
  func resize(_ file: borrowing OwnedDescriptor, to size: UInt64) throws(SystemError)
  /// Makes `destination` share the blocks of `source`: ioctl FICLONE. EOPNOTSUPP, EINVAL or EXDEV where the
  /// file system cannot.
  func clone(_ source: borrowing OwnedDescriptor, to destination: borrowing OwnedDescriptor)
    throws(SystemError)

  // Names.

  /// mkdirat(2). The process's umask applies to `mode`.
  func makeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError)
  /// symlinkat(2).
  func makeSymbolicLink(
    to destination: [UInt8], named name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError)
  /// Gives a file a second name: linkat(2). EPERM, EMLINK, EXDEV or EOPNOTSUPP where that cannot be.
  func link(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor
  ) throws(SystemError)
  /// renameat2(2): one atomic step, whatever the rule.
  func rename(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor, _ rule: RenameRule
  ) throws(SystemError)
  /// unlinkat(2) of anything but a directory.
  func removeFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
  /// unlinkat(2) of an empty directory.
  func removeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)

  // Attributes.

  /// fchmod(2).
  func setMode(_ mode: UInt16, of file: borrowing OwnedDescriptor) throws(SystemError)
  /// fchown(2).
  func setOwner(user: UInt32, group: UInt32, of file: borrowing OwnedDescriptor) throws(SystemError)
  /// Sets the modification time: futimens(2).
  func setModified(_ time: FileTime, of file: borrowing OwnedDescriptor) throws(SystemError)
  /// Sets the modification time of an entry, of a symbolic link its own: utimensat(2).
  func setModified(_ time: FileTime, of name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError)
  /// fsetxattr(2).
  func setExtendedAttribute(_ name: String, _ value: [UInt8], of file: borrowing OwnedDescriptor)
    throws(SystemError)

  // Keeping.

  /// Keeps a file's bytes and attributes, or a directory's entries, through a power cut: fsync(2). After a
  /// failure the file must be given up: its pages are marked clean although they never reached the disk.
  func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError)
  /// Keeps a file's bytes and its size through a power cut, and what leads to them: fdatasync(2). Its mode,
  /// owner, times and extended attributes may be lost. After a failure the file must be given up, as after
  /// that of `synchronize`. Of a directory, the same as `synchronize`.
  func synchronizeData(_ file: borrowing OwnedDescriptor) throws(SystemError)
  /// Begins to write a file's bytes to the medium and does not wait: sync_file_range(2),
  /// SYNC_FILE_RANGE_WRITE. It keeps nothing; the synchronisation that follows has less to wait for. It is
  /// only a hint, so that ENOSYS, EINVAL, ESPIPE and EOPNOTSUPP are no failures.
  func startWriting(_ file: borrowing OwnedDescriptor) throws(SystemError)

  // Locks. None survives a power cut.

  /// Takes or gives up the lock of an open directory or file, and does not wait: flock(2), LOCK_NB. False
  /// when somebody else's lock is in the way; a lock of another mode that this descriptor held is lost then.
  /// It belongs to the descriptor and ends with it, or with the process.
  func lock(_ directory: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool
  /// Takes or gives up the lock of one byte of a file, which need not exist, and does not wait: fcntl(2),
  /// F_OFD_SETLK. False when somebody else's lock is in the way; what this descriptor held, it holds still.
  /// It belongs to the descriptor, excludes the others of the same process, too, and ends with it, or with
  /// the process. EBADF for an exclusive lock of what was not opened for writing.
  func lock(byte: UInt64, of file: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool
}

/// How much more a file system can hold for this process.
package struct DiskRoom: Sendable, Hashable {
  /// Nil where the file system does not say.
  package var bytes: UInt64?
  /// How many more files and directories; nil where that is not limited, or not said.
  package var files: UInt64?
  /// What it allocates at a time, in bytes.
  package var blockSize: UInt64

  package init(bytes: UInt64? = nil, files: UInt64? = nil, blockSize: UInt64 = 4096) {
    (self.bytes, self.files, self.blockSize) = (bytes, files, blockSize)
  }

  /// What a file of so many bytes takes.
  package func allocation(_ size: UInt64) -> UInt64 {
    (size + blockSize - 1) / blockSize * blockSize
  }
}

/// What a lock lets others do.
package enum LockMode: Sendable, Hashable, CaseIterable {
  /// No lock: others may take any. Asking for it always succeeds.
  case none
  /// Others may hold a shared lock, too.
  case shared
  /// Nobody else may hold one.
  case exclusive
}

/// What a rename does when the new name is taken.
package enum RenameRule: Sendable, Hashable {
  /// The old holder of the name goes.
  case replace
  /// The rename fails with EEXIST: RENAME_NOREPLACE.
  case keep
  /// The two nodes change places: RENAME_EXCHANGE. EINVAL where the file system cannot.
  case exchange
}

extension Disk {
  package func place(of node: borrowing OwnedDescriptor) throws(SystemError) -> FilePath? { nil }

  /// Writes all of `bytes`.
  package func write(
    _ bytes: [UInt8], to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    let span = bytes.span.bytes
    try span.withUnsafeBytes { (buffer) throws(SystemError) in try write(buffer, to: file, at: offset) }
  }
}
