import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// A version has the content of one moment: after the upload, while no program that uses coordination writes, every
//     file has the status that it had before. Otherwise the upload begins again.

/// The content of a document here, of which the container has all blobs.
struct UploadedTree: Sendable {
  var root: TreeRoot
  /// The blobs that go with a version, and that the container does not have: see `CloudVersion.blobs`.
  var blobs: [Data]
  var children: KnownChildren
  /// Whether the package has conflict versions.
  var hasConflicts: Bool
}

extension ContainerSession {
  /// The bytes of new content from which on an upload waits for its turn.
  private static let largeSize: UInt64 = 1 << 20

  /// Stores the blobs of a document's content.
  ///
  /// - Parameter seen: the last look at the document; nil if there was none since it changed.
  /// - Throws: `FilePackageError` with the code `busy` if programs change the document again and again.
  func upload(
    _ document: LocalDocument, _ record: DocumentRecord, seen: LocalTree?
  ) async throws -> UploadedTree {
    let url = try folder.url(of: document.name, isPackage: document.isPackage)
    let path = try folder.path(of: document.name)
    let coordinator = FileCoordinator()
    let children = if let seen { seen.known } else { try await state.children(of: record.id) }
    // Without the known entries, none of them is known to be gone.
    let base = children.isEmpty ? nil : try await reliableBase(of: record)
    // Its blobs may be in an earlier version alone (EN2).
    let isOverSmall = base?.isSmall ?? false
    // The container may drop the contents of an older version at any time.
    let kept = try head(of: record)?.root == base && !isOverSmall ? children : KnownChildren()
    // Each file is new if there is no base.
    let known = base == nil ? KnownChildren() : children
    var first = seen.flatMap { !$0.hasUnpublishedSave && (base != nil || $0.known.isEmpty) ? $0 : nil }
    for _ in 0..<5 {
      var tree: LocalTree
      if let seen = first {
        tree = seen
      } else {
        tree = try await coordinator.coordinate(readingItemAt: url) { url in
          let tree = try await look(at: path, document.isPackage, known: known)
          guard tree.hasUnpublishedSave else { return tree }
          // Committed saves that a killed program did not publish.
          try await publish(url)
          return try await look(at: path, document.isPackage, known: known)
        }
      }
      first = nil
      try check(tree)
      let found = tree.children
      let isSmall = enclosesSmall && tree.isSmall
      let target = isSmall ? blobs.enclosing() : blobs
      if isSmall || isOverSmall, !tree.known.isEmpty {
        var whole = try await look(at: path, document.isPackage, known: KnownChildren())
        try await store(
          &whole, at: path, isPackage: document.isPackage, over: KnownChildren(), record.id, in: target)
      }
      try await store(&tree, at: path, isPackage: document.isPackage, over: kept, record.id, in: target)
      let again = try await lookAgain(at: path, document, known: found, by: coordinator)
      guard again.isUnchanged else { continue }
      let root: TreeRoot
      if let base, !isSmall, !isOverSmall {
        let changes = tree.changes
        root = changes.isEmpty ? base : try await DocumentTree(base, blobs).updated(with: changes)
      } else {
        root = try await DocumentTree.store(tree.children.children.map(\.entry), in: target)
      }
      // They may be too large for a version.
      let enclosed = isSmall ? root.parts(among: target.enclosed.values) : nil
      if enclosed == nil { try await blobs.put(all: target.enclosed.values) }
      return UploadedTree(
        root: root, blobs: enclosed ?? [], children: tree.children, hasConflicts: again.hasConflicts)
    }
    throw FilePackageError(
      .busy, .read, document: url.path, reason: "other programs change it all the time; it is uploaded later")
  }

  /// Looks at an uploaded document once more.
  ///
  /// A coordinated look makes the programs that have a document open save it. A user who types into a database would
  /// have a new edit to save at each look, and the upload would never end. The last edits are in the database's log. So
  /// a look without coordination finds the files of the first look, unless a program publishes or checkpoints.
  private func lookAgain(
    at path: FilePath, _ document: LocalDocument, known: KnownChildren, by coordinator: FileCoordinator
  ) async throws -> LocalTree {
    let url = try folder.url(of: document.name, isPackage: document.isPackage)
    if document.isPackage, try merger(ofPackageAt: url) != nil {
      return try await look(at: path, true, known: known)
    }
    return try await coordinator.coordinate(readingItemAt: url) { _ in
      try await look(at: path, document.isPackage, known: known)
    }
  }

