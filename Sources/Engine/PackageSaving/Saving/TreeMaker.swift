import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

/// Makes a whole new package in an empty folder, by the steps of a plan, and adds up its children.
struct TreeMaker: ErrorNaming {
  /// The number of files from which on threads save more than they cost.
  private static let manyFiles = 64

  let location: Location
  private let plan: SavePlan
  private let steps: [PackagePath: [SavePlan.Step]]
  private let options: StagedSave.Options
  /// Completed from the sums; nil for a package without metadata.
  private let draft: MetadataDraft?
  private let disk: CountingDisk
  private var limitsNames: Bool?

  var files: FileMaker
  var report = SaveReport(strategy: .staged)
  /// The metadata that were written, and their file.
  private(set) var metadata: (metadata: PackageMetadata, status: FileStatus)?
  private var sums = ContentSummary()
  private var rows: [NotedChild] = []

  var operation: FilePackageError.Operation { options.operation }

  init(
    _ plan: SavePlan, at location: Location, on disk: CountingDisk, _ options: StagedSave.Options,
    _ draft: MetadataDraft?
  ) {
    (self.plan, self.location, self.disk) = (plan, location, disk)
    (self.options, self.draft) = (options, draft)
    steps = Dictionary(grouping: plan.steps, by: \.path.parent)
    files = FileMaker(
      at: location, on: disk, options, hashes: draft != nil,
      synchronizesMany: plan.steps.count(where: \.makesFile) >= Self.manyFiles)
    location.progress.begin(plan, copiesFiles: !options.sharesFiles)
  }

  /// Makes the package; when the call returns, it is durable except for its name.
  ///
  /// - Parameter summary: the sums that the children must have; nil if any are right.
  mutating func make(
    in folder: borrowing OwnedDescriptor, summary: ContentSummary?
  ) throws(FilePackageError) {
    try makeChildren(in: folder, at: .root)
    if let draft {
      if let summary, sums != summary {
        throw failure(.changedOnDisk, .root, reason: "another program changed a file of the original")
      }
      try write(draft, in: folder)
    }
    try checkNames(in: folder, at: .root)
    try files.finish()
    try finish(folder, at: .root, plan.rootAttributes ?? .newDirectory(), like: plan.original)
  }

  // MARK: Children

  private mutating func makeChildren(
    in folder: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) {
    for step in steps[path] ?? [] {
      if let name = step.path.name { try make(step, as: name, in: folder) }
    }
  }

  private mutating func make(
    _ step: SavePlan.Step, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    try files.checkCancellation()
    switch step.action {
    case .makeDirectory(let original): try makeFolder(step, like: original, as: name, in: folder)
    case .write(let contents):
      note(try files.make(contents, step.attributes, at: step.path, as: name, in: folder), step)
    case .reuse(let source):
      note(try files.reuse(source, step.attributes, at: step.path, as: name, in: folder), step)
    case .link(let link): try make(link, step, as: name, in: folder)
    case .writeMetadata, .setAttributes, .remove: break
    }
  }

  private mutating func note(_ made: FileMaker.Made, _ step: SavePlan.Step) {
    report.count(made, at: step.path)
    guard let content = made.content, let status = made.status else { return }
    add(step.path, .file, mode: status.mode, size: made.size, content, status.modified)
  }

  /// Makes a link, which is synced with its folder.
  mutating func make(
    _ link: PackageSnapshot.Node, _ step: SavePlan.Step, as name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let destination = try destination(of: link, at: step.path)
    try attempt(step.path) { () throws(SystemError) in
      try disk.makeSymbolicLink(to: destination, named: name, in: folder)
      if let modified = step.attributes.modified { try disk.setModified(modified, of: name, in: folder) }
    }
    report.written.append(step.path.string)
    add(step.path, .symbolicLink, ContentHash(of: destination))
  }

  private mutating func add(
    _ path: PackagePath, _ kind: FileKind, mode: UInt16 = 0, size: UInt64 = 0, _ content: ContentHash,
    _ modified: FileTime = .unknown
  ) {
    guard let draft, !draft.uncounted.contains(path) else { return }
    let child = ChildSummary(path: path, kind: kind, mode: mode, size: size, content: content)
    sums.add(child)
    rows.append(NotedChild(child: child, modified: modified))
  }

