package import DurableIO
import FileTrees
package import PackageFormat
package import SystemPackage

// M1 At any instant, and after a power cut, the document is whole in one of the two places. It is in both only after an
//    interrupted move to another file system.
// M2 A move replaces nothing: if a name is taken, the document gets another name.
// M3 A copy is synced before it gets its name. The name is synced before the move removes anything from the source.
// M4 The move removes the source only if it is unchanged since the copy. Otherwise it puts the source back and removes
//    the copy.

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
  /// - Throws: `noSuchFile`. `wrongKind` for a node that is no document. `changedOnDisk` if another program wrote the
  ///   document during the copy, and then it stays in its place. Otherwise the system's error.
  package func move(as preferred: FileName) throws(FilePackageError) -> FileName {
    guard let name = source.lastComponent.map(FileName.init) else {
      throw failure(.wrongKind, reason: "it has no name")
    }
    if let problem = preferred.problem, problem != .tooLong { throw failure(.invalidName) }
    let old = StagingLocation(name, in: try open(source.folder), on: disk)
    let to = try open(folder)
    let (status, stays) = try attempt("looking at it") { () throws(SystemError) in
      let folder = try disk.status(of: old.folder).identity
      return (
        try disk.status(of: name, in: old.folder),
        folder.isSameNode(as: try disk.status(of: to.descriptor).identity)
      )
    }
    guard status.kind == .directory || status.kind == .file else {
      throw failure(.wrongKind, reason: "it is \(status.kind.words)")
    }
    // A name that is taken stays (M2).
    for number in 1...10_000 {
      let candidate = preferred.numbered(number)
      if stays && candidate == name { return name }
      if try put(old, at: StagingLocation(candidate, in: to, on: disk)) { return candidate }
    }
    throw failure(.fileExists)
  }

  /// Moves or copies the document to its place; returns false if the name is taken.
  private func put(_ old: StagingLocation, at new: StagingLocation) throws(FilePackageError) -> Bool {
    if alwaysCopies { return try copy(old, to: new) }
    do {
      try disk.renameNoReplace(old.name, in: old.folder, to: new.name, in: new.folder)
    } catch {
      if error.code == .improperLink { return try copy(old, to: new) }
      if error.isTaken { return false }
      throw failure(error)
    }
    // Syncs the new name first: a power cut in between leaves both names, not none.
    try synchronize(new.folder)
    try synchronize(old.folder)
    return true
  }

  // MARK: To another file system

  private func copy(_ old: StagingLocation, to new: StagingLocation) throws(FilePackageError) -> Bool {
    let known = try attempt { () throws(SystemError) in
      try TreeStatuses(old.name, in: old.folder, on: disk)
    }
    do throws(FilePackageError) {
      // The copy is synced before it gets its name, and so is the name then (M3).
      var copy = StagedSave(
        try plan(), at: Location(folder.appending(new.name), on: disk), over: .absent, options: .moving)
      _ = try copy.commit()  // A move has no report.
    } catch {
      if error.code == .fileExists { return false }
      throw error
    }
    // For this moment the document is in both places (M1).
    try takeAway(old, known, copy: new)
    return true
  }

  /// Plans a copy of the whole document, with its hidden folder.
  private func plan() throws(FilePackageError) -> SavePlan {
    var plan: SavePlan
    do throws(FilePackageError) {
      let node = try StoredNode.look(at: source, following: false, on: disk)
      let tree = FileWrapper(state: FileWrapper.State(node, name: FileName(source)))
      plan = try SavePlan(making: tree.snapshot(), original: node)
      plan.original = node
    } catch {
      throw error.during(.move)
    }
    if let child = plan.leftAlone.first {
      throw failure(.wrongKind, reason: "'\(child.display)' is no file, folder or link")
    }
    return plan
  }

  /// Removes the document from its old place, if it is unchanged since the copy (M4).
  private func takeAway(
    _ old: StagingLocation, _ known: TreeStatuses, copy: StagingLocation
  ) throws(FilePackageError) {
    // It is still the document, and has no lock.
    old.holdOffSweeps()
    defer { old.allowSweeps() }
    try attempt { () throws(SystemError) in try old.hide() }
    do throws(FilePackageError) {
      let now = try attempt { () throws(SystemError) in
        try TreeStatuses(old.staged, in: old.folder, on: disk)
      }
      guard now.hasSameContents(as: known) else { throw failure(.changedOnDisk) }
      try synchronize(old.folder)
    } catch {
      try putBack(old)
      try attempt { () throws(SystemError) in try copy.renameNoReplace(copy.name, to: copy.staged) }
      copy.removeStaged()
      try synchronize(copy.folder)
      throw error
    }
    old.removeStaged()
    try synchronize(old.folder)
  }

  private func putBack(_ old: StagingLocation) throws(FilePackageError) {
    for number in 1...10_000 {
      do throws(SystemError) {
        try old.renameNoReplace(old.staged, to: old.name.numbered(number))
        return try old.synchronize()
      } catch {
        // Another program may have made a node of that name meanwhile.
        if !error.isTaken { throw failure(error, "moving it back from '\(old.staged.display)'") }
      }
    }
  }

  // MARK: Errors with names

  private func open(_ path: FilePath) throws(FilePackageError) -> OpenNode {
    try attempt("opening the folder '\(FileName(path).display)'") { () throws(SystemError) in
      OpenNode(try disk.openDirectory(at: path))
    }
  }

  private func synchronize(_ folder: borrowing OwnedDescriptor) throws(FilePackageError) {
    do {
      try disk.synchronize(folder)
    } catch {
      throw failure(error, "syncing the folder")
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

extension StagingLocation {
  /// Removes a document: it gets its hidden name, and the folder is synced, before any file is removed.
  package func removeDocument() throws(SystemError) {
    try hide()
    try removeHidden()
  }

  /// Gives a document its hidden name, until `removeHidden()` or `reveal()`.
  package func hide() throws(SystemError) {
    try cleanUp()
    try renameNoReplace(name, to: staged)
  }

  /// Gives a document its name back.
  package func reveal() throws(SystemError) { try renameNoReplace(staged, to: name) }

  /// Removes a document under its hidden name, after that name is durable. If it cannot be made durable, the document
  /// gets its name back.
  package func removeHidden() throws(SystemError) {
    do throws(SystemError) {
      // After a power cut, the name must not lead to a document that is removed in part.
      try synchronize()
    } catch {
      try reveal()
      throw error
    }
    // Files that cannot be removed have a hidden name; the next save or move of that name removes them.
    removeStaged()
    try synchronize()
  }

  fileprivate func renameNoReplace(_ old: FileName, to new: FileName) throws(SystemError) {
    try disk.renameNoReplace(old, in: opened.descriptor, to: new, in: opened.descriptor)
  }
}
