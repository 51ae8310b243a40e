import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// JS1 Before the record is committed, nothing under a visible name changes.
// JS2 Files whose bytes the record holds are made only when it is published. If the disk is nearly full, they are made
//     before the commit.
// JS3 Files that the record does not hold are made and synced before the record is written.

/// A save in place up to its commit: one record commits it, however many children changed.
///
/// It checks that the nodes which the plan replaces are unchanged, makes the files that the record does not hold, and
/// fills the rows of the record.
///
/// Cost until the commit: the bytes of the changed children and one flush; each large child adds a flush. No file is made
/// for a small child, and no folder. The save does not look at children that did not change.
struct SaveDraft: ErrorNaming {
  /// The largest file that the record holds.
  private static let recordedFileSize: UInt64 = 1 << 20
  /// The largest sum of such files in one save.
  private static let recordedSize: UInt64 = 4 << 20
  /// With less room than this beyond the bytes of the children, it is uncertain whether they fit. File systems reserve
  /// some room, and folders grow.
  private static let spareRoom: UInt64 = 16 << 20
  private static let spareFiles: UInt64 = 1000

  let session: PackageSession
  let options: StagedSave.Options
  let metadata: MetadataDraft?
  /// The digests that the package had, if they are known without reading.
  let known: StateTable?
  /// Whether the save keeps the version that it replaces.
  let keepsVersion: Bool
  private(set) var plan: SavePlan
  /// The files and links whose bytes the record holds, so that the save does not make them.
  private var held: Set<PackagePath> = []
  var record = SaveRecord(token: .random)
  var report = SaveReport(strategy: .log)
  /// The number of written files and links, and the bytes of these files.
  private(set) var written = (count: 0, bytes: UInt64(0))
  private var maker: NodeMaker
  /// The files that moved to another name by a link.
  private var moved: Set<PackagePath> = []
  /// The nodes that go, as the save found them.
  var statuses: [PackagePath: FileStatus] = [:]
  /// The folders of the package that were looked at.
  let folders: OpenFolders
  /// The mode that every new file gets; nil if the file system has modes, or if that does not matter yet.
  var fixedMode: UInt16?

  var location: Location { session.hidden.location }
  var operation: FilePackageError.Operation { options.operation }
  var disk: CountingDisk { session.disk }
  var staging: OpenNode { session.hidden.staging }
  /// The rows of the save: with digests if there is metadata for them.
  var changes: Changes {
    get { record.changes }
    _modify { yield &record.changes }
  }

  init(
    _ plan: SavePlan, in session: PackageSession, options: StagedSave.Options = .init(),
    metadata: MetadataDraft?, keepsVersion: Bool = false
  ) throws(FilePackageError) {
    (self.plan, self.session, self.options, self.metadata) = (plan, session, options, metadata)
    self.keepsVersion = keepsVersion && metadata?.before != nil
    known = session.table
    maker = NodeMaker(at: session.hidden.location, on: session.disk, options, hashes: true)
    folders = OpenFolders(in: session.hidden.root, on: session.disk)
    location.progress.begin(plan, copiesFiles: false)
    var room = Self.recordedSize
    for (index, step) in plan.steps.enumerated() {
      switch step.action {
      case .write(let contents):
        if let size = contents.size, size <= min(Self.recordedFileSize, room) {
          room -= size
          held.insert(step.path)
          self.plan.steps[index].action = .write(try inMemory(contents, for: step.path))
        }
      case .link, .writeMetadata: held.insert(step.path)
      default: break
      }
    }
  }

  /// Checks that the save can be carried out, makes everything new, and completes the record.
  ///
  /// Nothing under a visible name changes (JS1).
  ///
  /// - Throws: the system's reason. The document on disk is then unchanged, and nothing is left.
  mutating func stage() throws(FilePackageError) {
    try checkSteps()
    changes.sort(naming: record.name)
    do {
      try checkPlaces()
      try checkNames()
      // The children that the record does not hold (JS3).
      for step in plan.steps { try make(step) }
      try completeMetadata()
      if try isRoomScarce() { try session.stage(&record) }
      try maker.checkCancellation()
    } catch {
      removeStaged()
      throw error
    }
    if plan.rootAttributes != nil { report.written.append(".") }
    report.leftAlone = plan.leftAlone.map(\.string).sorted()
    report.generation = record.metadata?.generation
    report.written.sort()
    report.removed.sort()
  }

  /// Removes everything that the save has made.
  func removeStaged() {
    for step in plan.steps where step.makesNode {
      // The next session sweeps what stays.
      try? disk.removeFile(changes[step.path].name, in: staging.descriptor)
    }
  }

  // MARK: Making

