import Documents
import DurableIO
import FilePackages
import FoundationEssentials

// All content comes in one way: the head's changes since the base come under the changes that are here. Then the head is
// the base, and what is here besides is a change since the head, which the next step uploads.

extension DocumentSync {
  /// Brings the head's content here, and keeps the changes that are here.
  mutating func bring(_ head: CloudVersion) async throws {
    let isNew = local == nil
    // A package that comes anew shows no conflict yet, so that none was resolved here.
    if isNew { record.shownConflicts = "" }
    let base = isNew ? nil : session.base(of: record)
    if !isNew, base == nil { return try await reconcile(head) }
    let ours = seen?.differences ?? []
    let isChanged = !isNew && (!ours.isEmpty || isRenamed)
    // A package takes the place of a flat file as a whole, and a flat file that of a package.
    if let base, local?.isPackage != head.isPackage {
      return try await isChanged ? becomeAnotherDocument(head) : downloadAnew(base)
    }
    if let merger = try merger() { return try await merge(head, by: merger, isChanged: isChanged) }
    // The merged texts are in no object of the store.
    let blobs = try await session.blobs(with: head, andBaseOf: record).enclosing()
    var theirs: [TreeDifference] = []
    do {
      if base != head.root {
        theirs = try await downloading {
          let theirs = try await DocumentTree.differences(from: base, to: head.root, in: blobs)
          try Task.checkCancellation()
          return theirs
        }
      }
    } catch let error as CloudDataError where error.code == .missing && base != nil {
      return try await giveUpBase(head, isChanged: isChanged)
    }
    var changes = theirs
    if isChanged {
      // The changes of the container come on top of what is here.
      var merge = EntryMerge(ours: theirs, theirs: ours)
      try await mergeTexts(&merge, in: blobs)
      if !merge.conflicts.isEmpty { return try await commitConflict(head) }
      report.kept = merge.kept.map(\.string)
      var here: [PackagePath: TreeEntry?] = [:]
      for difference in theirs { here[difference.path] = .some(difference.old) }
      for difference in ours { here[difference.path] = .some(difference.new) }
      changes = merge.changes.sorted { $0.key < $1.key }.map { path, new in
        TreeDifference(path: path, old: here[path] ?? nil, new: new)
      }
    }
    try await takeName(of: head)
    try await fetch(changes, of: head, in: blobs)
    let known = isNew ? KnownChildren() : try await session.state.children(of: record.id)
    try await adopt(head, known.updated(theirs.map(\.change)))
    if base != head.root { report.downloaded = true }
    if isChanged, isRenamed || seen?.isUnchanged == false { report.merged = true }
  }

  /// Settles a document whose base the container no longer has, as after a long time.
  ///
  /// - Throws: `CloudDataError` if the store lacks a part of the head instead.
  mutating func giveUpBase(_ head: CloudVersion, isChanged: Bool) async throws {
    if !head.hasContent {
      try await StoredContent(in: session.store).check([head.root], of: head.name)
    }
    // Conflict versions that only this machine has go nowhere.
    if isChanged || seen?.hasConflicts == true { return try await saveForgotten() }
    if let base = session.base(of: record) { try await downloadAnew(base) }
  }

  /// Takes the head's name if another device gave it. If both sides did, theirs is first.
  mutating func takeName(of head: CloudVersion) async throws {
    if local == nil {
      record.name = head.name
    } else if head.name != record.baseName, head.name != record.name {
      // If the name is taken here, the name that it gets is a change of this machine.
      record.baseName = head.name
      try await move(to: head.name)
    }
  }

  private mutating func fetch(
    _ changes: [TreeDifference], of head: CloudVersion, in blobs: BlobStore
  ) async throws {
    let (transfers, id, isNew) = (session.transfers, record.id, local == nil)
    if changes.isEmpty && !isNew { return }
    let download = DocumentDownload(
      to: try session.folder.path(of: record.name), isPackage: head.isPackage,
      contentType: UTType(head.contentType), isNew: isNew, changes, in: blobs)
    try await downloading { try await download.run { transfers.add($0, of: $1, to: id) } }
  }

