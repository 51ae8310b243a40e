import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// A document of another device replaces nothing here that the container does not have.
// An edit outlives a deletion.

/// One document on its way to the same state here and in the container.
struct DocumentSync {
  let session: ContainerSession
  var record: DocumentRecord
  /// The document in the container folder; nil if it is not there.
  var local: LocalDocument?
  /// The last look at the document; nil if it changed since, or if there was none.
  var seen: LocalTree?
  /// The names of all documents; nil if the sync has to read them.
  private(set) var names: LiveNames?
  /// The last entry that was known when the present step began.
  private var since = 0
  var report: SyncReport.Document

  init(
    _ session: ContainerSession, _ record: DocumentRecord, _ local: LocalDocument?, seen: LocalTree? = nil,
    among names: LiveNames? = nil
  ) {
    (self.session, self.record, self.local, self.names) = (session, record, local, names)
    self.seen = seen
    report = SyncReport.Document(name: record.name)
  }

  private var folder: ContainerFolder { session.folder }

  /// Carries out one step after the other until nothing is to do.
  ///
  /// - Throws: `busy` if other devices are always first.
  mutating func run() async throws {
    try await session.working.waitUnlessCancelled()
    defer { session.working.signal() }
    var surprises = 0
    for count in 0..<50 {
      // Other devices change it: they do not wait for each other in step.
      if count > 4 { try await Task.sleep(for: .milliseconds(Int.random(in: 1...10 * count))) }
      do {
        if try await step() { return }
      } catch let error as FilePackageError where error.code == .changedOnDisk && surprises < 3 {
        // A program saved it between the look and the download: the next look finds that.
        surprises += 1
        seen = nil
        let found = try FolderScan.document(record.name, in: folder)
        // It may have another name now, and only a look at the whole folder tells that from a deletion.
        if local != nil, found == nil { throw error }
        local = found
      }
    }
    throw FilePackageError(
      .busy, .save, document: record.name,
      reason: "other devices change it all the time; it is uploaded later")
  }

  /// Looks at the document, and decides the next step over the last version in the container.
  mutating func decide() async throws -> (step: SyncDecision, head: CloudVersion?) {
    try await settleRequest()
    let head = try session.head(of: record)
    let base = session.base(of: record)
    var here = SyncDecision.Local.absent
    if let local {
      let tree = try await lookSettled(local)
      seen = tree
      here = base != nil && tree.isUnchanged && !isRenamed ? .same : .changed
      if here == .same { try await keepStatuses(tree) }
      // A conflict version that the container does not have is a change: no deletion takes it along.
      if let head, head.isDeleted, tree.hasConflicts, try await !ownConflicts(local, head).isEmpty {
        here = .changed
      }
    }
    let state: SyncDecision.Head =
      switch head {
      case nil: .none
      case let head? where head.isDeleted: .deleted
      case let head? where head.root == base && head.name == record.baseName && isSeen(head): .same
      default: .newer
      }
    return (SyncDecision(local: here, hasBase: base != nil, head: state), head)
  }

  /// Looks at the document after committed edits are in its files.
  private func lookSettled(_ local: LocalDocument) async throws -> LocalTree {
    let tree =
      if let seen {
        try await session.recognized(seen, at: folder.path(of: local.name), local.isPackage, record)
      } else {
        try await session.look(local, record)
      }
    guard tree.hasUnpublishedSave, !session.isPlan, let merger = try merger() else { return tree }
    try await merger.settle(packageAt: url(local))
    return try await session.look(local, record)
  }

