import DurableIO
import FoundationEssentials
import SystemPackage

// (1) A name leads to a new file only after that file is synchronised, so that programs that know nothing of us
//     find the old one or the new one, whole, also after a power cut.
// (2) What comes out of an exchange is what the save was made over; anything else is somebody's later edit and is
//     kept as a conflict version.
// (3) Every step may have been taken already, by this process or by one that was cut short.
// (4) What the save puts into the package stays in the journal until all touched folders are synchronised.
// (5) In recovery nothing is touched before it is known that every step can be taken.
// (6) Of a node that is neither the old nor the new one, and of which nothing says that it came before the new
//     one was published, is assumed that it came later: it stays.

/// Brings what a record says to the names where it belongs.
///
/// Cost: a rename for each operation, a synchronisation for each staged file that has none yet and for each folder
/// that is touched. Nothing else in the package is looked at.
struct Publisher {
  let record: JournalRecord
  /// The package.
  let root: OpenNode
  /// The folder for staged files.
  let staging: OpenNode
  let location: Location
  let disk: any Disk
  /// Whether the record was found rather than just written: then nothing about the staged files is taken for
  /// granted.
  let isRecovery: Bool
  /// Whether the journal was written for this very directory, so that numbers of files mean something.
  var isBound = true

  /// Children at whose places somebody else wrote meanwhile; both contents are kept.
  private(set) var conflicts: [String] = []
  /// Ways of the file system that had to be gone around.
  private(set) var fallbacks: Set<String> = []
  /// The staged files that were lost or given up and written anew from the record.
  private var rewritten: Set<FileName> = []
  /// The first version that is kept makes a folder for all of them.
  private var conflictFolder: PackagePath?
  /// Set where theirs has to be kept: then the folders on its way have to last, too.
  private var keptFolders: [OpenNode] = []

  init(
    _ record: JournalRecord, root: OpenNode, staging: OpenNode, at location: Location, on disk: any Disk,
    isRecovery: Bool
  ) {
    self.record = record
    self.root = root
    self.staging = staging
    self.location = location
    self.disk = disk
    self.isRecovery = isRecovery
  }

  mutating func publish() throws(FilePackageError) {
    if isRecovery { try checkAll() }
    try synchronizeStaged()
    // What comes first and what goes afterwards: a file that moves has two names meanwhile, never none.
    let groups = Dictionary(grouping: record.operations, by: \.path.parent).sorted { $0.key < $1.key }
    for (folder, operations) in groups {
      let puts = operations.filter { if case .put = $0.action { true } else { false } }
      let removes = operations.contains { if case .remove = $0.action { true } else { false } }
      if !puts.isEmpty { try change(puts, in: folder, synchronizing: !removes) }
    }
    for (folder, operations) in groups {
      let removes = operations.filter { if case .remove = $0.action { true } else { false } }
      if !removes.isEmpty { try change(removes, in: folder, synchronizing: true) }
    }
    for operation in record.operations {
      if case .setAttributes(let mode, let modified) = operation.action {
        try setAttributes(mode, modified, of: operation.path)
      }
    }
    for folder in keptFolders {
      try attempt(.root, "keeping what another program wrote") { () throws(SystemError) in
        try disk.synchronize(folder.descriptor)
      }
    }
  }

  /// Removes what the operations left among the staged files. What cannot be removed now is removed by the next
  /// session.
  func removeLeftovers() {
    for operation in record.operations {
      switch operation.action {
      case .put(let staged):
        let isFolder = operation.old?.kind == .directory || staged.node.kind == .directory
        removeLeftover(staged.name, isFolder: isFolder)
        if rewritten.contains(staged.name) { removeLeftover(staged.name.rewritten, isFolder: isFolder) }
      case .remove(let name): removeLeftover(name, isFolder: operation.old?.kind == .directory)
      case .setAttributes: break
      }
    }
  }

  private func removeLeftover(_ name: FileName, isFolder: Bool) {
    if isFolder {
      _ = disk.removeEverything(name, from: staging.descriptor)
    } else {
      try? disk.removeFile(name, in: staging.descriptor)
    }
  }