  /// Stores all content of an unchanged document anew, over objects that may be damaged.
  ///
  /// - Returns: whether the store has the content of the last version by now. False if the document has changed since.
  func storeAgain(_ document: LocalDocument, _ record: DocumentRecord) async throws -> Bool {
    guard let base = base(of: record), record.contentSum == nil,
      try await look(document, record).isUnchanged
    else { return false }
    let path = try folder.path(of: document.name)
    var tree = try await look(at: path, document.isPackage, known: KnownChildren())
    let blobs = BlobStore(store, overwrites: true)
    try await store(
      &tree, at: path, isPackage: document.isPackage, over: KnownChildren(), record.id, in: blobs)
    // The dates of files may differ here. The same entries make the same pages.
    let entries = try await state.children(of: record.id).children.map(\.entry)
    return try await DocumentTree.store(entries, in: blobs) == base
  }

  /// Returns the content that was here, if the container keeps it; nil if the upload has to store everything.
  private func reliableBase(of record: DocumentRecord) async throws -> TreeRoot? {
    guard let base = base(of: record) else { return nil }
    if base.isSmall { return base }
    guard record.head != nil else { return base }
    return try await keeps(base, of: record) ? base : nil
  }

  /// Checks that other machines can take the document, if it has new entries.
  ///
  /// - Throws: `CloudDataError` with the code `refused`.
  func check(_ tree: LocalTree) throws {
    let new = tree.newEntries
    guard !new.isEmpty else { return }
    var rules = EntryRules(in: blobs.place)
    do throws(CloudDataError) {
      if let problem = TreeTotals(entries: UInt64(tree.count)).problem(over: limit) {
        throw CloudDataError(.refused, in: blobs.place, reason: problem)
      }
      for entry in new { try rules.check(entry) }
      let all = tree.children
      for folder in Set(new.map(\.path.parent)).sorted() {
        try EntryRules.check(all.names(in: folder), of: folder, in: blobs.place)
      }
    } catch {
      var error = error
      error.isUpload = true
      throw error
    }
  }

  private func publish(_ url: URL) async throws {
    if let merger = try merger(ofPackageAt: url) { return try await merger.settle(packageAt: url) }
    let store = try await PackageStore.open(at: url)
    try await store.publish()
    try await store.close()
  }

  /// Stores the new files of a tree.
  ///
  /// - Parameters:
  ///   - root: the place of the tree.
  ///   - known: the entries of the content that was here, if the last version has it.
  ///   - blobs: the place of the blobs.
  func store(
    _ tree: inout LocalTree, at root: FilePath, isPackage: Bool, over known: KnownChildren, _ id: String,
    in blobs: BlobStore
  ) async throws {
    if let metadata = tree.newMetadata { try await blobs.put(metadata) }
    let files = tree.newFiles.keys.sorted()
    let gone = known.isEmpty ? [:] : tree.goneContents
    let bases = files.map { path -> FileContent? in
      if case .file(let content)? = known[path]?.entry.kind { return content }
      return tree.newFiles[path].flatMap { gone[$0.size] }
    }
    let size = tree.newSize
    func upload() async throws -> [FileContent] {
      transfers.begin(id, isUpload: true)
      defer { transfers.end(id) }
      return try await concurrentMap(Array(zip(files, bases)), BlobStore.maximumCalls) { path, base in
        try await FileUpload(of: isPackage ? path : .root, in: root, over: base, to: blobs)
          .content { transfers.add(UInt64($0), of: size, to: id) }
      }
    }
    let contents: [FileContent]
    if size < Self.largeSize {
      contents = try await upload()
    } else {
      // The versions of other documents do not wait for it.
      contents = try await committer.expecting(-1) {
        try await largeUploads.waitUnlessCancelled()
        defer { largeUploads.signal() }
        return try await upload()
      }
    }
    tree.note(Dictionary(uniqueKeysWithValues: zip(files, contents)))
  }
}
