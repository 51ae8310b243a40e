package import DurableIO
import FileTrees
package import PackageFormat
import SystemPackage

/// The statuses of a file, or of a directory and all its children, at one moment.
struct TreeStatuses {
  var nodes: [PackagePath: FileStatus] = [:]

  /// Returns whether the tree under a name is unchanged.
  func isUnchanged(
    _ name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Bool {
    var left = nodes.count
    func visit(
      _ name: FileName, _ path: PackagePath, in folder: borrowing OwnedDescriptor
    ) throws(SystemError) -> Bool {
      let now = try disk.status(of: name, in: folder)
      guard let known = nodes[path], known.kind == now.kind, known.identity.hasSameContents(as: now.identity)
      else {
        return false
      }
      left -= 1
      guard now.kind == .directory else { return true }
      let directory = try disk.openDirectory(name, in: folder)
      let listing = try disk.list(directory)
      for position in 0..<listing.count {
        let child = listing.name(at: position)
        guard try visit(child, path.appending(child), in: directory) else { return false }
      }
      return true
    }
    return try visit(name, .root, in: folder) && left == 0
  }
}

/// A copy of a file, or of a directory with all its children.
///
/// The copy is durable on return, except for its name.
package struct TreeCopy {
  private let disk: any Disk
  private(set) var statuses = TreeStatuses()

  package init(on disk: any Disk) { self.disk = disk }

  package mutating func copy(
    _ name: FileName, in from: borrowing OwnedDescriptor, to newName: FileName,
    in to: borrowing OwnedDescriptor, at path: PackagePath = .root
  ) throws(SystemError) {
    let status = try disk.status(of: name, in: from)
    statuses.nodes[path] = status
    switch status.kind {
    case .file: try copyFile(name, status, in: from, to: newName, in: to, isRoot: path.isRoot)
    case .directory: try copyDirectory(name, status, in: from, to: newName, in: to, at: path)
    case .symbolicLink:
      try disk.makeSymbolicLink(to: disk.destination(of: name, in: from), named: newName, in: to)
      try disk.setModified(status.modified, of: newName, in: to)
    case .fifo, .socket, .device: throw SystemError("open", name, code: .invalidArgument)
    }
  }

  private func copyFile(
    _ name: FileName, _ status: FileStatus, in from: borrowing OwnedDescriptor, to newName: FileName,
    in to: borrowing OwnedDescriptor, isRoot: Bool
  ) throws(SystemError) {
    let source = try disk.openFile(name, in: from)
    let file = try disk.createFile(newName, in: to, mode: 0o600)
    // The lock keeps sweeps by other programs away.
    if isRoot { _ = TemporarySiblings(of: newName, on: disk).isLockedForUs(file) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    while true {
      let count = try disk.read(source, at: offset, into: buffer)
      if count == 0 { break }
      try disk.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: file, at: offset)
      offset += UInt64(count)
    }
    try disk.copyAttributes(of: status, from: source, on: file)
    try disk.setMode(status.mode, of: file)
    try disk.setModified(status.modified, of: file)
    try disk.synchronize(file)
  }

  private mutating func copyDirectory(
    _ name: FileName, _ status: FileStatus, in from: borrowing OwnedDescriptor, to newName: FileName,
    in to: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(SystemError) {
    guard path.names.count < PackagePath.maximumDepth else {
      throw SystemError("openat", name, code: .tooManySymbolicLinkLevels)
    }
    let source = try disk.openDirectory(name, in: from)
    try disk.makeDirectory(newName, in: to, mode: 0o700)
    let directory = try disk.openDirectory(newName, in: to)
    if path.isRoot { _ = TemporarySiblings(of: newName, on: disk).isLockedForUs(directory) }
    let listing = try disk.list(source)
    for position in 0..<listing.count {
      let child = listing.name(at: position)
      try copy(child, in: source, to: child, in: directory, at: path.appending(child))
    }
    try disk.copyAttributes(of: status, from: source, on: directory)
    try disk.setMode(status.mode, of: directory)
    try disk.setModified(status.modified, of: directory)
    try disk.synchronize(directory)
  }
}

extension Disk {
  /// Compares two files, or directories with all their children, byte by byte.
  ///
  /// - Returns: the statuses of the first tree, or nil if the trees differ.
  func sameTree(
    _ name: FileName, in folder: borrowing OwnedDescriptor, as other: FileName,
    in otherFolder: borrowing OwnedDescriptor
  ) throws(SystemError) -> TreeStatuses? {
    var statuses = TreeStatuses()
    let isSame = try isSame(name, in: folder, as: other, in: otherFolder, at: .root, &statuses)
    return isSame ? statuses : nil
  }

  private func isSame(
    _ name: FileName, in folder: borrowing OwnedDescriptor, as other: FileName,
    in otherFolder: borrowing OwnedDescriptor, at path: PackagePath, _ statuses: inout TreeStatuses
  ) throws(SystemError) -> Bool {
    let (first, second) = (try status(of: name, in: folder), try status(of: other, in: otherFolder))
    statuses.nodes[path] = first
    guard first.kind == second.kind else { return false }
    switch first.kind {
    case .file:
      guard first.size == second.size else { return false }
      let file = try openFile(name, in: folder)
      return try hasSameBytes(file, openFile(other, in: otherFolder))
    case .symbolicLink:
      return try destination(of: name, in: folder) == destination(of: other, in: otherFolder)
    case .fifo, .socket, .device: return false
    case .directory:
      let directory = try openDirectory(name, in: folder)
      let otherDirectory = try openDirectory(other, in: otherFolder)
      let (listing, otherListing) = (try list(directory), try list(otherDirectory))
      guard listing.count == otherListing.count else { return false }
      for position in 0..<listing.count {
        let child = listing.name(at: position)
        guard otherListing.position(of: child) != nil,
          try isSame(
            child, in: directory, as: child, in: otherDirectory, at: path.appending(child), &statuses)
        else { return false }
      }
      return true
    }
  }

  private func hasSameBytes(
    _ file: borrowing OwnedDescriptor, _ other: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    let size = 1 << 18
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 16)
    defer { buffer.deallocate() }
    let first = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
    let second = UnsafeMutableRawBufferPointer(rebasing: buffer[size...])
    var offset: UInt64 = 0
    while true {
      let count = try read(file, at: offset, into: first)
      if count == 0 { return try read(other, at: offset, into: second) == 0 }
      var filled = 0
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: second[filled..<count])
        let read = try read(other, at: offset + UInt64(filled), into: rest)
        if read == 0 { return false }
        filled += read
      }
      guard first[..<count].elementsEqual(second[..<count]) else { return false }
      offset += UInt64(count)
    }
  }
}
