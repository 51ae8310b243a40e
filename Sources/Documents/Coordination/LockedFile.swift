import DurableIO
import FoundationEssentials
import SystemPackage

// (1) A file is locked before it has its name: whoever finds one that is not locked finds what a process left that is
//     no more. The kernel takes the lock back when its holder dies; no process's number decides anything.
// (2) Only who has the lock of a file removes it: of one that a process left, whoever sees it next.

/// A file that says something as long as its maker lives.
final class LockedFile: Sendable {
  let name: FileName
  private let file: OwnedDescriptor

  private init(_ name: FileName, _ file: consuming OwnedDescriptor) {
    self.name = name
    self.file = file
  }

  /// Makes a file with a name that no other one has. (1)
  ///
  /// - Parameter prepare: what has to be done before others see it.
  static func make(
    _ bytes: [UInt8], in folder: borrowing OwnedDescriptor,
    prepare: (FileName) throws(SystemError) -> Void = { _ throws(SystemError) in }
  ) throws(SystemError) -> LockedFile {
    let disk = PosixDisk()
    while true {
      let name = FileName(UUID().uuidString)
      let hidden = name.hidden
      let file = try disk.createFile(hidden, in: folder, mode: 0o600)
      // Between these two, somebody may have taken it for one that a process left.
      guard try disk.lock(file, .exclusive) else { continue }
      do throws(SystemError) {
        try disk.write(bytes, to: file, at: 0)
        try prepare(name)
        try disk.rename(hidden, in: folder, to: name, in: folder, .keep)
      } catch {
        if error.code == .noSuchFileOrDirectory, try disk.status(of: folder).links > 0 { continue }
        throw error
      }
      return LockedFile(name, file)
    }
  }

  func append(_ bytes: [UInt8]) throws(SystemError) {
    let disk = PosixDisk()
    try disk.write(bytes, to: file, at: disk.status(of: file).size)
  }

  /// Removes it, so that nobody has to find out that its maker is no more.
  func remove(from folder: borrowing OwnedDescriptor) {
    // What cannot be removed now is removed by whoever sees it next. (2)
    try? PosixDisk().removeFile(name, in: folder)
  }
}

/// A file of somebody else's, as it was when it was looked at.
final class FoundFile: Sendable {
  let name: FileName
  private let file: OwnedDescriptor

  private init(_ name: FileName, _ file: consuming OwnedDescriptor) {
    self.name = name
    self.file = file
  }

  /// Opens it; nil where it is gone.
  static func open(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError) -> FoundFile? {
    do {
      return FoundFile(name, try PosixDisk().openFile(name, in: folder))
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    } catch  where error.code == .invalidArgument || error.code == .tooManySymbolicLinkLevels {
      // Something that no process makes.
      return nil
    }
  }

  /// Whether its maker lives. If not, it is removed. (2)
  func isAlive(in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    let disk = PosixDisk()
    guard try disk.lock(file, .exclusive) else { return true }
    defer { _ = try? disk.lock(file, .none) }
    if try disk.isName(name, in: folder, of: file) {
      // Two may see it at once.
      try? disk.removeFile(name, in: folder)
    }
    return false
  }

  /// All that is in it, as long as that is no more than a process writes.
  func bytes() throws(SystemError) -> [UInt8] {
    let disk = PosixDisk()
    let size = min(try disk.status(of: file).size, 16 << 20)
    do {
      return try [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
        count = 0
        while count < buffer.count {
          let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[count...]))
          let read = try disk.read(file, at: UInt64(count), into: rest)
          if read == 0 { break }
          count += read
        }
      }
    } catch let error as SystemError {
      throw error
    } catch {
      throw SystemError("pread", code: .ioError)
    }
  }
}

extension FileName {
  /// The name under which a file is made.
  var hidden: FileName { FileName(bytes: [UInt8(ascii: ".")] + bytes) }

  func appending(_ text: String) -> FileName { FileName(bytes: bytes + Array(text.utf8)) }

  /// What is before the dot and what is after it.
  var parts: (stem: FileName, suffix: String?) {
    guard let dot = bytes.dropFirst().firstIndex(of: UInt8(ascii: ".")) else { return (self, nil) }
    return (
      FileName(bytes: Array(bytes[..<dot])), String(decoding: bytes[(dot + 1)...], as: UTF8.self)
    )
  }
}

extension Disk {
  /// The names in a folder, in no order.
  func names(in folder: borrowing OwnedDescriptor) throws(SystemError) -> [FileName] {
    let listing = try list(folder)
    return (0..<listing.count).map { listing.name(at: $0) }
  }
}
