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
      try forEachChunk(of: source, size: status.size) { bytes, offset throws(SystemError) in
        try write(bytes, to: file, at: offset)
      }
      try copyAttributes(of: status, from: source, on: file)
      try setMode(status.mode, of: file)
      try setModified(status.modified, of: file)
      try synchronize(file)
    case .symbolicLink:
      try makeLink(to: destination(of: name, in: from), status.modified, named: newName, in: to)
    case .directory, .fifo, .socket, .device: throw SystemError("open", name, code: .invalidArgument)
    }
  }

  /// Makes a symbolic link with that date, or with the present one for nil.
  package func makeLink(
    to destination: [UInt8], _ modified: FileTime?, named name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    try makeSymbolicLink(to: destination, named: name, in: folder)
    if let modified { try setModified(modified, of: name, in: folder) }
  }
}
