import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// A whole new package in an empty folder, by the steps of the plan, with the sums of its children.
extension StagedSave {
  /// The number of files from which on threads save more than they cost.
  static let manyFiles = 64

  /// Makes the package; when the call returns, it is durable except for its name.
  mutating func makePackage(in folder: borrowing OwnedDescriptor) throws(FilePackageError) {
    try makeChildren(in: folder, at: .root)
    if let draft {
      if let summary, counted.sums != summary {
        throw failure(.changedOnDisk, .root, reason: "another program changed a file of the original")
      }
      try write(draft, in: folder)
    }
    try checkNames(in: folder, at: .root)
    try maker.finish()
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
    try maker.checkCancellation()
    switch step.action {
    case .makeDirectory(let original): try makeFolder(step, like: original, as: name, in: folder)
    case .write(let contents):
      note(try maker.make(contents, step.attributes, at: step.path, as: name, in: folder), step)
    case .reuse(let source):
      note(try maker.reuse(source, step.attributes, at: step.path, as: name, in: folder), step)
    case .link(let link): try make(link, at: step.path, step.attributes, as: name, in: folder)
    case .writeMetadata, .setAttributes, .remove: break
    }
  }

  private mutating func note(_ made: NodeMaker.Made, _ step: SavePlan.Step) {
    report.count(made, at: step.path)
    guard let content = made.content, let status = made.status else { return }
    add(step.path, .file, mode: status.mode, size: made.size, content, status.modified)
  }

  mutating func make(
    _ link: PackageSnapshot.Node, at path: PackagePath, _ attributes: NodeAttributes?, as name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let content = try maker.makeLink(link, attributes?.modified, at: path, as: name, in: folder)
    report.written.append(path.string)
    add(path, .symbolicLink, content)
  }

  private mutating func add(
    _ path: PackagePath, _ kind: FileKind, mode: UInt16 = 0, size: UInt64 = 0, _ content: ContentHash,
    _ modified: FileTime = .unknown
  ) {
    guard let draft, !draft.uncounted.contains(path) else { return }
    let child = ChildSummary(path: path, kind: kind, mode: mode, size: size, content: content)
    counted.sums.add(child)
    counted.rows.append(NotedChild(child: child, modified: modified))
  }

  // MARK: Folders

  private mutating func makeFolder(
    _ step: SavePlan.Step, like original: StoredNode?, as name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    if step.path.names.count > PackagePath.maximumDepth { throw failure(.tooDeep, step.path) }
    let new = try attempt(step.path, "making the folder") {
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
    try attempt(path, "finishing the folder") {
      if let original {
        let source = try original.location.openDirectory(original.path)
        try disk.copyAttributes(of: disk.status(of: source), from: source, on: folder)
      }
      if attributes.modeIsExact { try disk.setMode(maker.permitted(attributes.mode), of: folder) }
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
    let missing = try attempt(path, "looking at") { () -> FileName? in
      if limitsNames == nil { limitsNames = try disk.limitsNames(in: folder) }
      return limitsNames == true ? try NameTrial.firstMissing(of: names, in: folder, on: disk) : nil
    }
    if let missing { throw failure(NameTrial.Problem.rewritten, path.appending(missing)) }
  }

  // MARK: Metadata

  private mutating func write(
    _ draft: MetadataDraft, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let (metadata, plist) = try draft.completed(counted.sums)
    let status = try attempt(PackagePath([PackageLayout.metadata])) {
      let mode = NodeAttributes.newFile().mode
      return try disk.status(of: disk.makeFile(PackageLayout.metadata, in: folder, mode: mode, plist))
    }
    madeMetadata = (metadata, status)
    report.generation = metadata.generation
    report.bytesWritten += UInt64(plist.count)
    report.written.append(PackageLayout.metadata.string)
    try attempt(.root, "writing its log") {
      try SaveLog.make(
        noting: counted.rows, after: draft.parent ?? .none, at: metadata.revision, in: folder, on: disk)
    }
  }
}