  /// Runs a part of the download, which its user can cancel.
  private mutating func downloading<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let (session, id, name) = (session, record.id, record.name)
    do {
      // The versions of other documents do not wait for it.
      return try await session.committer.expecting(-1) {
        try await session.transfers.download(id, name: name, body)
      }
    } catch let error as FilePackageError where error.code == .cancelled {
      // The next run would begin it anew.
      if local == nil {
        record.isWanted = false
        try await session.state.save(record, setsWanted: true)
      }
      throw error
    }
  }

  /// Notes that the content here is the head's, except where a program has changed it since.
  ///
  /// - Parameter expected: the head's entries.
  private mutating func adopt(_ head: CloudVersion, _ expected: KnownChildren) async throws {
    // Without the statuses of files. If the process ends here, the next look reads them.
    try await rebase(on: head, expected)
    guard let found = try FolderScan.document(record.name, in: session.folder) else { return }
    local = found
    record.node = found.node
    let tree = try await session.look(found, record)
    let children = tree.childrenWithStatuses
    try await session.state.save(record, children: children)
    seen = tree.isUnchanged ? LocalTree(unchanged: children, hasConflicts: tree.hasConflicts) : tree
  }

  /// Makes the head the base of the document.
  ///
  /// - Parameters:
  ///   - children: the head's entries.
  ///   - sum: the sum of the head's content, if the package here has it in other bytes.
  mutating func rebase(on head: CloudVersion, _ children: KnownChildren, sum: String? = nil) async throws {
    seen = nil
    record.base = Data(head.root.bytes)
    record.baseName = head.name == record.baseName ? head.name : record.name
    record.contentSum = sum
    record.isWanted = false
    try await session.state.save(record, children: children, setsWanted: true)
  }

  // MARK: Both sides

  /// Merges the texts that both sides changed.
  private func mergeTexts(_ merge: inout EntryMerge, in blobs: BlobStore) async throws {
    guard let local else { return }
    let texts = TextMerge(blobs: blobs)
    for file in merge.changedFiles {
      let path = local.isPackage ? file.theirs.path : .root
      let name = path.name?.string ?? record.name
      guard TextMerge.isText(name), file.theirs.size <= TextMerge.maximumSize else { continue }
      // The container does not have the text that is here.
      let text = try await FileUpload(of: path, in: session.folder.path(of: local.name), to: blobs).content()
      guard text.hash == file.theirs.contentHash else {
        throw FilePackageError(
          .changedOnDisk, .read, document: record.name, child: path.display,
          reason: "another program changed it at this moment")
      }
      if let entry = try await texts.merged(file) { merge.resolve(with: entry) }
    }
  }

  /// Makes the content here a conflict of the next version, which has the head's content. Then that can come.
  private mutating func commitConflict(_ head: CloudVersion) async throws {
    guard let local, let base = session.base(of: record), local.isPackage,
      head.conflicts.count < CloudVersion.maximumConflicts
    else { return try await becomeAnotherDocument(head) }
    let uploaded = try await session.upload(local, record, seen: seen)
    seen = nil
    // A version in conflict has no blobs, and the last version may go before it.
    let blobs = try await session.blobs(with: head, andBaseOf: record).adding(uploaded.blobs)
    try await session.blobs.put(all: blobs.enclosed.values)
    // The collection of garbage keeps the origin with the conflict, if the container still has it.
    let isKept = try await session.keeps(base, of: record)
    let conflict = LostVersion(
      root: uploaded.root, origin: isKept ? base : nil, deviceName: session.settings.deviceName,
      date: session.now())
    // If both gave it a new name, theirs is first.
    let isTheirs = head.name != record.baseName
    if !isTheirs, isRenamed { try await takeFreeName() }
    var version = try await next(after: head, root: head.root, isPackage: true)
    (version.name, version.blobs) = (isTheirs ? head.name : record.name, head.blobs)
    version.conflicts = version.conflicts.with(conflict)
    if try await commit(version, here: (uploaded.root, uploaded.children)) {
      report.uploaded = true
      report.conflict = true
    }
  }

  /// Settles a document here, of which it is not known that it ever was in the container, with one of that name.
  private mutating func reconcile(_ head: CloudVersion) async throws {
    guard let local else { return }
    let tree = if let seen { seen } else { try await session.look(local, record) }
    let entries = try await DocumentTree(head.root, session.blobs(with: head)).entries()
    let isSame =
      local.isPackage == head.isPackage && entries.count == tree.count
      && zip(entries, tree.children.children).allSatisfy { theirs, own in
        theirs.path == own.entry.path && own.entry.hasSameBytes(as: theirs)
      }
    if isSame { return try await adopt(head, KnownChildren(entries.map { KnownChild($0) })) }
    if try await !recognizes(head, entries) { try await becomeAnotherDocument(head) }
  }

  /// Gives the document here a name of its own. The next look finds a new document there.
  mutating func becomeAnotherDocument(_ head: CloudVersion) async throws {
    guard let local else { return }
    forgetContent()
    record.isWanted = true
    record.name = head.name
    try await session.state.save(record, children: KnownChildren(), setsWanted: true)
    let name = try await session.freeName(
      local.name, for: record, except: DocumentName.folded(head.name), among: names)
    _ = try await session.move(local, to: name)  // The next look finds the name.
    report.conflict = true
    self.local = nil
  }
}

extension TreeDifference {
  /// The change of the known entries.
  var change: KnownChildren.Change {
    if let new { KnownChildren.Change(KnownChild(new)) } else { KnownChildren.Change(removing: path) }
  }
}
