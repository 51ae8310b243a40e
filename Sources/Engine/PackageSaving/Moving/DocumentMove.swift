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
package struct DocumentMove: ErrorNaming {
  let location: Location
  private let folder: FilePath
  /// Whether a move within a file system copies as well, for tests.
  package var alwaysCopies = false

  private var source: FilePath { location.path }
  private var disk: any Disk { location.disk }
  var operation: FilePackageError.Operation { .move }

  package init(_ source: FilePath, to folder: FilePath, on disk: any Disk) {
    (location, self.folder) = (Location(source, on: disk), folder)
  }

  /// Moves the document and returns its name in the folder, which differs from `preferred` if another document has that
  /// name.
  ///
  /// - Throws: `noSuchFile`. `wrongKind` for a node that is no document. `changedOnDisk` if another program wrote the
  ///   document during the copy, and then it stays in its place. Otherwise the system's error.
  package func move(as preferred: FileName) throws(FilePackageError) -> FileName {
    guard let name = source.lastComponent.map(FileName.init) else {
      throw failure(.wrongKind, .root, reason: "it has no name")
    }
    if let problem = preferred.problem, problem != .tooLong { throw failure(.invalidName, .root) }
    let old = NewPlace(name, in: try open(source.folder), on: disk)
    let to = try open(folder)
    let (status, stays) = try attempt(.root, "looking at it") {
      let folder = try disk.status(of: old.folder).identity
      return (
        try disk.status(of: name, in: old.folder),
        folder.isSameNode(as: try disk.status(of: to.descriptor).identity)
      )
    }
    guard status.kind == .directory || status.kind == .file else {
      throw failure(.wrongKind, .root, reason: "it is \(status.kind.words)")
    }
    // A name that is taken stays (M2).
    for number in 1...10_000 {
      let candidate = preferred.numbered(number)
      if stays && candidate == name { return name }
      if try put(old, at: NewPlace(candidate, in: to, on: disk)) { return candidate }
    }
    throw failure(.fileExists, .root)
  }

  /// Moves or copies the document to its place; returns false if the name is taken.
  private func put(_ old: NewPlace, at new: NewPlace) throws(FilePackageError) -> Bool {
    if alwaysCopies { return try copy(old, to: new) }
    do {
      try disk.renameNoReplace(old.name, in: old.folder, to: new.name, in: new.folder)
    } catch {
      if error.code == .improperLink { return try copy(old, to: new) }
      if error.isTaken { return false }
      throw FilePackageError(error, .move, node(.root))
    }
    try attempt(.root, "syncing the folder") {
      // The new name first: a power cut in between leaves both names, not none.
      try new.synchronize()
      try old.synchronize()
    }
    return true
  }

  private func open(_ path: FilePath) throws(FilePackageError) -> OpenNode {
    try attempt(.root, "opening the folder '\(FileName(path).display)'") { () throws(SystemError) in
      OpenNode(try disk.openDirectory(at: path))
    }
  }

  // MARK: To another file system

  private func copy(_ old: NewPlace, to new: NewPlace) throws(FilePackageError) -> Bool {
    let plan = try plan(of: source)
    do throws(FilePackageError) {
      // The copy is synced before it gets its name, and so is the name then (M3).
      var copy = StagedSave(
        plan, at: Location(folder.appending(new.name), on: disk), over: .absent, options: .moving)
      _ = try copy.commit()  // A move has no report.
    } catch {
      if error.code == .fileExists { return false }
      throw error
    }
    // For this moment the document is in both places (M1).
    try takeAway(old, plan.sources, copy: new)
    return true
  }

  /// Plans a copy of the whole document, with its hidden folder.
  private func plan(of path: FilePath) throws(FilePackageError) -> SavePlan {
    var plan: SavePlan
    do throws(FilePackageError) {
      let node = try StoredNode.look(at: path, following: false, on: disk)
      plan = try SavePlan(making: FileWrapper(node).snapshot(), original: node)
      plan.original = node
    } catch {
      throw error.during(.move)
    }
    if let child = plan.leftAlone.first {
      throw failure(.wrongKind, .root, reason: "'\(child.display)' is no file, folder or link")
    }
    return plan
  }

  /// Removes the document from its old place, if it is unchanged since the copy (M4).
  private func takeAway(
    _ old: NewPlace, _ known: [PackagePath: FileStatus], copy: NewPlace
  ) throws(FilePackageError) {
    // It is still the document, and has no lock.
    old.holdOffSweeps()
    defer { old.allowSweeps() }
    try attempt(.root) { try old.hide() }
    do throws(FilePackageError) {
      let now = try plan(of: source.folder.appending(old.staged)).sources
      let isSame = now.allSatisfy { known[$0]?.identity.hasSameContents(as: $1.identity) == true }
      guard isSame && now.count == known.count else { throw failure(.changedOnDisk, .root) }
      try attempt(.root, "syncing the folder") { try old.synchronize() }
    } catch {
      try putBack(old)
      try attempt(.root) { try copy.removeDocument() }
      throw error
    }
    // Files that cannot be removed have a hidden name; the next save or move of that name removes them.
    old.removeStaged()
    try attempt(.root, "syncing the folder") { try old.synchronize() }
  }

  private func putBack(_ old: NewPlace) throws(FilePackageError) {
    for number in 1...10_000 {
      do throws(SystemError) {
        try old.rename(old.staged, to: old.name.numbered(number), .noReplace)
        return try old.synchronize()
      } catch {
        // Another program may have made a node of that name meanwhile.
        if error.isTaken { continue }
        throw FilePackageError(
          error, .move, node(.root), activity: "moving it back from '\(old.staged.display)'")
      }
    }
  }
}

extension SavePlan {
  /// The statuses of the nodes that the plan copies, as it found them.
  fileprivate var sources: [PackagePath: FileStatus] {
    var sources: [PackagePath: FileStatus] = [:]
    sources[.root] = original?.status
    for step in steps {
      switch step.action {
      case .makeDirectory(let original): sources[step.path] = original?.status
      case .write(.stored(let source)), .reuse(let source): sources[step.path] = source.status
      case .link(let link): sources[step.path] = link.known
      case .write, .setAttributes, .remove, .writeMetadata: break
      }
    }
    return sources
  }
}

extension FileName {
  /// Returns `Name.ext`, `Name 2.ext`, `Name 3.ext`, …, shortened if the name would be too long.
  package func numbered(_ number: Int) -> FileName { inserting(number == 1 ? "" : " \(number)") }

  /// Returns the name with a text before its extension, shortened if the name would be too long.
  package func inserting(_ text: String) -> FileName {
    let dot = bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? bytes.count
    let ending = Array(text.utf8) + bytes[dot...]
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