  /// Fills the row of a step, and makes the file that the record does not hold.
  private mutating func make(_ step: SavePlan.Step) throws(FilePackageError) {
    let path = step.path
    if case .writeMetadata = step.action { return }
    try maker.checkCancellation()
    switch step.action {
    case .writeMetadata: return
    case .remove: return report.removed.append(path.string)
    case .setAttributes: return report.written.append(path.string)
    case .makeDirectory:
      if path.names.count > PackagePath.maximumDepth { throw failure(.tooDeep, path) }
      changes[path].set(step.attributes)
      return report.written.append(path.string)
    case .link(let link):
      changes[path].hold(try destination(of: link, at: path), .symbolicLink, step, fixedMode)
      written.count += 1
      return report.written.append(path.string)
    case .write(.data(let data)) where held.contains(path):
      location.progress.add(data.count)
      changes[path].hold(data.withUnsafeBytes { Array($0) }, .file, step, fixedMode)
      report.bytesWritten += UInt64(data.count)
      count(data.count)
      return report.written.append(path.string)
    case .write(let contents):
      var old: StoredNode?
      if let status = statuses[path], status.kind == .file {
        old = StoredNode(location: location, path: path, status: status)
      }
      let made = try maker.make(
        contents, step.attributes, like: old, at: path, as: changes[path].name, in: staging.descriptor)
      report.count(made, at: path)
      count(Int(clamping: made.size))
      try note(step, made.content)
    case .reuse(let source): try reuse(source, step)
    }
  }

  private mutating func count(_ bytes: Int) {
    written.count += 1
    written.bytes += UInt64(bytes)
  }

  private mutating func reuse(
    _ source: StoredNode, _ step: SavePlan.Step
  ) throws(FilePackageError) {
    // A second name is not enough if the first one stays, too: an edit of one would be an edit of both.
    let mayLink = !moved.contains(source.path) && changes[source.path].found != nil
    let made = try maker.reuse(
      source, step.attributes, mayLink: mayLink, at: step.path, as: changes[step.path].name,
      in: staging.descriptor)
    if mayLink { moved.insert(source.path) }
    report.count(made, at: step.path)
    var content = made.content ?? changes[source.path].found?.content
    // A noted row has the digest of a file if the file still has the row's size and date.
    if content == nil, source.location === location, let row = known?.row(at: source.path),
      row.isOf(PackageSnapshot.Node(source, kind: .file))
    {
      content = row.child.content
    }
    if content == nil { content = try source.content(as: .file) }
    try note(step, content)
  }

  /// Notes a file in the staging folder.
  private mutating func note(_ step: SavePlan.Step, _ content: ContentHash?) throws(FilePackageError) {
    let (name, staging) = (changes[step.path].name, staging)
    let status = try attempt(step.path, "checking the written file") {
      try disk.status(of: name, in: staging.descriptor)
    }
    changes[step.path].new = Entry(status, content: content)
    changes[step.path].modeIsExact = true
  }

  /// Completes the metadata from the sums of the rows; `Metadata.plist` is one more row.
  private mutating func completeMetadata() throws(FilePackageError) {
    guard let metadata else { return }
    let made = try metadata.completed(changes.summary)
    record.metadata = made.metadata
    if keepsVersion { record.replaced = metadata.before }
    for step in plan.steps {
      guard case .writeMetadata = step.action else { continue }
      changes[step.path].hold(made.plist, .file, step, fixedMode)
      report.bytesWritten += UInt64(made.plist.count)
      report.written.append(step.path.string)
    }
  }

  /// Returns whether the files that the record holds should be made before the commit (JS2).
  ///
  /// If a quota ends unforeseen, the save is committed all the same, and published once there is room.
  private func isRoomScarce() throws(FilePackageError) -> Bool {
    let sizes = changes.rows.compactMap { $0.bytes?.count }
    if sizes.isEmpty { return false }
    return try attempt(.root, "reserving space on the disk for") {
      let room = try disk.room(of: staging.descriptor)
      let bytes = sizes.reduce(Self.spareRoom) { $0 + room.allocation(UInt64($1)) }
      return room.bytes.map { $0 < bytes } ?? false
        || room.files.map { $0 < Self.spareFiles + UInt64(sizes.count) } ?? false
    }
  }
}

extension Change {
  /// Puts a file or link of these bytes, which the record holds: the publisher makes it after the commit.
  ///
  /// - Parameter fixedMode: the mode that every new file gets; nil if the file system has modes.
  fileprivate mutating func hold(
    _ bytes: [UInt8], _ kind: FileKind, _ step: SavePlan.Step, _ fixedMode: UInt16?
  ) {
    var attributes = step.attributes
    let before = found.flatMap { $0.kind == .file ? $0.mode : nil } ?? fixedMode
    if fixedMode != nil || !attributes.modeIsExact, let before {
      (attributes.mode, attributes.modeIsExact) = (before, true)
    }
    hasDate = attributes.modified != nil
    if kind == .file && !hasDate { attributes.modified = Environment.current.now() }
    modeIsExact = attributes.modeIsExact
    new = Entry(
      kind, attributes, size: UInt64(bytes.count), content: step.content ?? ContentHash(of: bytes))
    self.bytes = bytes
  }
}

extension UInt64 {
  /// A random number, from the identifiers of the environment.
  fileprivate static var random: UInt64 {
    UUID.new.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
