import DurableIO
import Glibc
import SystemPackage

/// An archive to read: a file at any offset, or a stream once from its beginning.
final class ArchiveInput: LibarchiveInput {
  /// The bytes of one read.
  static let chunkSize = 1 << 18

  private let file: OwnedDescriptor?
  private let number: Int32
  private let cancellation: Cancellation
  /// Bytes that `peek` has read and `read` has not yet returned.
  private var beginning: [UInt8] = []
  private var position: UInt64 = 0
  /// The file's size in bytes; nil for a stream.
  let size: UInt64?
  /// The file's time of birth if the file system has one; otherwise its modification date.
  let made: FileTime

  private var bytesRead: UInt64 = 0
  /// The number of bytes that a stream may have, so that reading an endless stream ends.
  var limit = UInt64.max

  /// The bytes of the archive; for a stream, the bytes that have come so far.
  var archiveBytes: UInt64 { size ?? bytesRead }

  /// Opens a file, a FIFO or anything else that can be read.
  convenience init(at path: FilePath, _ cancellation: Cancellation) throws {
    let descriptor: FileDescriptor
    do {
      // A FIFO without a writer opens at once, so that a cancellation ends the wait for its bytes.
      descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch let error as Errno {
      throw ArchiveError.Finding(SystemError("open", code: error), "opening it")
    }
    let disk = PosixDisk()
    try self.init(owning: OwnedDescriptor(descriptor.rawValue, of: disk), cancellation)
  }

  /// Reads from a descriptor, such as standard input, that stays its owner's.
  convenience init(_ descriptor: FileDescriptor, _ cancellation: Cancellation) throws {
    try self.init(nil, number: descriptor.rawValue, born: nil, cancellation)
  }

  private convenience init(owning file: consuming OwnedDescriptor, _ cancellation: Cancellation) throws {
    let number = file.number
    let born: FileTime?
    do {
      born = try PosixDisk().status(of: file).born
    } catch {
      throw ArchiveError.Finding(error, "opening it")
    }
    try self.init(consume file, number: number, born: born, cancellation)
  }

  private init(
    _ file: consuming OwnedDescriptor?, number: Int32, born: FileTime?, _ cancellation: Cancellation
  ) throws {
    var status = stat()
    let result = fstat(number, &status)
    self.number = number
    self.cancellation = cancellation
    // A descriptor whose offset is not 0 counts as a stream of the remaining bytes.
    let isFile = status.st_mode & S_IFMT == S_IFREG && (file != nil || lseek(number, 0, SEEK_CUR) == 0)
    size = isFile ? UInt64(status.st_size) : nil
    let modified = FileTime(
      seconds: Int64(status.st_mtim.tv_sec), nanoseconds: UInt32(status.st_mtim.tv_nsec))
    made = min(born ?? modified, modified)
    self.file = consume file
    guard result == 0 else {
      throw ArchiveError.Finding(SystemError("fstat", code: Errno(rawValue: errno)), "opening it")
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      throw ArchiveError.Finding(.notAnArchive, "it is a directory")
    }
  }

  /// Returns the first bytes without consuming them; fewer if there are no more.
  func peek(_ count: Int) throws -> [UInt8] {
    while beginning.count < count {
      var more = [UInt8](repeating: 0, count: count - beginning.count)
      let got = try more.withUnsafeMutableBytes { try readOn($0) }
      if got == 0 { break }
      beginning += more.prefix(got)
    }
    return Array(beginning.prefix(count))
  }

  /// Reads the next bytes; returns 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try cancellation.check()
    let count: Int
    if beginning.isEmpty {
      count = try readOn(buffer)
    } else {
      count = min(beginning.count, buffer.count)
      buffer.copyBytes(from: beginning[..<count])
      beginning.removeFirst(count)
    }
    bytesRead += UInt64(count)
    guard size != nil || bytesRead <= limit else {
      throw ArchiveError.Finding(.limitExceeded, "it is longer than \(limit) bytes", unless: .bytes)
    }
    return count
  }

  private func readOn(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      if size == nil { try waitForBytes() }
      let count =
        size == nil
        ? Glibc.read(number, buffer.baseAddress, buffer.count)
        : pread(number, buffer.baseAddress, buffer.count, off_t(position))
      if count >= 0 {
        position += UInt64(count)
        return count
      }
      if errno != EINTR && errno != EAGAIN { throw failure("read") }
    }
  }

  /// Waits for a stream without a time limit, and checks for cancellation every 100 ms.
  private func waitForBytes() throws {
    var request = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    repeat { try cancellation.check() } while poll(&request, 1, 100) == 0
  }

  private func failure(_ call: String) -> ArchiveError.Finding {
    ArchiveError.Finding(SystemError(call, code: Errno(rawValue: errno)), "reading it")
  }

  // MARK: Anywhere

  /// Reads from a file until the buffer is full or the file ends.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try cancellation.check()
    guard let offset = off_t(exactly: offset) else { return 0 }
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = pread(number, rest.baseAddress, rest.count, offset + off_t(done))
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw failure("pread")
      }
    }
    return done
  }

  /// Returns `count` bytes of a file from `offset` on; fewer if the file ends before.
  func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
    guard count > 0 else { return [] }
    return try Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Calls `body` with a part of a file, piece by piece.
  ///
  /// - Throws: a finding if the file ends before; the errors of `body`.
  func forEachChunk(at offset: UInt64, count: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Void) throws
  {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var done: UInt64 = 0
    while done < count {
      let wanted = Int(min(UInt64(buffer.count), count - done))
      let got = try read(at: offset + done, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
      guard got == wanted else { throw ArchiveError.Finding(.damaged, "it is cut short") }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
      done += UInt64(got)
    }
  }

  // MARK: Spooling

  /// Returns the same archive as a file: itself, or a copy of the stream in a temporary file without a name.
  ///
  /// - Throws: a finding if there are more than `limit` bytes.
  func seekable(limit: UInt64) throws -> ArchiveInput {
    if size != nil { return self }
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/docpkg-XXXXXX".utf8CString)
    let number = mkstemp(&template)
    guard number >= 0, fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw failure("mkstemp") }
    let spool = OwnedDescriptor(number, of: PosixDisk())
    unlink(template)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var size: UInt64 = 0
    while true {
      let count = try read(into: buffer)
      if count == 0 { break }
      guard size + UInt64(count) <= limit else {
        throw ArchiveError.Finding(.limitExceeded, "it is longer than \(limit) bytes", unless: .bytes)
      }
      do throws(SystemError) {
        try PosixDisk().write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: spool, at: size)
      } catch {
        throw ArchiveError.Finding(error, "copying it to \(folder)")
      }
      size += UInt64(count)
    }
    return try ArchiveInput(owning: spool, cancellation)
  }
}
