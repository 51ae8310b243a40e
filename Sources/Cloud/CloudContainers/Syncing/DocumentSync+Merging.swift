import DurableIO
import FilePackages
import FoundationEssentials

// If both sides changed a document, the next version has both changes, or names a conflict.

extension DocumentSync {
  mutating func merge(with head: CloudVersion) async throws -> Bool {
    guard let local else { return true }
    guard let base = session.base(of: record) else { return try await reconcile(head) }
    if let merger = try merger() {
      try await merge(head, by: merger, isChanged: true)
      return false
    }
    let uploaded: UploadedTree
    let blobs: BlobStore
    let ours: [TreeDifference]
    do {
      uploaded = try await session.upload(local, record, seen: seen)
      seen = nil
      blobs = try await session.blobs(with: head, andBaseOf: record).adding(uploaded.blobs)
      ours = try await DocumentTree.differences(from: base, to: uploaded.root, in: blobs)
    } catch let error as CloudDataError where error.code == .missing {
      // The container no longer has so old a base.
      try await saveForgotten()
      return false
    }
    let theirs = try await DocumentTree.differences(from: base, to: head.root, in: blobs)
    var merge = EntryMerge(ours: ours, theirs: theirs)
    try await mergeTexts(&merge, in: blobs)
    var conflict: LostVersion?
    var (root, enclosed) = (head.root, head.blobs)
    if merge.conflicts.isEmpty {
      report.kept = merge.kept.map(\.string)
      root = try await DocumentTree(head.root, blobs).updated(with: merge.changes)
      enclosed = try await session.enclose(root, from: blobs)
    } else if local.isPackage, head.conflicts.count < CloudVersion.maximumConflicts {
      // The collection of garbage keeps the origin with the conflict, if the container still has it.
      let isKept = try await session.keeps(base, of: record)
      conflict = LostVersion(
        root: uploaded.root, origin: isKept ? base : nil, deviceName: session.settings.deviceName,
        date: session.now())
      // A version in conflict has no blobs, and the last version may go before it.
      try await session.blobs.put(all: blobs.enclosed.values)
    } else {
      return try await becomeAnotherDocument(head)
    }
    // If both gave it a new name, theirs is first.
    let isTheirs = head.name != record.baseName
    if !isTheirs, isRenamed { try await takeFreeName() }
    var version = try await next(after: head, root: root, isPackage: head.isPackage)
    (version.name, version.blobs) = (isTheirs ? head.name : record.name, enclosed)
    if let conflict { version.conflicts = version.conflicts.with(conflict) }
    if version.root == head.root, version.name == head.name, version.conflicts == head.conflicts {
      // They have all of ours.
      record.base = Data(uploaded.root.bytes)
      record.baseName = record.name
      record.contentSum = nil
      try await session.state.save(record, children: uploaded.children)
      return false
    }
    // The next step compares with the content that was here.
    if root != uploaded.root { try await session.blobs.put(all: uploaded.blobs) }
    if try await commit(version, here: (uploaded.root, uploaded.children)) {
      report.uploaded = true
      report.merged = conflict == nil
      report.conflict = conflict != nil
    }
    return false
  }

  private func mergeTexts(_ merge: inout EntryMerge, in blobs: BlobStore) async throws {
    let texts = TextMerge(blobs: blobs)
    for file in merge.changedFiles {
      let name = local?.isPackage == true ? file.ours.path.name?.string : record.name
      if let entry = try await texts.merged(file, named: name ?? "") { merge.resolve(with: entry) }
    }
  }

  /// Settles a document here, of which it is not known that it ever was in the container, with one of that name.
  private mutating func reconcile(_ head: CloudVersion) async throws -> Bool {
    guard let local else { return true }
    let tree = if let seen { seen } else { try await session.look(local, record) }
    let entries = try await DocumentTree(head.root, session.blobs(with: head)).entries()
    let isSame =
      local.isPackage == head.isPackage && entries.count == tree.count
      && zip(entries, tree.children.children).allSatisfy { theirs, own in
        theirs.path == own.entry.path && own.entry.hasSameBytes(as: theirs)
      }
    if isSame {
      try await adopt(head, KnownChildren(entries.map { KnownChild($0) }))
      return false
    }
    if try await recognizes(head) { return false }
    return try await becomeAnotherDocument(head)
  }

  /// Gives the document here a name of its own. The next look finds a new document there.
  mutating func becomeAnotherDocument(_ head: CloudVersion) async throws -> Bool {
    guard let local else { return true }
    forgetContent()
    record.isWanted = true
    record.name = head.name
    try await session.state.save(record, children: KnownChildren(), setsWanted: true)
    let name = try await freeName(local.name, except: DocumentName.folded(head.name))
    _ = try await session.move(local, to: name)  // The next look finds the name.
    report.conflict = true
    self.local = nil
    return false
  }
}
