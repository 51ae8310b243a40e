package import DurableIO
package import SystemPackage

/// A tree of files as a value: a test builds it on any disk from a literal, reads it, and compares it with the literal.
///
///     let tree: TestTree = ["Text.txt": "Hello", "Images": ["7.png": .file([0x89, 0x50])]]
///     try tree.writeEntries(into: directory, of: disk)
///     #expect(try TestTree.read(directory, of: disk) == tree)
package enum TestTree: Hashable, Sendable {
  case file([UInt8], mode: UInt16 = 0o644)
  case directory([FileName: TestTree])
  case link([UInt8])
  /// A FIFO, a socket or a device: tests read it and never write it.
  case other(FileKind)

  /// The entry of that name, if this is a directory.
  package subscript(name: FileName) -> TestTree? {
    get { entries[name] }
    set {
      var entries = entries
      entries[name] = newValue
      self = .directory(entries)
    }
  }

  package var entries: [FileName: TestTree] {
    if case .directory(let entries) = self { entries } else { [:] }
  }
}

extension TestTree: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (FileName, TestTree)...) {
    self = .directory(Dictionary(uniqueKeysWithValues: elements))
  }
}

extension TestTree: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self = .file(Array(value.utf8))
  }
}

// MARK: - On a disk

extension TestTree {
  /// Makes this tree under a free name.
  package func write(to name: FileName, in directory: borrowing OwnedDescriptor, of disk: some Disk)
    throws(SystemError)
  {
    switch self {
    case .file(let bytes, let mode):
      let file = try disk.createFile(name, in: directory, mode: 0o600)
      try disk.writeAll(bytes, to: file)
      try disk.setMode(mode, of: file)
    case .directory:
      try disk.makeDirectory(name, in: directory, mode: 0o755)
      try writeEntries(into: disk.openDirectory(name, in: directory), of: disk)
    case .link(let destination):
      try disk.makeSymbolicLink(to: destination, named: name, in: directory)
    case .other:
      throw SystemError("mknodat", name, code: .notSupported)
    }
  }

  /// Makes the entries of this directory in an existing directory, in the order of their names.
  package func writeEntries(into directory: borrowing OwnedDescriptor, of disk: some Disk) throws(SystemError)
  {
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      try entry.write(to: name, in: directory, of: disk)
    }
  }

  /// Makes the entries of this directory in the directory at a path.
  package func writeEntries(into path: FilePath, of disk: some Disk) throws(SystemError) {
    try writeEntries(into: disk.openDirectory(at: path), of: disk)
  }

  /// Reads a whole directory.
  package static func read(_ directory: borrowing OwnedDescriptor, of disk: some Disk) throws(SystemError)
    -> TestTree
  {
    let listing = try disk.list(directory)
    var entries: [FileName: TestTree] = [:]
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      entries[name] = try read(name, in: directory, of: disk)
    }
    return .directory(entries)
  }

  /// Reads the whole directory at a path.
  package static func read(_ path: FilePath, of disk: some Disk) throws(SystemError) -> TestTree {
    try read(disk.openDirectory(at: path), of: disk)
  }

  /// Reads the node of a name.
  package static func read(_ name: FileName, in directory: borrowing OwnedDescriptor, of disk: some Disk)
    throws(SystemError) -> TestTree
  {
    let kind = try disk.status(of: name, in: directory).kind
    switch kind {
    case .file:
      let file = try disk.openFile(name, in: directory)
      return .file(try disk.readAll(file), mode: try disk.status(of: file).mode)
    case .directory:
      return try read(disk.openDirectory(name, in: directory), of: disk)
    case .symbolicLink:
      return .link(try disk.destination(of: name, in: directory))
    case .fifo, .socket, .device:
      return .other(kind)
    }
  }
}
