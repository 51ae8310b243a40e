package import DurableIO
import PackageFormat
import SystemPackage

extension Disk {
  /// Copies a file or a link, with its attributes.
  ///
  /// The copy is durable on return, except for its name.
  package func copy(
    _ name: FileName, in from: borrowing OwnedDescriptor, to newName: FileName,
    in to: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let status = try status(of: name, in: from)
    switch status.kind {
    case .file:
      let source = try openFile(name, in: from)
      let file = try createFile(newName, in: to, mode: 0o600)
      try copyBytes(of: source, to: file)
      try copyAttributes(of: status, from: source, on: file)
      try setMode(status.mode, of: file)
      try setModified(status.modified, of: file)
      try synchronize(file)
    case .symbolicLink:
      try makeSymbolicLink(to: destination(of: name, in: from), named: newName, in: to)
      try setModified(status.modified, of: newName, in: to)
    case .directory, .fifo, .socket, .device: throw SystemError("open", name, code: .invalidArgument)
    }
  }

  private func copyBytes(
    of source: borrowing OwnedDescriptor, to file: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    while true {
      let count = try read(source, at: offset, into: buffer)
      if count == 0 { return }
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file, at: offset)
      offset += UInt64(count)
    }
  }
}
