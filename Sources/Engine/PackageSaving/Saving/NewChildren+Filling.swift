import DurableIO
import FileTrees
import PackageFormat

extension NewChildren {
  /// Carries out a step whose node the record does not hold.
  ///
  /// - Returns: the file that it made; nil if it made none.
  mutating func make(
    _ step: SavePlan.Step, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileMaker.Made? {
    try files.checkCancellation()
    switch step.action {
    case .makeDirectory: try addFolder(step)
    case .write(let contents): return try write(contents, step, as: name, in: folder)
    case .reuse(let source): return try reuse(source, step, as: name, in: folder)
    case .remove: report.removed.append(step.path.string)
    case .link, .setAttributes, .writeMetadata: break
    }
    return nil
  }

  /// Accounts for a new folder.
  private mutating func addFolder(_ step: SavePlan.Step) throws(FilePackageError) {
    if step.path.names.count > PackagePath.maximumDepth { throw failure(.tooDeep, step.path) }
    account(step.path, .directory, mode: 0, size: 0, .empty, .unknown)
    changes[step.path].attributes = step.attributes
    report.written.append(step.path.string)
  }

  private mutating func write(
    _ contents: FileContents, _ step: SavePlan.Step, as name: FileName,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileMaker.Made {
    var old: StoredNode?
    if let status = changes[step.path].found, status.kind == .file {
      old = StoredNode(location: location, path: step.path, status: status)
    }
    let made = try files.make(contents, step.attributes, like: old, at: step.path, as: name, in: folder)
    report.count(made, at: step.path)
    countWritten(step.path, size: made.size)
    if let status = made.status, let content = made.content {
      account(step.path, .file, mode: status.mode, size: made.size, content, status.modified)
    }
    return made
  }

  private mutating func reuse(
    _ source: StoredNode, _ step: SavePlan.Step, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileMaker.Made {
    // A second name is not enough if the first one stays, too: an edit of one would be an edit of both.
    let mayLink = !moved.contains(source.path) && changes[source.path].found != nil
    var made = try files.reuse(
      source, step.attributes, mayLink: mayLink, at: step.path, as: name, in: folder)
    if mayLink { moved.insert(source.path) }
    report.count(made, at: step.path)
    guard let status = source.status else { return made }
    if made.content == nil { made.content = changes[source.path].content }
    // A noted row has the digest of a file if the file still has the row's size and date.
    if made.content == nil, let row = known?.row(at: source.path), source.location === location,
      row.child.kind == .file, row.child.size == status.size, row.modified == status.modified
    {
      made.content = row.child.content
    }
    if made.content == nil {
      made.content = try ChildSummary(reading: PackageSnapshot.Node(source, kind: .file), at: step.path)
        .content
    }
    if let content = made.content {
      let mode = step.attributes.modeIsExact ? step.attributes.mode : status.mode
      account(
        step.path, .file, mode: mode, size: status.size, content, step.attributes.modified ?? status.modified)
    }
    return made
  }

  /// Accounts for a link.
  ///
  /// - Returns: its destination.
  mutating func destination(
    of link: PackageSnapshot.Node, _ step: SavePlan.Step
  ) throws(FilePackageError) -> [UInt8] {
    let destination = try destination(of: link, at: step.path)
    countWritten(step.path, size: 0)
    account(step.path, .symbolicLink, mode: 0, size: 0, ContentHash(of: destination), .unknown)
    return destination
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

  // MARK: Accounting

  mutating func account(
    _ path: PackagePath, _ kind: FileKind, mode: UInt16, size: UInt64, _ content: ContentHash,
    _ modified: FileTime
  ) {
    if uncounted.contains(path) { return }
    let child = ChildSummary(path: path, kind: kind, mode: mode, size: size, content: content)
    changes[path].work = .node
    changes[path].new = NotedChild(child: child, modified: modified)
  }

  /// The notes about the children; nil for a package without metadata.
  var state: SavedState? {
    madeMetadata.map { made in
      changes.state(from: metadata?.parent ?? .none, to: made.metadata.revision)
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
  static let unknown = FileTime(seconds: 0, nanoseconds: 0)
}
