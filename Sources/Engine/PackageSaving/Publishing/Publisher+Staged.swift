import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// The nodes that a record puts: made from the record, or waiting in the staging folder.
extension Publisher {
  // MARK: Making the nodes that the record holds

  /// Makes the files and links whose bytes the record holds and that are not made yet (P1).
  mutating func makeStaged() throws(FilePackageError) {
    guard !isRecovery else { return }
    let indices = record.changes.rows.indices.filter { record.changes.rows[$0].isToBeMade }
    do {
      for start in stride(from: 0, to: indices.count, by: 64) {
        try make(indices[start..<min(start + 64, indices.count)])
      }
    } catch {
      // No visible name leads to any of them yet, and on a full disk they would only take room.
      for index in indices { removeLeftover(record.changes.rows[index].name) }
      throw error
    }
  }

  /// Writes all files before it waits for the first, so that the disk can make them durable together.
  private mutating func make(_ indices: ArraySlice<Int>) throws(FilePackageError) {
    var open: [(index: Int, file: OpenNode)] = []
    for index in indices {
      var change = record.changes[index]
      let file = try attempt(change.path) { try make(&change, as: change.name) }
      // From here on its inode number identifies it.
      record.changes[index] = change
      if let file { open.append((index, file)) }
    }
    for index in synchronize(open) {
      // The kernel counts its pages as written although they are not: the publisher gives it up, and makes it anew.
      var change = record.changes[index]
      removeLeftover(change.name)
      _ = try makeAnew(&change)
      record.changes[index] = change
    }
  }

  /// Syncs files, all at once if the disk is faster then.
  ///
  /// - Returns: the rows of the files that could not be synchronised.
  private func synchronize(_ open: [(index: Int, file: OpenNode)]) -> [Int] {
    guard let last = open.last, open.count > 1, disk.syncsTogether else {
      return open.filter { (try? disk.synchronize($0.file.descriptor)) == nil }.map(\.index)
    }
    let synchronizer = FileSynchronizer(on: disk)
    for (index, file) in open.dropLast() { synchronizer.add(file, at: record.changes[index].path) }
    synchronizer.synchronize(last.file, at: record.changes[last.index].path)
    let failed = Set(synchronizer.wait().map(\.path))
    return open.map(\.index).filter { failed.contains(record.changes[$0].path) }
  }

  /// Makes a file or a link; a file gets the attributes that a user gave the file in its place.
  ///
  /// - Returns: nil for a link, which is synchronised with its folder.
  private mutating func make(
    _ change: inout Change, as name: FileName
  ) throws(SystemError) -> OpenNode? {
    guard let new = change.new, let bytes = change.bytes else { return nil }
    if new.kind == .symbolicLink {
      let date = change.hasDate ? new.modified : nil
      try disk.makeLink(to: bytes, date, named: name, in: staging.descriptor)
      change.new = Entry(try disk.status(of: name, in: staging.descriptor), content: new.content)
      return nil
    }
    let file = try disk.createFile(name, in: staging.descriptor, mode: new.mode & 0o777)
    try disk.write(bytes, to: file, at: 0)
    try copyAttributes(of: change, on: file)
    try disk.setModified(new.modified, of: file)
    var status = try disk.status(of: file)
    // The record's author must not get the rights of the user who opens the package.
    let mode = isRecovery ? new.mode & ~Change.rights : new.mode
    if change.modeIsExact && status.mode != mode {
      do {
        try disk.setMode(mode, of: file)
        status = try disk.status(of: file)
      } catch {
        // The file is this process's own: if that is not permitted, the file system has no such mode.
        guard error.code == .notPermitted else { throw error }
      }
    }
    change.new = Entry(status, content: new.content)
    return OpenNode(file)
  }

  private func copyAttributes(
    of change: Change, on file: borrowing OwnedDescriptor
  ) throws(SystemError) {
    guard change.old?.kind == .file, let name = change.path.name, let folder = try open(change.path.parent)
    else { return }
    do {
      let old = try disk.openFile(name, in: folder.descriptor)
      try disk.copyAttributes(of: disk.status(of: old), from: old, on: file)
    } catch {
      switch error.code {
      // This process may not read the file, or another program put something else there, or removed it.
      case .permissionDenied, .noSuchFileOrDirectory, .invalidArgument, .tooManySymbolicLinkLevels,
        .noSuchAddressOrDevice:
        return
      default: throw error
      }
    }
  }

  /// Makes a node again that was lost, torn or given up, and flushes it.
  ///
  /// - Returns: its name.
  mutating func makeAnew(_ change: inout Change) throws(FilePackageError) -> FileName {
    let name = change.name.rewritten
    rewritten.insert(change.name)
    try attempt(change.path) {
      if try disk.exists(name, in: staging.descriptor) { try disk.removeFile(name, in: staging.descriptor) }
      if let file = try make(&change, as: name) { try disk.synchronize(file.descriptor) }
    }
    return name
  }

  // MARK: Waiting nodes

  /// Returns the reason why a node that the record does not hold cannot be put; nil if it can.
  func problem(_ change: Change) throws(SystemError) -> String? {
    guard change.bytes == nil else { return nil }
    guard let status = try disk.statusIfPresent(of: change.name, in: staging.descriptor) else {
      return "its staged file is missing"
    }
    // A power cut may leave a file without its mode and date.
    let isWhole = !isRecovery || change.hasAttributes(of: status)
    guard isWhole, try isContent(change, status, change.name, in: staging.descriptor) else {
      return "its staged file is damaged"
    }
    return nil
  }

  /// Makes sure that a node of the record is there and durable.
  ///
  /// - Returns: its name.
  mutating func prepare(_ change: inout Change) throws(FilePackageError) -> FileName {
    let name = change.name
    // A node that this process has just made and flushed is there.
    guard isRecovery else { return rewritten.contains(name) ? name.rewritten : name }
    if change.bytes != nil { return try makeAnew(&change) }
    return try node(change.path).attempt(.save, "publishing") {
      try refuseDamaged(change)
      // If a process died, the file may be in memory only.
      if change.new?.kind == .file {
        try disk.synchronize(disk.openFile(name, in: staging.descriptor))
      }
      return name
    }
  }
}

extension FileName {
  /// The name of a staged file that is made again from the record.
  var rewritten: FileName { FileName(bytes: bytes + Array("+".utf8)) }
  /// The name for a node that is moved out of its place before the new one comes to it.
  var movedAway: FileName { FileName(bytes: bytes + Array("-".utf8)) }
}

extension Change {
  /// Whether it puts a node that the record holds and that is not made yet.
  fileprivate var isToBeMade: Bool { puts && bytes != nil && new?.inode == Entry.noInode }
}