  // MARK: The staged files

  /// (1)
  private func synchronizeStaged() throws(FilePackageError) {
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
  private func synchronize(
    _ files: ArraySlice<(path: PackagePath, name: FileName)>
  ) throws(FilePackageError) {
    var open: [(name: FileName, file: OpenNode)] = []
    for (path, name) in files {
      do {
        // It is at its place already where publishing was tried before.
        guard try disk.exists(name, in: staging.descriptor) else { continue }
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
        guard (try? disk.removeFile(name, in: staging.descriptor)) != nil else {
          throw FilePackageError(error, .save, node(.root), activity: "synchronizing")
        }
      }
    }
  }

  /// What there is among the staged files of what an operation puts.
  private enum Ready {
    case asStaged
    /// To be written again from the record.
    case fromRecord
    case no(String)
  }

  private func readiness(_ staged: JournalRecord.Staged, _ status: FileStatus?) throws(SystemError) -> Ready {
    if let status, isWhole(staged, status),
      try isContent(staged, status, staged.name, in: staging.descriptor)
    {
      return .asStaged
    }
    if staged.bytes != nil { return .fromRecord }
    return .no(status == nil ? "its staged file is missing" : "its staged file is damaged")
  }

  /// Whether a staged file has its mode and date, of which a power cut may leave it without.
  private func isWhole(_ staged: JournalRecord.Staged, _ status: FileStatus) -> Bool {
    !isRecovery || staged.node.kind == .directory || staged.hasAttributes(of: status)
  }

  /// Makes sure that what is to be put is there and lasts; returns its name.
  private mutating func prepare(
    _ staged: JournalRecord.Staged, at path: PackagePath
  ) throws(FilePackageError) -> FileName {
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

  private mutating func write(_ staged: JournalRecord.Staged) throws(SystemError) -> FileName {
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

  // MARK: Telling which is which

  /// Whether a node is the one that the record puts.
  private func isContent(
    _ staged: JournalRecord.Staged, _ status: FileStatus, _ name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    let known = staged.node
    guard status.kind == known.kind else { return false }
    let isSameNode = isBound && status.identity.inode == known.inode
    if known.kind == .directory { return isSameNode }
    // What was just written is known by its number; what is found has to prove itself.
    if !isRecovery && known.isSame(as: status) { return true }
    if !isRecovery && rewritten.isEmpty { return false }
    // The same bytes under another mode or date are what was there before only those were changed.
    if isBound && !isSameNode && !staged.hasAttributes(of: status) { return false }
    guard status.kind == .symbolicLink || status.size == known.size else { return false }
    guard let content = known.content else { return isBound && known.isSame(as: status) }
    return try disk.contentHash(of: name, status.kind, in: folder) == content
  }

  /// Whether a node is the one that the save was made over.
  private func isOld(
    _ old: JournalRecord.Known?, _ status: FileStatus, _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> Bool {
    guard let old, old.kind == status.kind else { return false }
    if isBound && old.isSame(as: status) { return true }
    guard isRecovery, let content = old.content, old.kind != .directory else { return false }
    guard status.kind == .symbolicLink || status.size == old.size else { return false }
    return try disk.contentHash(of: name, status.kind, in: folder) == content
  }

  // MARK: Looking before anything is touched (5)

  /// The operations that have not been carried out yet, without carrying out any.
  func outstanding() throws(FilePackageError) -> [JournalRecord.Operation] {
    try checkAll()
  }

  @discardableResult
  private func checkAll() throws(FilePackageError) -> [JournalRecord.Operation] {
    var outstanding: [JournalRecord.Operation] = []
    for operation in record.operations {
      do {
        if try check(operation) { outstanding.append(operation) }
      } catch let error as SystemError {
        throw FilePackageError(error, .save, node(operation.path), activity: "looking at")
      } catch {
        throw error as? FilePackageError ?? failure(.inputOutput, operation.path, nil)
      }
    }
    return outstanding
  }

  /// Whether an operation is still to be carried out.
  private func check(_ operation: JournalRecord.Operation) throws -> Bool {
    guard let name = operation.path.name, let parent = try open(operation.path.parent) else { return false }
    let target = try disk.statusIfPresent(of: name, in: parent.descriptor)
    guard case .put(let staged) = operation.action else {
      guard case .remove = operation.action, let target else { return false }
      let isOld = try isOld(operation.old, target, name, in: parent.descriptor)
      if !isBound && !isOld { throw notOurs(operation.path) }
      return isOld
    }
    if let target, try isContent(staged, target, name, in: parent.descriptor) { return false }
    let waiting = try disk.statusIfPresent(of: staged.name, in: staging.descriptor)
    let isToCome: Bool
    if let target {
      isToCome = try isOld(operation.old, target, name, in: parent.descriptor)
      if !isBound && !isToCome { throw notOurs(operation.path) }
    } else {
      isToCome = true
    }
    if isToCome, case .no(let reason) = try readiness(staged, waiting) {
      throw failure(.journalDamaged, operation.path, reason)
    }
    return isToCome
  }

  private func notOurs(_ path: PackagePath) -> FilePackageError {
    failure(
      .journalDamaged, path,
      "it holds a save of another copy of the document, which this child was not part of")
  }

  // MARK: Changing names

  private mutating func change(
    _ operations: [JournalRecord.Operation], in path: PackagePath, synchronizing: Bool
  ) throws(FilePackageError) {
    let folder: OpenNode?
    do {
      folder = try open(path)
    } catch {
      throw FilePackageError(error, .save, node(path), activity: "opening")
    }
    guard let folder else {
      // Somebody moved the folder away: what was to come into it is kept beside.
      for operation in operations { try keepOurs(operation) }
      return
    }
    for operation in operations {
      switch operation.action {
      case .put(let staged): try put(staged, operation, in: folder.descriptor)
      case .remove(let name): try remove(operation, as: name, in: folder.descriptor)
      case .setAttributes: break
      }
    }
    if synchronizing {
      try attempt(path, "synchronizing the folder") { () throws(SystemError) in
        try disk.synchronize(folder.descriptor)
      }
    }
  }

  /// A folder of the package; nil when it is not there any more.
  private func open(_ path: PackagePath) throws(SystemError) -> OpenNode? {
    do {
      guard let first = path.names.first else {
        return root
      }
      var directory = try disk.openDirectory(first, in: root.descriptor)
      for name in path.names.dropFirst() { directory = try disk.openDirectory(name, in: directory) }
      return OpenNode(directory)
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels: return nil
      default: throw error
      }
    }
  }

  /// What stands at the place of something that is to be put there.
  private enum Standing {
    case nothing
    /// What is to be put.
    case new
    /// What the save was made over, or what somebody made of it before the save was published.
    case replaceable
    /// What somebody wrote after the save was published.
    case later
    /// What somebody wrote, nobody can tell when.
    case other
  }

  private func standing(
    at name: FileName, in folder: borrowing OwnedDescriptor, _ staged: JournalRecord.Staged,
    over old: JournalRecord.Known?
  ) throws(SystemError) -> Standing {
    guard let target = try disk.statusIfPresent(of: name, in: folder) else { return .nothing }
    if try isContent(staged, target, name, in: folder) { return .new }
    if try isOld(old, target, name, in: folder) { return .replaceable }
    guard let waiting = try disk.statusIfPresent(of: staged.name, in: staging.descriptor) else {
      return .other
    }
    if isBound && waiting.identity.inode == staged.node.inode { return .replaceable }
    if try isContent(staged, waiting, staged.name, in: staging.descriptor) { return .replaceable }
    return try isOld(old, waiting, staged.name, in: staging.descriptor) ? .later : .other
  }

  private mutating func put(
    _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = operation.path.name else { return }
    let standing: Standing
    do {
      standing = try self.standing(at: name, in: folder, staged, over: operation.old)
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "looking at")
    }
    switch standing {
    // (3) (6)
    case .new: return try keepWhatCameOut(staged, operation, isPublished: true)
    case .later: return
    case .other: return try keepOurs(operation)
    case .nothing, .replaceable: try keepWhatCameOut(staged, operation, isPublished: false)
    }
    let source = try prepare(staged, at: operation.path)
    do {
      if case .nothing = standing {
        try place(source, as: name, in: folder, over: operation.old)
      } else {
        try exchange(source, name, in: folder, over: operation.old)
      }
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "publishing")
    }
    try keepIfTheirs(source, staged, operation)
  }

  /// Whoever was cut short after an exchange may not have looked at what came out of it.
  private mutating func keepWhatCameOut(
    _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation, isPublished: Bool
  ) throws(FilePackageError) {
    guard isRecovery && isBound else { return }
    let names = [staged.name, staged.name.rewritten]
    for name in names.map(\.movedAway) + (isPublished ? names : []) {
      try keepIfTheirs(name, staged, operation)
    }
  }

  /// (2)
  private mutating func keepIfTheirs(
    _ source: FileName, _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation
  ) throws(FilePackageError) {
    do {
      guard let now = try disk.statusIfPresent(of: source, in: staging.descriptor) else { return }
      if try isOld(operation.old, now, source, in: staging.descriptor) {
        if try isUntouched(operation.old, source) { return }
      } else {
        // Where both names led to one node, as a file system may leave them, nothing came out; and a staged file
        // that a power cut has torn is still ours.
        if isBound && now.identity.inode == staged.node.inode { return }
        if try isContent(staged, now, source, in: staging.descriptor) { return }
      }
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "looking at what was replaced at")
    }
    try keep(source, of: operation.path)
  }

