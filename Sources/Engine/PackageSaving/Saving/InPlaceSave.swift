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
      known: session.table)
    children.folders.hold(session.hidden.root, at: .root)
    children.seen = session.seen
    children.keepsVersion = keepsVersion && metadata?.before != nil
  }

  /// Checks that the save can be carried out, makes everything new, and completes the record.
  ///
  /// Nothing under a visible name changes (JS1).
  ///
  /// - Throws: the system's reason. The document on disk is then unchanged, and nothing is left.
  mutating func prepare() throws(FilePackageError) {
    try children.checkSteps(beneath: session.hidden.root.descriptor)
    places = children.changes.rows.filter { $0.work != .none }.map(\.path).sorted()
    for (index, path) in places.enumerated() { children.changes[path].name = session.stagedName(index) }
    do {
      try checkPlaces()
      try checkNames()
      // The children that the record does not hold (JS3).
      try makeChildren()
      makeRecord()
      if try isRoomScarce() { try session.stage(&record) }
      try children.files.checkCancellation()
    } catch {
      removeStaged()
      throw error
    }
    if children.plan.rootAttributes != nil { children.report.written.append(".") }
    children.report.leftAlone = children.plan.leftAlone.map(\.string).sorted()
    children.report.generation = children.madeMetadata?.metadata.generation
    children.report.written.sort()
    children.report.removed.sort()
  }

  /// Removes everything that the save has made.
  func removeStaged() {
    for step in children.plan.steps {
      guard step.makesNode, let name = children.changes[step.path].name else { continue }
      // The next session sweeps what stays.
      try? session.disk.removeFile(name, in: session.hidden.staging.descriptor)
    }
  }

  // MARK: The record

  /// Makes the children that the record does not hold, and the entries of all.
  private mutating func makeChildren() throws(FilePackageError) {
    let staging = session.hidden.staging
    let named = children.plan.steps.compactMap { step in
      children.changes[step.path].name.map { (step: step, name: $0) }
    }
    for (step, name) in named {
      switch step.action {
      case .writeMetadata: continue
      case .setAttributes: children.report.written.append(step.path.string)
      case _ where held.contains(step.path): try hold(step, as: name)
      default:
        let made = try children.make(step, as: name, in: staging.descriptor)
        if made != nil { try noteStaged(step.path, name) }
      }
    }
    // The metadata depends on all other steps.
    for case (let step, let name) in named {
      guard case .writeMetadata = step.action, let bytes = try children.completeMetadata(step) else {
        continue
      }
      children.changes[step.path].staged = entry(bytes, .file, step, name)
    }
  }

  private mutating func makeRecord() {
    for path in places { record.operations += children.changes[path].operations }
    if let attributes = children.plan.rootAttributes {
      children.changes[.root].work = .attributes
      children.changes[.root].found = session.hidden.packageStatus
      children.changes[.root].attributes = attributes
      record.operations += children.changes[.root].operations
    }
    record.state = children.state
    record.version = children.version
  }

  /// Notes a file in the staging folder.
  private mutating func noteStaged(_ path: PackagePath, _ name: FileName) throws(FilePackageError) {
    do {
      let status = try session.disk.status(of: name, in: session.hidden.staging.descriptor)
      children.changes[path].staged = JournalRecord.Staged(
        name: name, node: JournalRecord.Known(status, content: children.changes[path].new?.child.content),
        mode: status.mode)
    } catch {
      throw FilePackageError(error, .save, children.node(path), activity: "checking the written file")
    }
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