  /// Carries out the next step; returns whether the document is up to date.
  private mutating func step() async throws -> Bool {
    since = try await session.state.known().position.number
    // Another document's version may have come with the news of this one, and a request of another process.
    let now = try await session.current(record)
    (record.head, record.isWanted) = (now.head, now.isWanted)
    let (step, head) = try await decide()
    switch step {
    case .nothing:
      guard let head, local != nil, !head.isDeleted else { return true }
      return try await reconcileConflicts(head)
    case .listAsPlaceholder:
      guard let head, record.isWanted else { return true }
      try await bring(head)
      return false
    case .upload: return try await upload(over: head)
    case .download, .merge:
      guard let head else { return true }
      try await bring(head)
      return false
    case .delete:
      guard let head else { return true }
      // The look at the folder may be hours old.
      let found = try FolderScan.document(record.name, in: folder)
      guard found?.isPackage == head.isPackage else { return try await commitDeletion(of: head) }
      local = found
      return false
    case .removeHere:
      guard let base = session.base(of: record) else { return true }
      try await removeHere(base)
      return true
    case .forget:
      try await saveForgotten()
      return true
    }
  }

  /// Makes a document that was removed here a placeholder if a program asked for it since. The content that is here
  /// answers a request.
  private mutating func settleRequest() async throws {
    guard record.isWanted, record.base != nil else { return }
    if local == nil { forgetContent() }
    record.isWanted = local == nil
    try await session.state.save(record, children: local == nil ? KnownChildren() : nil, setsWanted: true)
  }

  /// Returns whether nothing of a version is unseen here. A user who deletes a document deletes no conflict unseen.
  private func isSeen(_ head: CloudVersion) -> Bool {
    local != nil || shown.isSuperset(of: head.conflicts.map(\.id))
  }

  /// Whether a program here gave the document another name.
  var isRenamed: Bool { record.baseName.map { $0 != record.name } ?? false }

  /// Keeps the statuses of unchanged files, so that the next look need not read them.
  private mutating func keepStatuses(_ tree: LocalTree) async throws {
    guard !tree.hasKnownStatuses else { return }
    let children = tree.children
    try await session.state.save(record, children: children)
    seen = LocalTree(unchanged: children, hasConflicts: tree.hasConflicts)
  }

  /// Forgets the errors of earlier runs: the document is up to date.
  mutating func forgetErrors() async throws {
    guard record.downloadingError != nil || record.uploadingError != nil else { return }
    (record.downloadingError, record.uploadingError) = (nil, nil)
    try await session.state.save(record)
  }

  mutating func forgetContent() {
    (record.base, record.baseName, record.node, record.contentSum) = (nil, nil, nil, nil)
    record.isWanted = false
    record.shownConflicts = ""
    seen = nil
  }

  mutating func saveForgotten() async throws {
    forgetContent()
    try await session.state.save(record, children: KnownChildren(), setsWanted: true)
  }

  // MARK: Up

  /// Makes the document here the next version.
  private mutating func upload(over head: CloudVersion?) async throws -> Bool {
    guard local != nil else { return true }
    try await takeFreeName()
    guard let local else { return true }
    let uploaded = try await session.upload(local, record, seen: seen)
    seen = nil
    var version = try await next(after: head, root: uploaded.root, isPackage: local.isPackage)
    version.blobs = uploaded.blobs
    let oldName = isRenamed ? record.baseName : nil
    if try await commit(version, here: (uploaded.root, uploaded.children)) {
      report.uploaded = true
      report.oldName = report.oldName ?? oldName
      seen = LocalTree(unchanged: uploaded.children, hasConflicts: uploaded.hasConflicts)
    }
    return false
  }

  /// Commits a version, and lets other documents work meanwhile.
  ///
  /// - Returns: false if another device was first, or another document has the name by now.
  mutating func commit(
    _ version: CloudVersion, here: (root: TreeRoot, children: KnownChildren)?
  ) async throws -> Bool {
    let isCommitted: Result<Bool, any Error>
    session.working.signal()
    do {
      isCommitted = .success(try await session.commit(version, of: &record, since: since, here: here))
    } catch {
      isCommitted = .failure(error)
    }
    await session.working.wait()
    if try isCommitted.get() { return true }
    names = nil
    seen = nil
    return false
  }

