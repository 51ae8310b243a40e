package import DurableIO
import Synchronization
package import SystemPackage

// The calls that open, look at, read and write files.
extension CrashDisk {
  // MARK: Opening

  package func openDirectory(at path: FilePath) throws(SystemError) -> OwnedDescriptor {
    let number = try call("open", FileName(path)) { (state) throws(Errno) -> Int32 in
      state.open(try state.volume.directory(at: path))
    }
    return OwnedDescriptor(number, of: self)
  }

  package func openDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    let parent = directory.number
    let number = try call("openat", name) { (state) throws(Errno) -> Int32 in
      let node = try state.volume.existing(state.slot(name, parent))
      _ = try state.volume.directory(node)
      return state.open(node)
    }
    return OwnedDescriptor(number, of: self)
  }

  package func openFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> OwnedDescriptor
  {
    let parent = directory.number
    let number = try call("openat", name) { (state) throws(Errno) -> Int32 in
      let node = try state.volume.existing(state.slot(name, parent))
      guard try state.volume.node(node).kind == .file else { throw .invalidArgument }
      return state.open(node)
    }
    return OwnedDescriptor(number, of: self)
  }

  package func openFileForWriting(_ name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError) -> OwnedDescriptor
  {
    let parent = directory.number
    let number = try call("openat", name) { (state) throws(Errno) -> Int32 in
      let node = try state.volume.existing(state.slot(name, parent))
      guard try state.volume.node(node).kind == .file else { throw .invalidArgument }
      return state.open(node, isForWriting: true)
    }
    return OwnedDescriptor(number, of: self)
  }

  package func createFile(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError) -> OwnedDescriptor
  {
    let parent = directory.number
    let number = try change(.createFile, "openat", name) { (state) throws(Errno) -> Int32 in
      let slot = try state.slot(name, parent)
      let node = try state.volume.make(
        { Node(.file, mode: mode & 0o7777 & ~Self.mask, home: slot, at: $0) }, at: slot)
      return state.open(node, isForWriting: true)
    }
    return OwnedDescriptor(number, of: self)
  }

  package func close(_ number: Int32) {
    state.withLock { state in
      guard let file = state.openFiles.removeValue(forKey: number) else { return }
      state.unlockAll(of: file.node, heldBy: number)
    }
  }

  // MARK: Looking

  package func status(of file: borrowing OwnedDescriptor) throws(SystemError) -> FileStatus {
    let number = file.number
    return try call("statx") { (state) throws(Errno) -> FileStatus in
      try state.volume.status(of: state.node(number), device: options.device)
    }
  }

  package func statusOfDirectory(at path: FilePath) throws(SystemError) -> FileStatus {
    try call("statx", FileName(path)) { (state) throws(Errno) -> FileStatus in
      try state.volume.status(of: state.volume.directory(at: path), device: options.device)
    }
  }

  package func status(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> FileStatus
  {
    let parent = directory.number
    return try call("statx", name) { (state) throws(Errno) -> FileStatus in
      try state.volume.status(of: state.volume.existing(state.slot(name, parent)), device: options.device)
    }
  }

  package func room(of file: borrowing OwnedDescriptor) throws(SystemError) -> DiskRoom {
    let number = file.number
    return try call("fstatvfs") { (state) throws(Errno) -> DiskRoom in
      _ = try state.node(number)
      return options.room
    }
  }

  package func limitsNames(in directory: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    state.withLock { $0.volume.limitsNames }
  }

  package func list(_ directory: borrowing OwnedDescriptor) throws(SystemError) -> DirectoryListing {
    let number = directory.number
    return try call("getdents64") { (state) throws(Errno) -> DirectoryListing in
      let directory = try state.volume.directory(state.node(number))
      guard directory.links > 0 else { throw .noSuchFileOrDirectory }
      var listing = DirectoryListing.Builder()
      // A dictionary has no fixed order, like a file system.
      for (name, entry) in directory.entries {
        listing.append(name, try state.volume.node(entry).kind)
      }
      return DirectoryListing(listing)
    }
  }

  package func destination(of name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
    -> [UInt8]
  {
    let parent = directory.number
    return try call("readlinkat", name) { (state) throws(Errno) -> [UInt8] in
      let node = try state.volume.node(state.volume.existing(state.slot(name, parent)))
      guard node.kind == .symbolicLink else { throw .invalidArgument }
      return node.bytes.bytes
    }
  }

  package func extendedAttributes(of file: borrowing OwnedDescriptor) throws(SystemError) -> [String: [UInt8]]
  {
    let number = file.number
    return try call("flistxattr") { (state) throws(Errno) -> [String: [UInt8]] in
      try state.volume.node(state.node(number)).attributes.extended
        .filter { $0.key.hasPrefix("user.") || $0.key.hasPrefix("system.posix_acl_") }
    }
  }

  // MARK: Bytes

  package func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    let number = file.number
    return try call("pread") { (state) throws(Errno) -> Int in
      let node = try state.volume.node(state.node(number))
      guard node.kind == .file else { throw .isDirectory }
      guard let offset = Int(exactly: offset), offset <= Int.max - buffer.count else {
        throw .invalidArgument
      }
      return node.bytes.read(at: offset, into: buffer)
    }
  }

  package func write(
    _ buffer: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, at offset: UInt64
  ) throws(SystemError) {
    let number = file.number
    try change(.write, "pwrite") { (state) throws(Errno) in
      guard !buffer.isEmpty else { return }
      guard try state.file(number).isForWriting else { throw .badFileDescriptor }
      try state.volume.write(buffer, to: state.node(number), at: offset)
    }
  }

  package func resize(_ file: borrowing OwnedDescriptor, to size: UInt64) throws(SystemError) {
    let number = file.number
    try change(.resize, "ftruncate") { (state) throws(Errno) in
      guard try state.file(number).isForWriting else { throw .invalidArgument }
      try state.volume.resize(state.node(number), to: size)
    }
  }

  package func clone(_ source: borrowing OwnedDescriptor, to destination: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    let (from, to) = (source.number, destination.number)
    try change(.clone, "ioctl FICLONE") { (state) throws(Errno) in
      let source = try state.node(from)
      guard try state.file(to).isForWriting else { throw .badFileDescriptor }
      guard try state.volume.node(source).kind == .file else { throw .isDirectory }
      guard options.supportsClone else { throw .notSupported }
      guard try source != state.node(to) else { throw .invalidArgument }
      try state.volume.clone(source, to: state.node(to))
    }
  }
}
