import DurableIO

// What waits among the staged files.
extension Publisher {
  /// (1)
  mutating func synchronizeStaged() throws(FilePackageError) {
    guard !isRecovery else { return }
    var waiting: [(path: PackagePath, name: FileName)] = []
    for operation in record.operations {
      guard case .put(let staged) = operation.action, staged.bytes != nil, staged.node.kind == .file else {
        continue
      }
      waiting.append((operation.path, staged.name))
    }
    for start in stride(from: 0, to: waiting.count, by: 64) {
      try synchronize(waiting[start..<min(start + 64, waiting.count)])
    }
  }

  /// Begins to write all before the first is waited for, so that the disk can write them together.
  mutating func synchronize(
    _ files: ArraySlice<(path: PackagePath, name: FileName)>
  ) throws(FilePackageError) {
    var open: [(name: FileName, file: OpenNode)] = []
    for (path, name) in files {
      do {
        let file = OpenNode(try disk.openFile(name, in: staging.descriptor))
        if files.count > 1 { try disk.startWriting(file.descriptor) }
        open.append((name, file))
      } catch {
        throw FilePackageError(error, .save, node(path), activity: "synchronizing")
      }
    }
    for (name, file) in open {
      do {
        try disk.synchronize(file.descriptor)
      } catch {
        // Its pages count as written now although they are not: the file is given up, and written anew from the
        // record. If it cannot be removed, it must not be believed either.
        givenUp.insert(name)
        guard (try? disk.removeFile(name, in: staging.descriptor)) != nil else {
          throw FilePackageError(error, .save, node(.root), activity: "synchronizing")
        }
      }
    }
  }

  /// What there is among the staged files of what an operation puts.
  enum Ready {
    case asStaged
    /// To be written again from the record.
    case fromRecord
    case no(String)
  }

  func readiness(_ staged: JournalRecord.Staged, _ status: FileStatus?) throws(SystemError) -> Ready {
    if let status, isWhole(staged, status),
      try isContent(staged, status, staged.name, in: staging.descriptor)
    {
      return .asStaged
    }
    if staged.bytes != nil { return .fromRecord }
    return .no(status == nil ? "its staged file is missing" : "its staged file is damaged")
  }

  /// Whether a staged file has its mode and date, of which a power cut may leave it without.
  func isWhole(_ staged: JournalRecord.Staged, _ status: FileStatus) -> Bool {
    !isRecovery || staged.node.kind == .directory || staged.hasAttributes(of: status)
  }

  /// Makes sure that what is to be put is there and lasts; returns its name.
  mutating func prepare(
    _ staged: JournalRecord.Staged, at path: PackagePath
  ) throws(FilePackageError) -> FileName {
    // What this process has just written and flushed is there.
    if !isRecovery && !givenUp.contains(staged.name) { return staged.name }
    do {
      let status = try disk.statusIfPresent(of: staged.name, in: staging.descriptor)
      switch try readiness(staged, status) {
      case .asStaged:
        // After a process died it may be in memory only. A folder was synchronised before the record.
        if isRecovery && staged.node.kind == .file {
          try disk.synchronize(disk.openFile(staged.name, in: staging.descriptor))
        }
        return staged.name
      case .fromRecord:
        return try write(staged)
      case .no(let reason):
        throw failure(.journalDamaged, path, reason)
      }
    } catch let error as SystemError {
      throw FilePackageError(error, .save, node(path), activity: "publishing")
    } catch {
      throw error as? FilePackageError ?? failure(.inputOutput, path, nil)
    }
  }

  mutating func write(_ staged: JournalRecord.Staged) throws(SystemError) -> FileName {
    let name = staged.name.rewritten
    let bytes = staged.bytes ?? []
    rewritten.insert(staged.name)
    if try disk.exists(name, in: staging.descriptor) { try disk.removeFile(name, in: staging.descriptor) }
    if staged.node.kind == .symbolicLink {
      try disk.makeSymbolicLink(to: bytes, named: name, in: staging.descriptor)
      try disk.setModified(staged.node.modified, of: name, in: staging.descriptor)
      return name
    }
    let file = try disk.createFile(name, in: staging.descriptor, mode: 0o600)
    try disk.write(bytes, to: file, at: 0)
    // Whoever wrote the record does not get the rights of whoever opens the package.
    try disk.setMode(staged.mode & ~JournalRecord.Staged.rights, of: file)
    try disk.setModified(staged.node.modified, of: file)
    try disk.synchronize(file)
    return name
  }
}

extension JournalRecord.Staged {
  /// Set-user-ID and set-group-ID.
  static let rights: UInt16 = 0o6000

  /// Whether a node has the mode and the date that this is to have.
  func hasAttributes(of status: FileStatus) -> Bool {
    let isMode = mode & ~Self.rights == status.mode & ~Self.rights
    return (isMode || status.kind == .symbolicLink) && node.modified == status.modified
  }
}

extension FileName {
  /// The name of a staged file that is written again from the record.
  var rewritten: FileName { FileName(bytes: bytes + Array("+".utf8)) }
  /// The name for what stood at a place while that is neither the old nor the new one's.
  var movedAway: FileName { FileName(bytes: bytes + Array("-".utf8)) }
}