  /// Makes the next version, of the name here, without the conflicts that a user resolved here.
  func next(after head: CloudVersion?, root: TreeRoot, isPackage: Bool) async throws -> CloudVersion {
    let resolved = try await resolvedConflicts()
    let conflicts = head?.conflicts ?? []
    let type = UTType(filename: record.name, isDirectory: isPackage)
    // The identifier of an unknown extension grows with it.
    let isShort = type.identifier.utf8.count <= CloudVersion.maximumTextSize
    return CloudVersion(
      document: try record.document, sequence: (head?.sequence ?? 0) + 1,
      conflicts: conflicts.filter { !resolved.contains($0.id) }, device: session.settings.device,
      deviceName: session.settings.deviceName,
      contentDevice: head.flatMap { $0.root == root ? $0.contentDeviceName : nil },
      date: session.now(), name: record.name,
      contentType: (isShort ? type : isPackage ? .package : .data).identifier, isPackage: isPackage,
      root: root)
  }

  /// Gives the document here another name if another document has its name.
  mutating func takeFreeName() async throws {
    let name = try await session.freeName(record.name, for: record, among: names)
    if name != record.name { try await move(to: name) }
  }

  /// Moves the document here; another program may get the name first, and then it is another name.
  mutating func move(to name: String) async throws {
    guard let local else { return record.name = name }
    let moved = try await session.move(local, to: name)
    self.local?.name = moved
    seen = nil
    (report.oldName, report.name) = (report.oldName ?? record.name, moved)
    record.name = moved
    try await session.state.save(record)
  }

  private mutating func commitDeletion(of head: CloudVersion) async throws -> Bool {
    var version = session.nextVersion(after: head)
    version.isDeleted = true
    if try await commit(version, here: nil) {
      try await saveForgotten()
      report.deleted = true
    }
    return false
  }

  // MARK: Down

  mutating func removeHere(_ base: TreeRoot) async throws {
    guard let local else { return }
    if let head = try session.head(of: record) { try await hideConflicts(of: head) }
    let before = record
    forgetContent()
    // The state first: a document that is gone and known to have been here would count as deleted here. If it is deleted
    // in the container, the state comes last: a document that is here and not known would count as a new one.
    if try session.head(of: before)?.isDeleted != true {
      try await session.state.save(record, setsWanted: true)
    }
    do {
      let (session, known) = (session, before)
      try await DocumentEviction(of: folder.path(of: local.name), isPackage: local.isPackage).run { path in
        try await session.look(at: path, local.isPackage, known).isUnchanged
      }
    } catch {
      // A document without its base would count as a new one, and come back to a container that deleted it. With its
      // base, one that is gone would count as deleted here.
      if (try? FolderScan.document(local.name, in: folder)) != nil {  // In doubt, nothing is deleted.
        record = before
        try await session.state.save(before)
      }
      throw error
    }
    try await session.state.save(record, children: KnownChildren(), setsWanted: true)
    self.local = nil
    report.removed = true
  }

  /// Removes the content from this machine if the container has it. The store is asked for each blob.
  ///
  /// - Throws: `unsavedEdits` if the container does not have the content that is here; `busy` if a program has the package
  ///   open; `CloudDataError` if the store lost a part of it.
  mutating func evict() async throws {
    guard let local, let base = session.base(of: record), let head = try session.head(of: record),
      head.root == base, !head.isDeleted, try await session.look(local, record).isUnchanged
    else {
      throw FilePackageError(
        .unsavedEdits, .evict, document: record.name, reason: "the container does not have its last changes")
    }
    // A deletion asks other programs to close the document. An eviction ends no other program's work.
    if local.isPackage,
      try HiddenFolder.isInUse(Location(session.folder.path(of: local.name), on: PosixDisk()))
    {
      throw FilePackageError(.busy, .evict, document: record.name, reason: "a program has it open")
    }
    try await session.checkContent(of: head)
    try await removeHere(base)
  }
}
