package import DurableIO
import Glibc
package import SystemPackage

/// The time that a disk takes for a sync.
package enum Flushing: Sendable, Equatable {
  /// The disk's own time.
  case asItIs
  /// A longer time by this much, as on disks without a power-safe cache.
  case slower(by: Duration)
  /// No sync at all, so that a benchmark measures everything else.
  case leftOut
}

/// A disk whose syncs take longer, or do nothing.
///
/// Another disk does everything else. Callers on several threads wait at the same time, as if one flush of the
/// device's cache served all of them.
package struct FlushingDisk: Disk {
  private let base: any Disk
  private let flushing: Flushing

  package init(_ base: any Disk, _ flushing: Flushing) {
    self.base = base
    self.flushing = flushing
  }

  /// Sleeps for most of the time, and spins for the rest, because a sleep alone ends some 60 µs late.
  private func wait() {
    guard case .slower(let delay) = flushing else { return }
    let end = ContinuousClock.now + delay
    let rest = Int((delay - .microseconds(200)) / .nanoseconds(1))
    if rest > 0 {
      var time = timespec(tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000)
      nanosleep(&time, nil)
    }
    while ContinuousClock.now < end {}
  }

  // MARK: Syncing

  package func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    if flushing == .leftOut { return }
    try base.synchronize(file)
    wait()
  }

  package func synchronizeData(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    if flushing == .leftOut { return }
    try base.synchronizeData(file)
    wait()
  }

  package func startWriting(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    if flushing == .leftOut { return }
    try base.startWriting(file)
  }

  // MARK: Opening

  package func openDirectory(at path: FilePath) throws(SystemError) -> OwnedDescriptor {
    try base.openDirectory(at: path)
  }

  package func openDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    try base.openDirectory(name, in: directory)
  }

  package func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    try base.openFile(name, in: directory)
  }

  package func openFileForWriting(_ name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError) -> OwnedDescriptor
  {
    try base.openFileForWriting(name, in: directory)
  }

  package func createFile(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError) -> OwnedDescriptor
  {
    try base.createFile(name, in: directory, mode: mode)
  }

  package func close(_ number: Int32) {
    base.close(number)
  }

  // MARK: Looking

  package func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
    try base.status(of: file)
  }

  package func status(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> FileStatus
  {
    try base.status(of: name, in: directory)
  }

  package func room(of file: borrowing OwnedDescriptor) throws(SystemError) -> DiskRoom {
    try base.room(of: file)
  }

  package func list(_ directory: borrowing OwnedDescriptor) throws(SystemError) -> DirectoryListing {
    try base.list(directory)
  }

  package func destination(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> [UInt8]
  {
    try base.destination(of: name, in: directory)
  }

  package func extendedAttributes(of file: borrowing OwnedDescriptor) throws(SystemError) -> [String: [UInt8]]
  {
    try base.extendedAttributes(of: file)
  }

  // MARK: Bytes

  package func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    try base.read(file, at: offset, into: buffer)
  }

  package func nextData(
    in file: borrowing OwnedDescriptor, from offset: UInt64
  ) throws(SystemError) -> Range<UInt64>? {
    try base.nextData(in: file, from: offset)
  }

  package func write(
    _ buffer: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    try base.write(buffer, to: file, at: offset)
  }

  package func resize(_ file: borrowing OwnedDescriptor, to size: UInt64) throws(SystemError) {
    try base.resize(file, to: size)
  }

  package func clone(_ source: borrowing OwnedDescriptor, to destination: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try base.clone(source, to: destination)
  }

  // MARK: Names

  package func makeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError)
  {
    try base.makeDirectory(name, in: directory, mode: mode)
  }

  package func makeSymbolicLink(
    to destination: [UInt8], named name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    try base.makeSymbolicLink(to: destination, named: name, in: directory)
  }

  package func link(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    try base.link(name, in: directory, to: newName, in: newDirectory)
  }

  package func rename(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor, _ rule: RenameRule
  ) throws(SystemError) {
    try base.rename(name, in: directory, to: newName, in: newDirectory, rule)
  }

  package func removeFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) {
    try base.removeFile(name, in: directory)
  }

  package func removeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
  {
    try base.removeDirectory(name, in: directory)
  }

  // MARK: Attributes

  package func setMode(_ mode: UInt16, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try base.setMode(mode, of: file)
  }

  package func setOwner(user: UInt32, group: UInt32, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try base.setOwner(user: user, group: group, of: file)
  }

  package func setModified(_ time: FileTime, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try base.setModified(time, of: file)
  }

  package func setModified(_ time: FileTime, of name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try base.setModified(time, of: name, in: directory)
  }

  package func setExtendedAttribute(_ name: String, _ value: [UInt8], of file: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try base.setExtendedAttribute(name, value, of: file)
  }

  // MARK: Locks

  package func lock(_ directory: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool {
    try base.lock(directory, mode)
  }

  package func lock(byte: UInt64, of file: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError)
    -> Bool
  {
    try base.lock(byte: byte, of: file, mode)
  }
}
