package import DurableIO
import FileTrees
package import PackageFormat
import SystemPackage

extension NewChildren {
  /// Carries out the plan's steps in one directory of the new state.
  ///
  /// - Returns: the step for the metadata, which depends on all other steps; nil if there is none.
  @discardableResult
  package mutating func make(
    in new: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) -> SavePlan.Step? {
    let named = (steps[path] ?? []).compactMap { step in step.path.name.map { (step: step, name: $0) } }
    try reuse(named, in: new)
    var metadata: SavePlan.Step?
    for (step, name) in named {
      if case .writeMetadata = step.action { metadata = step } else { try make(step, as: name, in: new) }
    }
    return metadata
  }

  /// Carries out one step in a directory, apart from those of `reuse(_:in:)`.
  package mutating func make(
    _ step: SavePlan.Step, as name: FileName, in new: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    try checkCancellation()
    switch step.action {
    case .makeDirectory(let original):
      try addFolder(step)
      let directory = try makeDirectory(name, in: new, at: step.path, mode: step.attributes.mode)
      try make(in: directory, at: step.path)
      try checkNames(in: directory, at: step.path)
      try finish(directory, at: step.path, step.attributes, like: original)
    case .write(let contents):
      let file = try create(name, in: new, at: step.path, mode: step.attributes.mode)
      try write(contents, to: file, step)
      try synchronize(file, at: step.path)
      report.written.append(step.path.string)
    case .link(let link):
      try makeLink(try destination(of: link, step), as: name, in: new, step)
      report.written.append(step.path.string)
    case .remove: report.removed.append(step.path.string)
    case .reuse, .setAttributes, .writeMetadata: break
    }
  }

  /// Accounts for a new folder.
  mutating func addFolder(_ step: SavePlan.Step) throws(FilePackageError) {
    if step.path.names.count > PackagePath.maximumDepth { throw failure(.tooDeep, step.path) }
    account(step.path, .directory, mode: 0, size: 0, .empty, .unknown)
    changes[step.path].attributes = step.attributes
    report.written.append(step.path.string)
  }

  /// Refuses names of new children that the file system has written in another way.
  mutating func checkNames(
    in new: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) {
    let made = (steps[path] ?? []).compactMap { $0.makesNode ? $0.path : nil }
    guard let first = made.first else { return }
    do {
      if limitsNames == nil { limitsNames = try disk.limitsNames(in: new) }
      guard limitsNames == true,
        let name = try NameTrial.firstMissing(of: made.compactMap(\.name), in: new, on: disk)
      else { return }
      let problem = NameTrial.Problem.rewritten
      throw failure(problem.code, first.parent.appending(name), reason: problem.words)
    } catch {
      throw FilePackageError(any: error, options.operation, node(first.parent), activity: "looking at")
    }
  }

  /// Fills a new file, which the caller then syncs.
  mutating func write(
    _ contents: FileContents, to file: borrowing OwnedDescriptor, _ step: SavePlan.Step
  ) throws(FilePackageError) {
    let copied = try fill(file, at: step.path, contents)
    countWritten(step.path, size: copied.size)
    report.bytesWritten += copied.size
    do {
      try copyAttributes(of: step, on: file)
      if step.attributes.modeIsExact { try disk.setMode(step.attributes.mode, of: file) }
      if let modified = step.attributes.modified { try disk.setModified(modified, of: file) }
      guard let digest = copied.digest else { return }
      let status = try disk.status(of: file)
      account(step.path, .file, mode: status.mode, size: copied.size, digest, status.modified)
    } catch {
      throw FilePackageError(error, options.operation, node(step.path))
    }
  }

  /// Syncs a new file: at once, or among many other files until `finishSynchronizing()`.
  func synchronize(_ file: consuming OwnedDescriptor, at path: PackagePath) throws(FilePackageError) {
    if let synchronizer { return synchronizer.add(file, at: path) }
    do {
      try disk.synchronize(file)
    } catch {
      throw FilePackageError(error, options.operation, node(path))
    }
  }

  /// Syncs a document that is one file.
  func synchronizeAlone(_ file: borrowing OwnedDescriptor) throws(FilePackageError) {
    do {
      try disk.synchronize(file)
    } catch {
      throw FilePackageError(error, options.operation, node(.root))
    }
  }