  /// Whether nobody changed anything in a folder, now among the staged files, since the save was made over it.
  private func isUntouched(
    _ old: JournalRecord.Known?, _ name: FileName
  ) throws(SystemError) -> Bool {
    guard let old, old.kind == .directory, let content = old.content else { return true }
    return try disk.folderHash(of: name, in: staging.descriptor) == content
  }

  /// Gives a staged file a name that nothing has; where something has it by now, the two change places.
  private mutating func place(
    _ source: FileName, as name: FileName, in folder: borrowing OwnedDescriptor,
    over old: JournalRecord.Known?
  ) throws(SystemError) {
    do {
      try disk.rename(source, in: staging.descriptor, to: name, in: folder, .keep)
    } catch {
      if error.code == .fileExists { return try exchange(source, name, in: folder, over: old) }
      guard error.isLackOfRule else { throw error }
      fallbacks.insert("no renaming without replacing")
      if try disk.exists(name, in: folder) { return try exchange(source, name, in: folder, over: old) }
      try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
    }
  }

  private mutating func exchange(
    _ source: FileName, _ name: FileName, in folder: borrowing OwnedDescriptor,
    over old: JournalRecord.Known?
  ) throws(SystemError) {
    do {
      try disk.rename(source, in: staging.descriptor, to: name, in: folder, .exchange)
    } catch {
      if error.code == .noSuchFileOrDirectory {
        // What was to be replaced has just gone.
        return try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
      }
      guard error.isLackOfRule else { throw error }
      fallbacks.insert("no exchanging")
      let target = try disk.status(of: name, in: folder)
      let isFolder = try disk.status(of: source, in: staging.descriptor).kind == .directory
      let isOld = try isOld(old, target, name, in: folder)
      if isFolder || target.kind == .directory || !isOld {
        // What somebody wrote must not go, and a file and a folder cannot replace each other in one step here.
        _ = disk.removeEverything(source.movedAway, from: staging.descriptor)
        try disk.rename(name, in: folder, to: source.movedAway, in: staging.descriptor, .replace)
        try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
        try disk.rename(
          source.movedAway, in: staging.descriptor, to: source, in: staging.descriptor, .replace)
      } else {
        try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
      }
    }
  }

