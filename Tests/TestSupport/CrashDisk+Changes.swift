package import DurableIO
import SystemPackage

// The changes of names and attributes.
extension CrashDisk {
  // MARK: Names

  package func makeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor, mode: UInt16)
    throws(SystemError)
  {
    let parent = directory.number
    try change(.makeDirectory, "mkdirat", name) { (state) throws(Errno) in
      let slot = try state.slot(name, parent)
      _ = try state.volume.make(
        { Node(.directory, mode: mode & 0o1777 & ~Self.mask, home: slot, at: $0) }, at: slot)
    }
  }

  package func makeSymbolicLink(
    to destination: [UInt8], named name: FileName, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let parent = directory.number
    try change(.makeSymbolicLink, "symlinkat", name) { (state) throws(Errno) in
      guard !destination.contains(0) else { throw .invalidArgument }
      guard !destination.isEmpty else { throw .noSuchFileOrDirectory }
      guard destination.count < 4096 else { throw .fileNameTooLong }
      let slot = try state.slot(name, parent)
      let bytes = FileBytes(destination)
      _ = try state.volume.make(
        { Node(.symbolicLink, mode: 0o777, home: slot, at: $0, destination: bytes) }, at: slot)
    }
  }

  package func link(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let (from, to) = (directory.number, newDirectory.number)
    try change(.link, "linkat", newName) { (state) throws(Errno) in
      guard options.supportsLinks else { throw .notPermitted }
      try state.volume.link(state.slot(name, from), state.slot(newName, to))
    }
  }

  package func rename(
    _ name: FileName, in directory: borrowing OwnedDescriptor,
    to newName: FileName, in newDirectory: borrowing OwnedDescriptor, _ rule: RenameRule
  ) throws(SystemError) {
    let (from, to) = (directory.number, newDirectory.number)
    try change(rule == .exchange ? .exchange : .rename, "renameat2", newName) { (state) throws(Errno) in
      if rule == .exchange, !options.supportsExchange { throw .invalidArgument }
      if rule == .noReplace, !options.supportsNoReplace { throw .invalidArgument }
      try state.volume.rename(state.slot(name, from), state.slot(newName, to), rule)
    }
  }

  package func removeFile(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError) {
    let parent = directory.number
    try change(.removeFile, "unlinkat", name) { (state) throws(Errno) in
      try state.volume.remove(state.slot(name, parent), directory: false)
    }
  }

  package func removeDirectory(_ name: FileName, in directory: borrowing OwnedDescriptor) throws(SystemError)
  {
    let parent = directory.number
    try change(.removeDirectory, "unlinkat", name) { (state) throws(Errno) in
      try state.volume.remove(state.slot(name, parent), directory: true)
    }
  }

  // MARK: Attributes

  package func setMode(_ mode: UInt16, of file: borrowing OwnedDescriptor) throws(SystemError) {
    let number = file.number
    try change(.setMode, "fchmod") { (state) throws(Errno) in
      try state.volume.setAttributes(of: state.node(number)) { $0.mode = mode & 0o7777 }
    }
  }

  package func setOwner(user: UInt32, group: UInt32, of file: borrowing OwnedDescriptor) throws(SystemError) {
    let number = file.number
    try change(.setOwner, "fchown") { (state) throws(Errno) in
      try state.volume.setAttributes(of: state.node(number)) { attributes in
        // The greatest number means that the value stays.
        if user != .max { attributes.user = user }
        if group != .max { attributes.group = group }
      }
    }
  }

  package func setModified(_ time: FileTime, of file: borrowing OwnedDescriptor) throws(SystemError) {
    let number = file.number
    try change(.setModified, "futimens") { (state) throws(Errno) in
      guard time.nanoseconds < 1_000_000_000 else { throw .invalidArgument }
      try state.volume.setAttributes(of: state.node(number)) { $0.modified = time }
    }
  }

  package func setModified(_ time: FileTime, of name: FileName, in directory: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    let parent = directory.number
    try change(.setModified, "utimensat", name) { (state) throws(Errno) in
      guard time.nanoseconds < 1_000_000_000 else { throw .invalidArgument }
      let node = try state.volume.existing(state.slot(name, parent))
      state.volume.setAttributes(of: node) { $0.modified = time }
    }
  }

  package func setExtendedAttribute(_ name: String, _ value: [UInt8], of file: borrowing OwnedDescriptor)
    throws(SystemError)
  {
    let number = file.number
    try change(.setExtendedAttribute, "fsetxattr") { (state) throws(Errno) in
      guard ["user.", "trusted.", "security.", "system."].contains(where: { name.hasPrefix($0) }) else {
        throw .notSupported
      }
      try state.volume.setAttributes(of: state.node(number)) { $0.extended[name] = value }
    }
  }
}
