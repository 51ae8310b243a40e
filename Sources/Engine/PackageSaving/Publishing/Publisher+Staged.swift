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
    let indices = record.operations.indices.filter { record.operations[$0].isToBeMade }
    do {
      for start in stride(from: 0, to: indices.count, by: 64) {
        try make(indices[start..<min(start + 64, indices.count)])
      }
    } catch {
      // No visible name leads to any of them yet, and on a full disk they would only take room.
      for index in indices {
        if case .put(let staged) = record.operations[index].action {
          removeLeftover(staged.name)
        }
      }
      throw error
    }
  }

  /// Writes all files before it waits for the first, so that the disk can make them durable together.
  private mutating func make(_ indices: ArraySlice<Int>) throws(FilePackageError) {
    var open: [(index: Int, file: OpenNode)] = []
    for index in indices {
      let operation = record.operations[index]
      guard case .put(var staged) = operation.action else { continue }
      do {
        let file = try make(&staged, as: staged.name, operation)
        // From here on its inode number identifies it.
        record.operations[index].action = .put(staged)
        guard let file else { continue }
        open.append((index, file))
      } catch {
        throw FilePackageError(error, .save, node(operation.path), activity: "writing")
      }
    }
    for index in synchronize(open) {
      // The kernel counts its pages as written although they are not: the publisher gives it up, and makes it anew.
      let operation = record.operations[index]
      guard case .put(var staged) = operation.action else { continue }
      removeLeftover(staged.name)
      _ = try makeAnew(&staged, operation)
      record.operations[index].action = .put(staged)
    }
  }

  /// Syncs files, all at once if the disk is faster then.
  ///
  /// - Returns: the operations of the files that could not be synchronised.
  private func synchronize(_ open: [(index: Int, file: OpenNode)]) -> [Int] {
    guard let last = open.last, open.count > 1, disk.syncsTogether else {
      return open.filter { (try? disk.synchronize($0.file.descriptor)) == nil }.map(\.index)
    }
    let synchronizer = FileSynchronizer(on: disk, files: open.count - 1)
    for (index, file) in open.dropLast() { synchronizer.add(file, at: record.operations[index].path) }
    synchronizer.synchronize(last.file, at: record.operations[last.index].path)
    let failed = Set(synchronizer.wait().map(\.path))
    return open.map(\.index).filter { failed.contains(record.operations[$0].path) }
  }

  /// Makes a file or a link; a file gets the attributes that a user gave the file in its place.
  ///
  /// - Returns: nil for a link, which is synchronised with its folder.
  private mutating func make(
    _ staged: inout JournalRecord.Staged, as name: FileName, _ operation: JournalRecord.Operation
  ) throws(SystemError) -> OpenNode? {
    let bytes = staged.bytes ?? []
    if staged.node.kind == .symbolicLink {
      try disk.makeSymbolicLink(to: bytes, named: name, in: staging.descriptor)
      if staged.node.modified != JournalRecord.Known.noDate {
        try disk.setModified(staged.node.modified, of: name, in: staging.descriptor)
      }
      staged.node = JournalRecord.Known(
        try disk.status(of: name, in: staging.descriptor), content: staged.node.content)
      return nil
    }
    let file = try disk.createFile(name, in: staging.descriptor, mode: staged.mode & 0o777)
    try disk.write(bytes, to: file, at: 0)
    try copyAttributes(of: operation, on: file)
    try disk.setModified(staged.node.modified, of: file)
    var status = try disk.status(of: file)
    // The record's author must not get the rights of the user who opens the package.
    let mode = isRecovery ? staged.mode & ~JournalRecord.Staged.rights : staged.mode
    if staged.modeIsExact && status.mode != mode {
      do {
        try disk.setMode(mode, of: file)
        status = try disk.status(of: file)
      } catch {
        // The file is this process's own: if that is not permitted, the file system has no such mode.
        guard error.code == .notPermitted else { throw error }
      }
    }
    staged.node = JournalRecord.Known(status, content: staged.node.content)
    return OpenNode(file)
  }

  private func copyAttributes(
    of operation: JournalRecord.Operation, on file: borrowing OwnedDescriptor
  ) throws(SystemError) {
    guard operation.old?.kind == .file, let name = operation.path.name,
      let folder = try open(operation.path.parent)
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
  mutating func makeAnew(
    _ staged: inout JournalRecord.Staged, _ operation: JournalRecord.Operation
  ) throws(FilePackageError) -> FileName {
    let name = staged.name.rewritten
    rewritten.insert(staged.name)
    do {
      if try disk.exists(name, in: staging.descriptor) { try disk.removeFile(name, in: staging.descriptor) }
      if let file = try make(&staged, as: name, operation) { try disk.synchronize(file.descriptor) }
      return name
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "writing")
    }
  }

  // MARK: Waiting nodes

  /// Returns the reason why a node that the record does not hold cannot be put; nil if it can.
  func problem(_ staged: JournalRecord.Staged) throws(SystemError) -> String? {
    guard staged.bytes == nil else { return nil }
    guard let status = try disk.statusIfPresent(of: staged.name, in: staging.descriptor) else {
      return "its staged file is missing"
    }
    // A power cut may leave a file without its mode and date.
    let isWhole = !isRecovery || staged.hasAttributes(of: status)
    guard isWhole, try isContent(staged, status, staged.name, in: staging.descriptor) else {
      return "its staged file is damaged"
    }
    return nil
  }

  /// Makes sure that a node of the record is there and durable.
  ///
  /// - Returns: its name.
  mutating func prepare(
    _ staged: inout JournalRecord.Staged, _ operation: JournalRecord.Operation
  ) throws(FilePackageError) -> FileName {
    // A node that this process has just made and flushed is there.
    guard isRecovery else {
      return rewritten.contains(staged.name) ? staged.name.rewritten : staged.name
    }
    if staged.bytes != nil { return try makeAnew(&staged, operation) }
    do {
      if let problem = try problem(staged) {
        throw failure(.journalDamaged, operation.path, reason: problem)
      }
      // If a process died, the file may be in memory only.
      if staged.node.kind == .file {
        try disk.synchronize(disk.openFile(staged.name, in: staging.descriptor))
      }
      return staged.name
    } catch {
      throw FilePackageError(any: error, .save, node(operation.path), activity: "publishing")
    }
  }
}

extension FileName {
  /// The name of a staged file that is made again from the record.
  var rewritten: FileName { FileName(bytes: bytes + Array("+".utf8)) }
  /// The name for a node that is moved out of its place before the new one comes to it.
  var movedAway: FileName { FileName(bytes: bytes + Array("-".utf8)) }
}

extension JournalRecord.Operation {
  /// Whether it puts a node that the record holds and that is not made yet.
  fileprivate var isToBeMade: Bool {
    guard case .put(let staged) = action else { return false }
    return staged.bytes != nil && staged.node.inode == JournalRecord.Known.noInode
  }
}
