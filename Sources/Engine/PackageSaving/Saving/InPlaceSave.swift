import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// JS1 Before the record is committed, nothing under a visible name changes.
// JS2 Files whose bytes the record holds are made only when it is published. If the disk is nearly full, they are made
//     before the commit.
// JS3 Files and folders that the record does not hold are made and synced before the record is written.

/// A save in place: one record in the journal commits it, however many children changed.
///
/// Cost until the commit: the bytes of the changed children and one flush; each large child and each new folder adds a
/// flush. No file is made for a small child. The save does not look at children that did not change.
struct InPlaceSave {
  /// The largest file that the record holds.
  static let recordedFileSize: UInt64 = 1 << 20
  /// The largest sum of such files in one save.
  static let recordedSize: UInt64 = 4 << 20
  /// With less room than this beyond the bytes of the children, it is uncertain whether they fit. File systems reserve
  /// some room, and folders grow.
  private static let spareRoom: UInt64 = 16 << 20
  private static let spareFiles: UInt64 = 1000

  var children: NewChildren
  let session: PackageSession
  let top: [SavePlan.Step]
  /// The names among the staged files for the new parts of the steps.
  let names: [PackagePath: FileName]
  /// The files and links whose bytes the record holds, so that the save does not make them.
  private let held: Set<PackagePath>
  /// The mode that every new file gets; nil if the file system has modes, or if that does not matter yet.
  var fixedMode: UInt16?
  var record = JournalRecord()
  /// The content hashes of the folders that the save replaces or removes.
  private var folders: [PackagePath: ContentHash] = [:]

  init(
    _ plan: SavePlan, in session: PackageSession, options: StagedSave.Options, metadata: MetadataDraft?,
    keepsVersion: Bool = false
  ) throws(FilePackageError) {
    self.session = session
    session.beginSave()
    var plan = plan
    var top: [SavePlan.Step] = []
    var held: Set<PackagePath> = []
    var names: [PackagePath: FileName] = [:]
    var room = Self.recordedSize
    for (index, step) in plan.steps.enumerated() {
      // The content of a new folder comes with it.
      if let last = top.last, case .makeDirectory = last.action, step.path.isWithin(last.path) { continue }
      switch step.action {
      case .write(let contents):
        if let size = contents.size, size <= min(Self.recordedFileSize, room) {
          room -= size
          held.insert(step.path)
          plan.steps[index].action = .write(try contents.inMemory(for: step.path, options.operation))
        }
      case .link, .writeMetadata: held.insert(step.path)
      default: break
      }
      top.append(plan.steps[index])
      names[step.path] = session.stagedName(index)
    }
    (self.top, self.names, self.held) = (top, names, held)
    children = NewChildren(
      plan, at: session.hidden.location, on: session.disk, options: options, metadata: metadata,
      strategy: .journal, known: session.manifest.value, hashes: true)
    children.folders.hold(session.hidden.root, at: .root)
    children.seen = session.seen
    if keepsVersion && metadata != nil {
      names[PackagePath([PackageLayout.metadata])] = nil
      children.keeping = NewChildren.VersionNotes(names: names)
    }
  }

  /// Replaces the whole manifest by rows for these children.
  mutating func replaceManifest(by rows: [ManifestRow]) {
    children.batch = ManifestBatch()
    children.batch.isWhole = true
    for row in rows { children.batch.add(row) }
  }

  /// Accounts for the changes that a synchronising program brought.
  mutating func account(for merge: VersionMerge) {
    if let rows = merge.recounted { replaceManifest(by: rows) }
    children.account(for: merge)
  }

  /// Accounts for the changes of other programs that this program has read.
  mutating func takeOverReadFiles(unless isInConflict: () -> Bool) {
    children.takeOverReadFiles(unless: isInConflict)
  }

  /// Accounts for children that count as right in their present state.
  ///
  /// - Parameter rows: the same children in the version before, which are lost there.
  mutating func accept(_ rows: [VersionRecord.Row]) { children.keepAccepted(rows) }

  /// Checks that the save can be carried out, makes everything new, and completes the record.
  ///
  /// Nothing under a visible name changes (JS1).
  ///
  /// - Throws: the system's reason. The document on disk is then unchanged, and nothing is left.
  mutating func prepare() throws(FilePackageError) {
    try lookIntoFolders()
    try children.checkSteps(beneath: session.hidden.root.descriptor)
    do {
      try checkPlaces()
      try checkNames()
      // The children that the record does not hold (JS3).
      let (made, entries) = try makeChildren()
      try makeRecord(made, entries)
      if try isRoomScarce() { try session.stage(&record) }
      try children.checkCancellation()
    } catch {
      removeStaged()
      throw error
    }
    let root = children.plan.rootAttributes
    if root != nil { children.report.written.append(".") }
    children.report.leftAlone = children.plan.leftAlone.map(\.string).sorted()
    children.report.generation = children.madeMetadata?.metadata.generation
    children.report.written.sort()
    children.report.removed.sort()
  }

  /// Removes everything that the save has made.
  func removeStaged() {
    for name in names.values {
      session.disk.removeEverything(name, from: session.hidden.staging.descriptor)
    }
  }

