import Synchronization
package import SystemPackage

/// An operation of a disk, in the words of `Disk`.
package enum DiskOperation: Int, CaseIterable, Sendable {
  case openDirectory, openFile, openFileForWriting, createFile
  case status, room, list, destination, extendedAttributes
  case read, write, resize, clone
  case makeDirectory, makeSymbolicLink, link, rename, exchange, removeFile, removeDirectory
  case setMode, setOwner, setModified, setExtendedAttribute
  case synchronize, synchronizeData, startWriting
  case lock, lockByte

  /// Whether the operation may change the disk.
  package var changes: Bool {
    switch self {
    case .openDirectory, .openFile, .openFileForWriting: false
    case .status, .room, .list, .destination, .extendedAttributes, .read: false
    case .startWriting, .lock, .lockByte: false
    default: true
    }
  }
}

/// A disk that counts its operations and lets another disk carry them out.
///
/// Noise cannot affect tests of these counts; they are also the figures of a `SaveReport`.
package struct CountingDisk: Disk {
  /// One operation, before the disk carries it out.
  package struct Event: Sendable {
    package var operation: DiskOperation
    /// The entry of the operation, nil if it concerns an open descriptor.
    package var name: FileName?
    /// The rule of a rename.
    package var rule: RenameRule?
    /// The number of operations before this one.
    package var number: Int
  }

  package struct Counts: Sendable, Equatable {
    private var operations = [Int](repeating: 0, count: DiskOperation.allCases.count)
    package fileprivate(set) var bytesRead: UInt64 = 0
    package fileprivate(set) var bytesWritten: UInt64 = 0

    package subscript(_ operation: DiskOperation) -> Int { operations[operation.rawValue] }
    package var total: Int { operations.reduce(0, +) }
    /// The number of operations that could have changed the disk.
    package var changes: Int {
      DiskOperation.allCases.reduce(0) { $0 + ($1.changes ? self[$1] : 0) }
    }

    /// The number of syncs.
    package var synchronizations: Int { self[.synchronize] + self[.synchronizeData] }

    fileprivate mutating func add(_ operation: DiskOperation) { operations[operation.rawValue] += 1 }
  }

  private final class Counter: Sendable {
    let counts = Mutex(Counts())
  }

  private let base: any Disk
  private let counter = Counter()
  private let before: (@Sendable (Event) throws(SystemError) -> Void)?

  /// - Parameter before: receives each operation. If it throws, the operation fails with that error and does not run.
  package init(_ base: any Disk, before: (@Sendable (Event) throws(SystemError) -> Void)? = nil) {
    (self.base, self.before) = (base, before)
  }

  package var syncsTogether: Bool { before == nil && base.syncsTogether }

  package var counts: Counts { counter.counts.withLock { $0 } }

  private func count(
    _ operation: DiskOperation, _ name: @autoclosure () -> FileName? = nil, _ rule: RenameRule? = nil
  ) throws(SystemError) {
    guard let before else { return counter.counts.withLock { $0.add(operation) } }
    let number = counter.counts.withLock { counts in
      counts.add(operation)
      return counts.total - 1
    }
    try before(Event(operation: operation, name: name(), rule: rule, number: number))
  }

  // MARK: Opening

  package func openDirectory(at path: FilePath) throws(SystemError) -> OwnedDescriptor {
    try count(.openDirectory, FileName(path))
    return try base.openDirectory(at: path)
  }

  package func openDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    try count(.openDirectory, name)
    return try base.openDirectory(name, in: directory)
  }

  package func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    try count(.openFile, name)
    return try base.openFile(name, in: directory)
  }

  package func openFileForWriting(_ name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError) -> OwnedDescriptor
  {
    try count(.openFileForWriting, name)
    return try base.openFileForWriting(name, in: directory)
  }

  package func createFile(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError) -> OwnedDescriptor
  {
    try count(.createFile, name)
    return try base.createFile(name, in: directory, mode: mode)
  }

  package func close(_ number: Int32) {
    base.close(number)
  }

  // MARK: Looking

  package func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
    try count(.status)
    return try base.status(of: file)
  }

  package func statusOfDirectory(at path: FilePath) throws(SystemError) -> FileStatus {
    try count(.status, FileName(path))
    return try base.statusOfDirectory(at: path)
  }

  package func status(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> FileStatus
  {
    try count(.status, name)
    return try base.status(of: name, in: directory)
  }

  // The session keeps these two results, so that no save repeats them.

  package func limitsNames(in directory: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    try base.limitsNames(in: directory)
  }

  package func checkWritable(_ name: String, in directory: borrowing OwnedDescriptor) throws(SystemError) {
    try base.checkWritable(name, in: directory)
  }

  package func room(of file: borrowing OwnedDescriptor) throws(SystemError) -> DiskRoom {
    try count(.room)
    return try base.room(of: file)
  }

  package func list(_ directory: borrowing OwnedDescriptor) throws(SystemError) -> DirectoryListing {
    try count(.list)
    return try base.list(directory)
  }

  package func destination(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> [UInt8]
  {
    try count(.destination, name)
    return try base.destination(of: name, in: directory)
  }

  package func extendedAttributes(of file: borrowing OwnedDescriptor) throws(SystemError) -> [String: [UInt8]]
  {
    try count(.extendedAttributes)
    return try base.extendedAttributes(of: file)
  }

  // MARK: Bytes

  package func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    try count(.read)
    let read = try base.read(file, at: offset, into: buffer)
    counter.counts.withLock { $0.bytesRead += UInt64(read) }
    return read
  }

  package func write(
    _ buffer: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    try count(.write)
    try base.write(buffer, to: file, at: offset)
    counter.counts.withLock { $0.bytesWritten += UInt64(buffer.count) }
  }

  package func resize(_ file: borrowing OwnedDescriptor, to size: UInt64) throws(SystemError) {
    try count(.resize)
    try base.resize(file, to: size)
  }

  package func clone(_ source: borrowing OwnedDescriptor, to destination: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try count(.clone)
    try base.clone(source, to: destination)
  }

  // MARK: Names

  package func makeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError)
  {
    try count(.makeDirectory, name)
    try base.makeDirectory(name, in: directory, mode: mode)
  }

  package func makeSymbolicLink(
    to destination: [UInt8], named name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    try count(.makeSymbolicLink, name)
    try base.makeSymbolicLink(to: destination, named: name, in: directory)
  }

  package func link(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    try count(.link, newName)
    try base.link(name, in: directory, to: newName, in: newDirectory)
  }

  package func rename(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor, _ rule: RenameRule
  ) throws(SystemError) {
    try count(rule == .exchange ? .exchange : .rename, newName, rule)
    try base.rename(name, in: directory, to: newName, in: newDirectory, rule)
  }

  package func removeFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.removeFile, name)
    try base.removeFile(name, in: directory)
  }

  package func removeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
  {
    try count(.removeDirectory, name)
    try base.removeDirectory(name, in: directory)
  }

  // MARK: Attributes

  package func setMode(_ mode: UInt16, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.setMode)
    try base.setMode(mode, of: file)
  }

  package func setOwner(user: UInt32, group: UInt32, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.setOwner)
    try base.setOwner(user: user, group: group, of: file)
  }

  package func setModified(_ time: FileTime, of file: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.setModified)
    try base.setModified(time, of: file)
  }

  package func setModified(_ time: FileTime, of name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try count(.setModified, name)
    try base.setModified(time, of: name, in: directory)
  }

  package func setExtendedAttribute(_ name: String, _ value: [UInt8], of file: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    try count(.setExtendedAttribute)
    try base.setExtendedAttribute(name, value, of: file)
  }

  // MARK: Syncing

  package func synchronize(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.synchronize)
    try base.synchronize(file)
  }

  package func synchronizeData(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.synchronizeData)
    try base.synchronizeData(file)
  }

  package func startWriting(_ file: borrowing OwnedDescriptor) throws(SystemError) {
    try count(.startWriting)
    try base.startWriting(file)
  }

  // MARK: Locks

  package func lock(_ directory: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError) -> Bool {
    try count(.lock)
    return try base.lock(directory, mode)
  }

  package func lock(byte: UInt64, of file: borrowing OwnedDescriptor, _ mode: LockMode) throws(SystemError)
    -> Bool
  {
    try count(.lockByte)
    return try base.lock(byte: byte, of: file, mode)
  }
}