  /// Waits for the new files that are being synchronised.
  func finishSynchronizing() throws(FilePackageError) {
    guard let failure = synchronizer?.wait().first else { return }
    throw FilePackageError(failure.error, options.operation, node(failure.path))
  }

  /// Gives the new file the attributes of the one that it replaces.
  func copyAttributes(
    of step: SavePlan.Step, on file: borrowing OwnedDescriptor
  ) throws(SystemError) {
    guard let before = changes[step.path].found, before.kind == .file, let name = step.path.name else {
      return
    }
    let parent = step.path.parent
    let folder: OpenNode
    if let known = folders.open[parent] {
      folder = known
    } else {
      folder = OpenNode(try location.openDirectory(parent, on: disk))
      folders.hold(folder, at: parent)
    }
    let now = try disk.copyAttributes(
      of: before, from: try disk.openFile(name, in: folder.descriptor), on: file)
    if now.mode != before.mode { try disk.setMode(before.mode, of: file) }
  }

  /// Carries out the steps that take files as they are; opens each folder of originals once.
  mutating func reuse(
    _ steps: [(step: SavePlan.Step, name: FileName)], in new: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    var folders: [PackagePath: [(SavePlan.Step, FileName, StoredNode)]] = [:]
    for (step, name) in steps {
      if case .reuse(let source) = step.action {
        folders[source.path.parent, default: []].append((step, name, source))
      }
    }
    for group in folders.values {
      guard let (step, _, source) = group.first else { continue }
      let counting = source.location === location ? disk : nil
      let folder = try attempt(step.path, "opening the folder of the original of") { () throws(SystemError) in
        try source.location.openDirectory(source.path.parent, on: counting)
      }
      for (step, name, source) in group {
        try checkCancellation()
        try reuse(source, from: folder, as: name, in: new, step)
      }
    }
  }

  private mutating func reuse(
    _ source: StoredNode, from folder: borrowing OwnedDescriptor, as name: FileName,
    in new: borrowing OwnedDescriptor, _ step: SavePlan.Step
  ) throws(FilePackageError) {
    guard let sourceName = source.path.name, let status = source.status else {
      throw failure(.changedOnDisk, step.path)
    }
    let hasSameAttributes =
      (!step.attributes.modeIsExact || step.attributes.mode == status.mode)
      && (step.attributes.modified ?? status.modified) == status.modified
    var digest: ContentHash?
    if hasSameAttributes, mayBeLinked(source),
      try link(sourceName, in: folder, to: name, in: new, at: step.path)
    {
      moved.insert(source.path)
      noteReused(status)
    } else {
      let copied = try copy(
        sourceName, status, from: folder, to: name, in: new, at: step.path, attributes: step.attributes)
      digest = copied.digest
      if options.sharesFiles || copied.isCloned {
        noteReused(status)
        if hasSameAttributes && options.sharesFiles { report.copied += 1 }
      } else {
        report.written.append(step.path.string)
        report.bytesWritten += copied.size
        countWritten(step.path, size: status.size)
      }
    }
    guard hashes else { return }
    let mode = step.attributes.modeIsExact ? step.attributes.mode : status.mode
    let modified = step.attributes.modified ?? status.modified
    if digest == nil { digest = changes[source.path].content }
    // A row of the manifest has the digest of a file if the file still has the row's size and date.
    if digest == nil, let row = known?.row(at: source.path), source.location === location,
      row.child.kind == .file, row.child.size == status.size, row.modified == status.modified
    {
      digest = row.child.content
    }
    if digest == nil {
      digest = try ChildSummary(reading: PackageSnapshot.Node(source, kind: .file), at: step.path).content
    }
    if let digest { account(step.path, .file, mode: mode, size: status.size, digest, modified) }
  }

  private mutating func noteReused(_ status: FileStatus) {
    report.reused += 1
    report.bytesReused += status.size
  }

  /// Returns whether a second name is enough.
  ///
  /// It is not if the first one stays, too: an edit of one would be an edit of both.
  private func mayBeLinked(_ source: StoredNode) -> Bool {
    guard plan.base != nil else { return true }
    return !moved.contains(source.path) && changes[source.path].found != nil
  }