  /// Hashes the folders that the save replaces or removes.
  ///
  /// The check of the steps finds earlier edits in such a folder, as far as it can. A later edit makes it another
  /// folder than the one in the record.
  private mutating func lookIntoFolders() throws(FilePackageError) {
    for step in top {
      guard step.replaced?.status?.kind == .directory, let name = step.path.name else { continue }
      if case .setAttributes = step.action { continue }
      do {
        let parent = try session.hidden.location.openDirectory(step.path.parent, on: children.disk)
        folders[step.path] = try session.disk.folderHash(of: name, in: parent)
      } catch {
        // The check of the steps finds folders that are gone.
        if error.code == .noSuchFileOrDirectory || error.code == .notDirectory { continue }
        throw FilePackageError(error, .save, children.node(step.path), activity: "searching")
      }
    }
  }

  // MARK: The record

  /// Makes the children that the record does not hold, and the entries of those that it holds.
  private mutating func makeChildren() throws(FilePackageError) -> (
    made: [PackagePath: NewChildren.Made], entries: [PackagePath: JournalRecord.Staged]
  ) {
    let staging = session.hidden.staging
    let named = top.compactMap { step in names[step.path].map { (step: step, name: $0) } }
    var made = try children.reuse(named, in: staging.descriptor)
    var entries: [PackagePath: JournalRecord.Staged] = [:]
    var metadata: (step: SavePlan.Step, name: FileName)?
    for (step, name) in named {
      if case .reuse = step.action { continue }
      if case .writeMetadata = step.action {
        metadata = (step, name)
      } else if held.contains(step.path) {
        try children.checkCancellation()
        entries[step.path] = try hold(step, as: name)
      } else {
        made[step.path] = try children.make(step, as: name, in: staging.descriptor)
      }
    }
    // The metadata depends on all other steps, those in the folders included.
    if let (step, name) = metadata, let bytes = try children.completeMetadata(step) {
      entries[step.path] = entry(bytes, .file, step, name)
    }
    return (made, entries)
  }

  private mutating func makeRecord(
    _ made: [PackagePath: NewChildren.Made], _ entries: [PackagePath: JournalRecord.Staged]
  ) throws(FilePackageError) {
    for step in top {
      guard let name = names[step.path] else { continue }
      let old = children.replaced[step.path].map {
        JournalRecord.Known(
          $0, content: $0.kind == .directory ? folders[step.path] : children.oldChildren[step.path]?.content)
      }
      let action: JournalRecord.Action
      switch step.action {
      case .remove: action = .remove(name)
      case .setAttributes:
        action = .setAttributes(
          mode: step.attributes.modeIsExact ? step.attributes.mode : nil, modified: step.attributes.modified)
        children.report.written.append(step.path.string)
      default:
        if let entry = entries[step.path] {
          action = .put(entry)
        } else {
          action = .put(try staged(step, name, made[step.path]))
        }
      }
      record.operations.append(JournalRecord.Operation(path: step.path, action: action, old: old))
    }
    if let attributes = children.plan.rootAttributes {
      record.operations.append(
        JournalRecord.Operation(
          path: .root,
          action: .setAttributes(
            mode: attributes.modeIsExact ? attributes.mode : nil, modified: attributes.modified)))
    }
    if children.madeMetadata != nil { record.batch = children.batch }
    record.version = children.version(over: session.hidden.packageStatus)
  }

  private func staged(
    _ step: SavePlan.Step, _ name: FileName, _ made: NewChildren.Made?
  ) throws(FilePackageError) -> JournalRecord.Staged {
    let status: FileStatus
    do {
      if let known = made?.status {
        status = known
      } else {
        status = try session.disk.status(of: name, in: session.hidden.staging.descriptor)
      }
    } catch {
      throw FilePackageError(error, .save, children.node(step.path), activity: "checking the written file")
    }
    return JournalRecord.Staged(
      name: name,
      node: JournalRecord.Known(status, content: made?.content),
      mode: status.mode)
  }

  /// Returns whether the files that the record holds should be made before the commit (JS2).
  ///
  /// If a quota ends unforeseen, the save is committed all the same, and published once there is room.
  private func isRoomScarce() throws(FilePackageError) -> Bool {
    let sizes = record.operations.compactMap { $0.bytes?.count }
    if sizes.isEmpty { return false }
    do {
      let room = try session.disk.room(of: session.hidden.staging.descriptor)
      let bytes = sizes.reduce(Self.spareRoom) { $0 + room.allocation(UInt64($1)) }
      return room.bytes.map { $0 < bytes } ?? false
        || room.files.map { $0 < Self.spareFiles + UInt64(sizes.count) } ?? false
    } catch {
      throw FilePackageError(
        error, .save, children.node(.root), activity: "reserving space on the disk for")
    }
  }
}

extension FileContents {
  /// Returns the same bytes, in memory.
  fileprivate func inMemory(
    for path: PackagePath, _ operation: FilePackageError.Operation
  ) throws(FilePackageError) -> FileContents {
    do {
      return .data(try data())
    } catch {
      var error = error as? FilePackageError ?? FilePackageError(.inputOutput, operation, document: "")
      error.operation = operation
      error.child = path.display
      error.activity = "reading the contents for"
      throw error
    }
  }
}
