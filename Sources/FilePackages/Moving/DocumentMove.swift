package import DurableIO
package import SystemPackage

// (1) At any instant, and after a power cut, the document is whole in one of the two places. It is in both only after
// an
//     interrupted move to another file system, and its next move removes it from the first.
// (2) A move replaces nothing: if a name is taken, the document gets another name.
// (3) A copy is synced and compared before it gets its name. The name is synced before the move removes anything from
//     the source.
// (4) The move removes the source only if it is unchanged since the copy. Otherwise it puts the source back and removes
//     the copy.

/// A move of a document, a package or a flat file, to another folder, with its identifier, its versions and its
/// attributes.
///
/// Within a file system the move is a rename; to another one it is a copy and then a removal. Blocks the calling
/// thread.
package struct DocumentMove {
  let disk: any Disk
  let source: FilePath
  let folder: FilePath
  /// Whether a move within a file system copies as well, for tests.
  package var alwaysCopies = false

  package init(_ source: FilePath, to folder: FilePath, on disk: any Disk) {
    (self.source, self.folder, self.disk) = (source, folder, disk)
  }

  /// Moves the document and returns its name in the folder, which differs from `preferred` if another document has that
  /// name.
  ///
  /// - Throws: `noSuchFile`; `wrongKind` for a node that is no document; `changedOnDisk` if another program wrote the
  ///   document during the copy, and then it stays in its place; the system's error.
  package func move(as preferred: FileName) throws(FilePackageError) -> FileName {
    guard let name = source.lastComponent.map(FileName.init) else {
      throw failure(.wrongKind, reason: "it has no name")
    }
    if let problem = preferred.problem, problem != .tooLong { throw failure(.invalidName) }
    let from = try open(source.folder)
    let to = try open(folder)
    let status = try attempt("looking at it") { () throws(SystemError) in try disk.status(of: name, in: from)
    }
    guard status.kind == .directory || status.kind == .file else {
      throw failure(.wrongKind, reason: "it is \(status.kind.words)")
    }
    for number in 1...10_000 {
      let candidate = preferred.numbered(number)
      try attempt { () throws(SystemError) in try HiddenSiblings(of: candidate, on: disk).recover(in: to) }
      let taken = try attempt { () throws(SystemError) in try disk.statusIfPresent(of: candidate, in: to) }
      if let taken {
        if taken.identity.isSameNode(as: status.identity) {
          // A power cut in the middle of a rename may leave a file under both names.
          if try isSecondName(name, in: from, of: candidate, in: to) {
            try synchronize(to)
            try removeName(name, status, in: from)
          }
          return candidate
        }
        // An interrupted move left the copy. (1)
        let known = try attempt { () throws(SystemError) in
          try disk.sameTree(name, in: from, as: candidate, in: to)
        }
        guard let known else { continue }
        try synchronize(to)
        try takeAway(name, known, in: from, copy: nil, to)
        return candidate
      }
      if try put(name, as: candidate, from, to) { return candidate }
    }
    throw failure(.fileExists)
  }

  /// Moves or copies the document to its place; returns false if the name is taken.
  private func put(
    _ name: FileName, as candidate: FileName, _ from: borrowing OwnedDescriptor,
    _ to: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Bool {
    if alwaysCopies { return try copy(name, as: candidate, from, to) }
    do {
      try disk.renameNoReplace(name, in: from, to: candidate, in: to)
    } catch {
      if error.code == .improperLink { return try copy(name, as: candidate, from, to) }
      if error.isTaken { return false }
      throw failure(error)
    }
    // Syncs the new name first: a power cut in between leaves both names, not none.
    try synchronize(to)
    try synchronize(from)
    return true
  }

  // MARK: To another file system

  private func copy(
    _ name: FileName, as candidate: FileName, _ from: borrowing OwnedDescriptor,
    _ to: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Bool {
    let siblings = HiddenSiblings(of: candidate, on: disk)
    let staged = siblings.name(.staged)
    try attempt { () throws(SystemError) in try siblings.cleanUp(in: to) }
    siblings.sweep(to)
    siblings.holdOffSweeps(in: to)
    defer { siblings.allowSweeps(in: to) }
    let known: TreeStatuses
    do throws(FilePackageError) {
      known = try attempt("copying it") { () throws(SystemError) in
        var copy = TreeCopy(on: disk)
        try copy.copy(name, in: from, to: staged, in: to)
        return copy.statuses
      }
      // (3)
      let isSame = try attempt("comparing the copy") { () throws(SystemError) in
        try disk.sameTree(name, in: from, as: staged, in: to) != nil
      }
      guard isSame else { throw failure(.changedOnDisk) }
      do throws(SystemError) {
        try disk.renameNoReplace(staged, in: to, to: candidate, in: to)
      } catch {
        guard error.isTaken else { throw failure(error) }
        _ = siblings.remove(staged, from: to)
        return false
      }
    } catch {
      // If this removal fails, the next save or move of that name removes the leftover.
      _ = siblings.remove(staged, from: to)
      throw error
    }
    try synchronize(to)
    try takeAway(name, known, in: from, copy: candidate, to)
    return true
  }

  /// Removes the document from its old place, if it is unchanged since the copy. (4)
  private func takeAway(
    _ name: FileName, _ known: TreeStatuses, in from: borrowing OwnedDescriptor, copy: FileName?,
    _ to: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let siblings = HiddenSiblings(of: name, on: disk)
    let hidden = siblings.name(.staged)
    // It is still the document, and has no lock.
    siblings.holdOffSweeps(in: from)
    defer { siblings.allowSweeps(in: from) }
    try attempt { () throws(SystemError) in
      try siblings.cleanUp(in: from)
      try disk.renameNoReplace(name, in: from, to: hidden, in: from)
    }
    let isKnown = try attempt { () throws(SystemError) in try known.isUnchanged(hidden, in: from, on: disk) }
    guard isKnown else {
      try putBack(hidden, as: name, in: from)
      if let copy {
        let gone = HiddenSiblings(of: copy, on: disk).name(.staged)
        try attempt { () throws(SystemError) in try disk.renameNoReplace(copy, in: to, to: gone, in: to) }
        _ = disk.removeEverything(gone, from: to)
        try synchronize(to)
      }
      throw failure(.changedOnDisk)
    }
    // After a power cut, the name must not lead to a document that is removed in part.
    try synchronize(from)
    // Files that cannot be removed have a hidden name; the next save or move of that name removes them.
    _ = disk.removeEverything(hidden, from: from)
    try synchronize(from)
  }

  private func putBack(
    _ hidden: FileName, as name: FileName, in from: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    for number in 1...10_000 {
      do throws(SystemError) {
        try disk.renameNoReplace(hidden, in: from, to: name.numbered(number), in: from)
        return try disk.synchronize(from)
      } catch {
        // Another program may have made a node of that name meanwhile.
        if !error.isTaken { throw failure(error, "putting it back from '\(hidden.display)'") }
      }
    }
  }

  // MARK: Two names of one node

  private func isSecondName(
    _ name: FileName, in from: borrowing OwnedDescriptor, of candidate: FileName,
    in to: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Bool {
    let folders = try attempt { () throws(SystemError) in
      try disk.status(of: from).identity.isSameNode(as: disk.status(of: to).identity)
    }
    return !folders || name != candidate
  }

  private func removeName(
    _ name: FileName, _ status: FileStatus, in from: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    // On an intact disk a directory never has two names.
    guard status.kind == .file else { return }
    try attempt { () throws(SystemError) in try disk.removeFile(name, in: from) }
    try synchronize(from)
  }

  // MARK: Errors with names

  private func open(_ path: FilePath) throws(FilePackageError) -> OwnedDescriptor {
    try attempt("opening the folder '\(FileName(path).display)'") { () throws(SystemError) in
      try disk.openDirectory(at: path)
    }
  }

  private func synchronize(_ folder: borrowing OwnedDescriptor) throws(FilePackageError) {
    do {
      try disk.synchronize(folder)
    } catch {
      throw failure(error, "synchronizing the folder")
    }
  }

  private func attempt<Result: ~Copyable>(
    _ activity: String? = nil, _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    do {
      return try body()
    } catch {
      throw failure(error, activity)
    }
  }

  private func failure(_ error: SystemError, _ activity: String? = nil) -> FilePackageError {
    FilePackageError(
      error, .move, StoredNode(location: Location(source, on: disk), path: .root), activity: activity)
  }

  private func failure(_ code: FilePackageError.Code, reason: String? = nil) -> FilePackageError {
    FilePackageError(code, .move, document: FileName(source).string, reason: reason)
  }
}

extension FileName {
  /// Returns `Name.ext`, `Name 2.ext`, `Name 3.ext`, …, shortened if the name would be too long.
  package func numbered(_ number: Int) -> FileName {
    let dot = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? bytes.count
    let ending = (number == 1 ? [] : Array(" \(number)".utf8)) + bytes[dot...]
    var base = bytes[..<dot]
    while base.count + ending.count > Self.maximumLength, !base.isEmpty {
      // Never cuts within a character.
      while base.removeLast() & 0xC0 == 0x80 && !base.isEmpty {}
    }
    return FileName(bytes: base + ending)
  }
}

extension SystemError {
  /// Whether the error says that the name is taken.
  fileprivate var isTaken: Bool { code == .fileExists || code == .directoryNotEmpty }
}

extension Disk {
  /// Renames to a name that must be free, even if the file system lacks such a rename.
  ///
  /// Without it, a directory can replace an empty directory at most, and a file gets its second name first.
  func renameNoReplace(
    _ name: FileName, in from: borrowing OwnedDescriptor, to newName: FileName,
    in to: borrowing OwnedDescriptor
  ) throws(SystemError) {
    do {
      return try rename(name, in: from, to: newName, in: to, .noReplace)
    } catch  where error.code == .invalidArgument {
      if try exists(newName, in: to) { throw SystemError("renameat2", newName, code: .fileExists) }
    }
    guard try status(of: name, in: from).kind == .file else {
      return try rename(name, in: from, to: newName, in: to, .replace)
    }
    try link(name, in: from, to: newName, in: to)
    try synchronize(to)
    try removeFile(name, in: from)
  }
}

extension Disk {
  /// Removes a document from a folder: it gets a hidden name, and the folder is synced, before any file is removed.
  package func removeDurably(_ name: FileName, from folder: borrowing OwnedDescriptor) throws(SystemError) {
    let siblings = HiddenSiblings(of: name, on: self)
    try siblings.cleanUp(in: folder)
    try renameNoReplace(name, in: folder, to: siblings.name(.staged), in: folder)
    try synchronize(folder)
    // Files that cannot be removed have a hidden name; the next save of that name removes them.
    _ = removeEverything(siblings.name(.staged), from: folder)
    try synchronize(folder)
  }
}