  // MARK: Folders

  private mutating func makeFolder(
    _ step: SavePlan.Step, like original: StoredNode?, as name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    if step.path.names.count > PackagePath.maximumDepth { throw failure(.tooDeep, step.path) }
    let new = try attempt(step.path, "making the folder") { () throws(SystemError) in
      // The mode must allow filling the folder, whatever mode it gets afterwards.
      try disk.makeDirectory(name, in: folder, mode: step.attributes.mode | 0o700)
      return try disk.openDirectory(name, in: folder)
    }
    report.written.append(step.path.string)
    add(step.path, .directory, .empty)
    try makeChildren(in: new, at: step.path)
    try checkNames(in: new, at: step.path)
    try finish(new, at: step.path, step.attributes, like: original)
  }

  /// Gives a filled folder its attributes, and makes its entries durable.
  ///
  /// - Parameter original: the folder that it is a copy of; nil if it is none.
  private func finish(
    _ folder: borrowing OwnedDescriptor, at path: PackagePath, _ attributes: NodeAttributes,
    like original: StoredNode?
  ) throws(FilePackageError) {
    try attempt(path, "finishing the folder") { () throws(SystemError) in
      if let original {
        let source = try original.location.openDirectory(original.path)
        try disk.copyAttributes(of: disk.status(of: source), from: source, on: folder)
      }
      if attributes.modeIsExact { try disk.setMode(files.permitted(attributes.mode), of: folder) }
      if let modified = attributes.modified { try disk.setModified(modified, of: folder) }
      try disk.synchronize(folder)
    }
  }

  /// Refuses names of new children that the file system has written in another way.
  private mutating func checkNames(
    in folder: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) {
    let names = (steps[path] ?? []).compactMap(\.path.name)
    if names.isEmpty { return }
    let missing: FileName?
    do throws(SystemError) {
      if limitsNames == nil { limitsNames = try disk.limitsNames(in: folder) }
      guard limitsNames == true else { return }
      missing = try NameTrial.firstMissing(of: names, in: folder, on: disk)
    } catch {
      throw FilePackageError(error, operation, node(path), activity: "looking at")
    }
    if let missing { throw failure(NameTrial.Problem.rewritten, path.appending(missing)) }
  }

  // MARK: Metadata

  private mutating func write(
    _ draft: MetadataDraft, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let (metadata, plist) = try draft.completed(sums)
    let status = try attempt(PackagePath([PackageLayout.metadata])) { () throws(SystemError) in
      let file = try disk.createFile(PackageLayout.metadata, in: folder, mode: NodeAttributes.newFile().mode)
      try disk.write(plist, to: file, at: 0)
      try disk.synchronize(file)
      return try disk.status(of: file)
    }
    self.metadata = (metadata, status)
    report.generation = metadata.generation
    report.bytesWritten += UInt64(plist.count)
    report.written.append(PackageLayout.metadata.string)
    var state = SavedState(parent: draft.parent ?? .none, revision: metadata.revision)
    (state.replacesEarlier, state.isComplete) = (true, true)
    state.rows = rows.map { .init($0) }
    try attempt(.root, "writing its log") { () throws(SystemError) in try write(state, in: folder) }
  }

  /// Writes a log whose facts have every child.
  private func write(_ state: SavedState, in folder: borrowing OwnedDescriptor) throws(SystemError) {
    var ledger = Ledger()
    ledger.note(state)
    let contents = try SaveLog.contents(ledger, of: disk.status(of: folder))
    try disk.makeDirectoryIfAbsent(PackageLayout.hidden, in: folder)
    let hidden = try disk.openDirectory(PackageLayout.hidden, in: folder)
    let file = try disk.createFile(PackageLayout.log, in: hidden, mode: 0o666)
    try disk.write(contents, to: file, at: 0)
    try disk.synchronize(file)
  }
}
