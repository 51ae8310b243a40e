import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// JS1 Before the record is committed, nothing under a visible name changes.
// JS2 Files whose bytes the record holds are made only when it is published. If the disk is nearly full, they are made
//     before the commit.
// JS3 Files that the record does not hold are made and synced before the record is written.

/// A save in place: one record in the journal commits it, however many children changed.
///
/// Cost until the commit: the bytes of the changed children and one flush; each large child adds a flush. No file is made
/// for a small child, and no folder. The save does not look at children that did not change.
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
  /// The places that the save changes, in order: those of the steps, and everything in folders that go.
  private(set) var places: [PackagePath] = []
  /// The names among the staged files of the files and links that come or go.
  private var names: [PackagePath: FileName] = [:]
  /// The files and links whose bytes the record holds, so that the save does not make them.
  private let held: Set<PackagePath>
  /// The mode that every new file gets; nil if the file system has modes, or if that does not matter yet.
  var fixedMode: UInt16?
  var record = JournalRecord()

  init(
    _ plan: SavePlan, in session: PackageSession, options: StagedSave.Options, metadata: MetadataDraft?,
    keepsVersion: Bool = false
  ) throws(FilePackageError) {
    self.session = session
    session.beginSave()
    var plan = plan
    var held: Set<PackagePath> = []
    var room = Self.recordedSize
    for (index, step) in plan.steps.enumerated() {
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
    }
    self.held = held
    children = NewChildren(
      plan, at: session.hidden.location, on: session.disk, options: options, metadata: metadata,
      strategy: .journal, known: session.manifest.value, hashes: true)
    children.folders.hold(session.hidden.root, at: .root)
    children.seen = session.seen
    if keepsVersion && metadata != nil { children.keeping = NewChildren.VersionNotes() }
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

  /// Accounts for the present children at some places instead of those that the save before has there.
  mutating func accept(_ paths: [PackagePath], insteadOf batch: ManifestBatch) throws(FilePackageError) {
    try children.takeOver(paths, insteadOf: batch, beneath: session.hidden.root.descriptor)
  }

  /// Checks that the save can be carried out, makes everything new, and completes the record.
  ///
  /// Nothing under a visible name changes (JS1).
  ///
  /// - Throws: the system's reason. The document on disk is then unchanged, and nothing is left.
  mutating func prepare() throws(FilePackageError) {
    try children.checkSteps(beneath: session.hidden.root.descriptor)
    places = Set(children.plan.steps.map(\.path)).union(children.replaced.keys).sorted()
    for (index, path) in places.enumerated() { names[path] = session.stagedName(index) }
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
    for step in children.plan.steps {
      guard step.makesNode, let name = names[step.path] else { continue }
      // The next session sweeps what stays.
      try? session.disk.removeFile(name, in: session.hidden.staging.descriptor)
    }
  }

  // MARK: The record

  /// Makes the children that the record does not hold, and the entries of those that it holds.
  private mutating func makeChildren() throws(FilePackageError) -> (
    made: [PackagePath: NewChildren.Made], entries: [PackagePath: JournalRecord.Staged]
  ) {
    let staging = session.hidden.staging
    let named = children.plan.steps.compactMap { step in names[step.path].map { (step: step, name: $0) } }
    var made = try children.reuse(named, in: staging.descriptor)
    var entries: [PackagePath: JournalRecord.Staged] = [:]
    var metadata: (step: SavePlan.Step, name: FileName)?
    for (step, name) in named {
      switch step.action {
      case .reuse: continue
      case .writeMetadata: metadata = (step, name)
      case .makeDirectory: try children.addFolder(step)
      case _ where held.contains(step.path):
        try children.checkCancellation()
        entries[step.path] = try hold(step, as: name)
      default: made[step.path] = try children.make(step, as: name, in: staging.descriptor)
      }
    }
    // The metadata depends on all other steps.
    if let (step, name) = metadata, let bytes = try children.completeMetadata(step) {
      entries[step.path] = entry(bytes, .file, step, name)
    }
    return (made, entries)
  }

  private mutating func makeRecord(
    _ made: [PackagePath: NewChildren.Made], _ entries: [PackagePath: JournalRecord.Staged]
  ) throws(FilePackageError) {
    let steps = Dictionary(children.plan.steps.lazy.map { ($0.path, $0) }) { first, _ in first }
    for path in places {
      guard let name = names[path] else { continue }
      let (step, now) = (steps[path], children.replaced[path])
      let old = now.map { JournalRecord.Known($0, content: children.oldChildren[path]?.content) }
      let isFolder = now?.kind == .directory
      let makesFile = step.map { $0.makesNode && !$0.makesFolder } == true
      if let now, isFolder, step?.makesFolder != true {
        add(.removeFolder(mode: now.mode & 0o777), at: path)
      } else if let old, !isFolder, !makesFile {
        add(.remove(name), at: path, over: old)
      }
      guard let step else { continue }
      if makesFile {
        var entry = entries[path]
        if entry == nil { entry = try staged(step, name, made[path]) }
        if let entry { add(.put(entry), at: path, over: isFolder ? nil : old) }
      } else if step.makesFolder {
        if !isFolder { add(.makeFolder(mode: step.attributes.mode & 0o777), at: path) }
        if step.attributes.modeIsExact || step.attributes.modified != nil {
          setAttributes(step.attributes, at: path)
        }
      } else if case .setAttributes = step.action {
        setAttributes(step.attributes, at: path)
        children.report.written.append(path.string)
      }
    }
    if let attributes = children.plan.rootAttributes { setAttributes(attributes, at: .root) }
    if children.madeMetadata != nil { record.batch = children.batch }
    var kept: [PackagePath: FileName] = [:]
    for operation in record.operations {
      if let name = operation.keptName { kept[operation.path] = name }
    }
    record.version = children.version(over: session.hidden.packageStatus, kept)
  }

  private mutating func add(
    _ action: JournalRecord.Action, at path: PackagePath, over old: JournalRecord.Known? = nil
  ) {
    record.operations.append(JournalRecord.Operation(path: path, action: action, old: old))
  }

  private mutating func setAttributes(_ attributes: NodeAttributes, at path: PackagePath) {
    let mode = attributes.modeIsExact ? attributes.mode : nil
    add(.setAttributes(mode: mode, modified: attributes.modified), at: path)
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