  /// Accounts for a link.
  ///
  /// - Returns: its destination.
  mutating func destination(
    of link: PackageSnapshot.Node, _ step: SavePlan.Step
  ) throws(FilePackageError) -> [UInt8] {
    let destination: [UInt8]
    do {
      destination = try link.destination()
    } catch {
      throw FilePackageError(renaming: error, to: step.path, of: location, options.operation)
    }
    countWritten(step.path, size: 0)
    account(step.path, .symbolicLink, mode: 0, size: 0, ContentHash(of: destination), .unknown)
    return destination
  }

  func makeLink(
    _ destination: [UInt8], as name: FileName, in new: borrowing OwnedDescriptor, _ step: SavePlan.Step
  ) throws(FilePackageError) {
    do {
      try disk.makeSymbolicLink(to: destination, named: name, in: new)
      if let modified = step.attributes.modified { try disk.setModified(modified, of: name, in: new) }
    } catch {
      throw FilePackageError(error, options.operation, node(step.path))
    }
  }

  /// Completes the library's own plist from the sums of the other steps.
  ///
  /// - Returns: its bytes; nil for a package without metadata.
  mutating func completeMetadata(_ step: SavePlan.Step) throws(FilePackageError) -> [UInt8]? {
    guard let draft = metadata else { return nil }
    let (metadata, bytes) = try draft.completed(changes.summary)
    madeMetadata = (metadata, bytes)
    report.bytesWritten += UInt64(bytes.count)
    report.written.append(step.path.string)
    return bytes
  }

  /// Returns the permissions of a node in the new state: a document of its own has no programs and no folders that act
  /// for another user or group.
  func permitted(_ mode: UInt16) -> UInt16 {
    options.sharesFiles || options.keepsRights ? mode : mode & 0o1777
  }

  // MARK: Directories

  func makeDirectory(
    _ name: FileName, in new: borrowing OwnedDescriptor, at path: PackagePath, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    do {
      // The mode must allow filling the folder, whatever mode it gets afterwards.
      try disk.makeDirectory(name, in: new, mode: mode | 0o700)
      return try disk.openDirectory(name, in: new)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "making the folder")
    }
  }

  /// Gives a filled directory its attributes and makes its entries durable.
  ///
  /// - Parameter original: the directory that it is a copy of; nil if it is none.
  func finish(
    _ new: borrowing OwnedDescriptor, at path: PackagePath, _ attributes: NodeAttributes,
    like original: StoredNode? = nil
  ) throws(FilePackageError) {
    do {
      if let original {
        let source = try original.location.openDirectory(original.path)
        try disk.copyAttributes(of: disk.status(of: source), from: source, on: new)
      }
      if attributes.modeIsExact { try disk.setMode(permitted(attributes.mode), of: new) }
      if let modified = attributes.modified { try disk.setModified(modified, of: new) }
      try disk.synchronize(new)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "finishing the folder")
    }
  }

  // MARK: Accounting

  mutating func account(
    _ path: PackagePath, _ kind: FileKind, mode: UInt16, size: UInt64, _ content: ContentHash,
    _ modified: FileTime
  ) {
    if uncounted.contains(path) { return }
    let child = ChildSummary(path: path, kind: kind, mode: mode, size: size, content: content)
    changes[path].work = .node
    changes[path].new = ManifestRow(child: child, modified: modified)
  }

  /// The rows for the manifest; nil for a package without metadata.
  var batch: ManifestBatch? {
    madeMetadata.map { made in
      changes.batch(from: metadata?.parent ?? .none, to: made.metadata.revision, made.metadata.summary.digest)
    }
  }

  /// The version that the save replaces; nil if it is not kept.
  var version: VersionRecord? {
    guard keepsVersion, let before = metadata?.before, let made = madeMetadata?.metadata else { return nil }
    var version = VersionRecord(before, next: made.revision)
    version.rows = changes.versionRows
    return version
  }
}

extension FileTime {
  /// A time that says nothing.
  fileprivate static let unknown = FileTime(seconds: 0, nanoseconds: 0)
}