  private mutating func remove(
    _ operation: JournalRecord.Operation, as staged: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = operation.path.name else { return }
    do {
      if let target = try disk.statusIfPresent(of: name, in: folder) {
        if try isOld(operation.old, target, name, in: folder) {
          try disk.rename(name, in: folder, to: staged, in: staging.descriptor, .replace)
        } else if try !disk.exists(staged, in: staging.descriptor) {
          // (6) Somebody wrote it after the save was made; where what was to go has gone already, that is no
          // conflict.
          conflicts.append(operation.path.string)
        }
      }
      // (2) (3)
      guard let gone = try disk.statusIfPresent(of: staged, in: staging.descriptor) else { return }
      let isOld = try isOld(operation.old, gone, staged, in: staging.descriptor)
      if isOld, try isUntouched(operation.old, staged) { return }
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "removing")
    }
    try keep(staged, of: operation.path)
  }

  private func setAttributes(
    _ mode: UInt16?, _ modified: FileTime?, of path: PackagePath
  ) throws(FilePackageError) {
    try attempt(path, "setting the attributes of the folder") { () throws(SystemError) in
      guard let folder = try open(path) else { return }
      if let mode { try disk.setMode(mode, of: folder.descriptor) }
      if let modified { try disk.setModified(modified, of: folder.descriptor) }
      try disk.synchronize(folder.descriptor)
    }
  }

  // MARK: Keeping both

  /// What was to be put somewhere stays as a conflict version, since something else stands there by now.
  private mutating func keepOurs(_ operation: JournalRecord.Operation) throws(FilePackageError) {
    guard case .put(let staged) = operation.action else { return }
    let isLost: Bool
    do {
      let status = try disk.statusIfPresent(of: staged.name, in: staging.descriptor)
      isLost = if case .no = try readiness(staged, status) { true } else { false }
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "looking at")
    }
    // A staged file is lost only once it was published.
    if isLost { return }
    try keep(try prepare(staged, at: operation.path), of: operation.path)
  }

  /// Moves a staged node to the conflict versions, under the path that it has or had in the package.
  private mutating func keep(_ source: FileName, of path: PackagePath) throws(FilePackageError) {
    let top = conflictFolder ?? PackagePath([PackageLayout.conflicts, FileName(UUID().uuidString)])
    conflictFolder = top
    do {
      guard let name = path.name else { return }
      var folder = root
      for name in [PackageLayout.hidden] + top.names + path.parent.names {
        _ = try disk.makeDirectoryIfAbsent(name, in: folder.descriptor)
        keptFolders.append(folder)
        folder = OpenNode(try disk.openDirectory(name, in: folder.descriptor))
      }
      keptFolders.append(folder)
      try disk.rename(source, in: staging.descriptor, to: name, in: folder.descriptor, .replace)
    } catch {
      throw FilePackageError(
        error, .save, node(path), activity: "keeping what another program wrote")
    }
    conflicts.append(path.string)
  }

  // MARK: Naming what failed

  private func node(_ path: PackagePath) -> StoredNode {
    StoredNode(location: location, path: path)
  }

  private func failure(
    _ code: FilePackageError.Code, _ path: PackagePath, _ reason: String?
  ) -> FilePackageError {
    FilePackageError(code, .save, node(path), reason: reason)
  }

  private func attempt<Result: ~Copyable>(
    _ path: PackagePath, _ activity: String, _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    do {
      return try body()
    } catch {
      throw FilePackageError(error, .save, node(path), activity: activity)
    }
  }
}

extension JournalRecord.Staged {
  /// Set-user-ID and set-group-ID.
  fileprivate static let rights: UInt16 = 0o6000

  /// Whether a node has the mode and the date that this is to have.
  fileprivate func hasAttributes(of status: FileStatus) -> Bool {
    let isMode = mode & ~Self.rights == status.mode & ~Self.rights
    return (isMode || status.kind == .symbolicLink) && node.modified == status.modified
  }
}

extension FileName {
  /// The name of a staged file that is written again from the record.
  fileprivate var rewritten: FileName { FileName(bytes: bytes + Array("+".utf8)) }
  /// The name for what stood at a place while that is neither the old nor the new one's.
  fileprivate var movedAway: FileName { FileName(bytes: bytes + Array("-".utf8)) }
}
