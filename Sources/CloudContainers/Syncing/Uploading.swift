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
  var children: [KnownChild]
  /// The changes from the base.
  var changes: [PackagePath: TreeEntry?]
}

extension ContainerSession {
  /// Looks at a document without waiting for any program.
  func look(_ document: LocalDocument, _ record: DocumentRecord) async throws -> LocalTree {
    try await look(at: folder.path(of: document.name), document.isPackage, record)
  }

  /// Looks at a document at a path.
  func look(at path: FilePath, _ isPackage: Bool, _ record: DocumentRecord) async throws -> LocalTree {
    try await look(at: path, isPackage, known: state.children(of: record.id))
  }

  private func look(
    at path: FilePath, _ isPackage: Bool, known: [PackagePath: KnownChild]
  ) async throws -> LocalTree {
    let disk = folder.disk
    return try await BlockingThread().run { () throws in
      do throws(SystemError) {
        return try LocalTree(at: path, isPackage: isPackage, known: known, on: disk)
      } catch {
        throw FilePackageError(
          FilePackageError.Code(error.code), .read, document: FileName(path).string, reason: "\(error)")
      }
    }
  }

  /// Stores the blobs of a document's content.
  ///
  /// - Throws: `FilePackageError` with the code `busy` if programs change the document again and again.
  func upload(_ document: LocalDocument, _ record: DocumentRecord) async throws -> UploadedTree {
    let url = try folder.url(of: document.name, isPackage: document.isPackage)
    let coordinator = FileCoordinator()
    let base = try await reliableBase(of: record)
    // The container may drop the contents of an older version at any time.
    let known =
      try head(of: record)?.root == base ? await state.children(of: record.id) : [:]
    for _ in 0..<5 {
      var tree = try await coordinator.coordinate(readingItemAt: url) { url in
        let tree = try await look(document, record, over: base)
        guard tree.hasJournal else { return tree }
        // Committed saves that a killed program did not publish.
        try await publish(url)
        return try await look(document, record, over: base)
      }
      try check(tree)
      let found = tree
      try await store(&tree, of: document, over: known, record.id)
      let again = try await coordinator.coordinate(readingItemAt: url) { _ in
        try await look(document, record, over: base)
      }
      guard found.isSame(as: again) else { continue }
      let changes = tree.changes
      let root: TreeRoot
      if let base {
        root = changes.isEmpty ? base : try await DocumentTree(base, blobs).updated(with: changes)
      } else {
        let entries = tree.children.values.map(\.entry).sorted { $0.path < $1.path }
        root = try await DocumentTree.store(entries, in: blobs)
      }
      return UploadedTree(root: root, children: Array(tree.children.values), changes: changes)
    }
    throw FilePackageError(
      .busy, .read, document: url.path, reason: "other programs change it all the time; it is uploaded later")
  }

  /// Returns the content that was here, if the container keeps it; nil if the upload has to store everything.
  private func reliableBase(of record: DocumentRecord) async throws -> TreeRoot? {
    guard let base = base(of: record) else { return nil }
    guard let head = try head(of: record) else { return base }
    return try await keeps(base, under: head) ? base : nil
  }

  /// Looks at a document; each file of it is new if there is no base.
  private func look(
    _ document: LocalDocument, _ record: DocumentRecord, over base: TreeRoot?
  ) async throws -> LocalTree {
    if base != nil { return try await look(document, record) }
    return try await look(at: folder.path(of: document.name), document.isPackage, known: [:])
  }

  /// Checks that other machines can take the document, if it has new entries.
  ///
  /// - Throws: `CloudDataError` with the code `refused`.
  private func check(_ tree: LocalTree) throws {
    let new = tree.newEntries
    var rules = EntryRules(in: blobs.place)
    for entry in new { try rules.check(entry) }
    var names = Dictionary(new.map { ($0.path.parent, [FileName]()) }) { one, _ in one }
    guard !names.isEmpty else { return }
    for path in tree.children.keys { if let name = path.name { names[path.parent]?.append(name) } }
    for (folder, names) in names.sorted(by: { $0.key < $1.key }) {
      try EntryRules.check(names.sorted(), of: folder, in: blobs.place)
    }
  }

  private func publish(_ url: URL) async throws {
    let store = try await PackageStore.open(at: url)
    try await store.publish()
    try await store.close()
  }

  /// Stores the new files of a tree.
  ///
  /// - Parameter known: the entries of the content that was here, if the last version has it.
  private func store(
    _ tree: inout LocalTree, of document: LocalDocument, over known: [PackagePath: KnownChild], _ id: String
  ) async throws {
    if let metadata = tree.newMetadata { try await blobs.put(metadata) }
    let root = try folder.path(of: document.name)
    let files = tree.newFiles.keys.sorted()
    let gone = known.isEmpty ? [:] : tree.goneContents
    let bases = files.map { path -> FileContent? in
      if case .file(let content)? = known[path]?.entry.kind { return content }
      return tree.newFiles[path].flatMap { gone[$0.size] }
    }
    let isPackage = document.isPackage
    transfers.begin(id, isUpload: true, totalBytes: tree.newFiles.values.reduce(0) { $0 &+ $1.size })
    defer { transfers.end(id) }
    let contents = try await concurrentMap(Array(zip(files, bases)), BlobStore.maximumCalls) {
      [blobs] path, base in
      try await FileUpload(of: isPackage ? path : .root, in: root, over: base, to: blobs)
        .content { transfers.add($0, to: id) }
    }
    for (path, content) in zip(files, contents) { tree.note(content, at: path) }
  }
}
