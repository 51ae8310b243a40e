import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// A package whose content merges as a whole, such as a document with a database, is changed by its own rules alone. The
// container replaces none of its files: the rules bring the head's content into the package, as one edit. Then the head
// is the base. If the package has more than the head, the next step uploads it.
// The bytes of equal content differ from machine to machine. So the state has the sum of the head's content, and a
// package with that sum counts as unchanged.

extension DocumentSync {
  /// The rules of the package here; nil if its children merge each by itself.
  func merger() throws -> (any ContentMerger)? {
    guard let local, local.isPackage else { return nil }
    return try session.merger(ofPackageAt: url(local))
  }

  /// Merges the head's content into the package here.
  ///
  /// - Parameter isChanged: whether the package here has changes that the container lacks.
  mutating func merge(_ head: CloudVersion, by merger: any ContentMerger, isChanged: Bool) async throws {
    guard let local, let base = session.base(of: record) else { return }
    seen = nil
    let blobs = try await session.blobs(with: head, andBaseOf: record)
    let (old, new) = (StagedContent(.base, self, blobs), StagedContent(.head, self, blobs))
    defer {
      old.remove()
      new.remove()
    }
    do {
      let differences = try await DocumentTree.differences(from: base, to: head.root, in: blobs)
      let here = try NearbyPackage(at: session.folder.path(of: local.name))
      try await old.fetch(base, near: [here])
      // Most pieces of the head are those of the base.
      try await new.fetch(
        head.root, with: differences.compactMap(\.new), near: [NearbyPackage(at: old.path), here])
      let merged = try await merger.merge(new.url, since: old.url, intoPackageAt: url(local))
      try await takeName(of: head)
      let known = try await session.state.children(of: record.id).updated(differences.map(\.change))
      try await rebase(on: head, known, sum: merged.theirSum)
      report.downloaded = true
      if !merged.isTheirs { report.merged = true }
      if merged.conflicts > 0 { report.conflict = true }
    } catch let error as CloudDataError where error.code == .missing {
      try await giveUpBase(head, isChanged: isChanged)
    } catch is UnmergeableContent {
      if isChanged { return try await becomeAnotherDocument(head) }
      // The rules may have opened the package, which then has other bytes.
      record.contentSum = try await merger.sum(ofPackageAt: old.url)
      try await downloadAnew(base)
    }
  }

  /// Removes the unchanged document, so that the next step downloads the head whole.
  mutating func downloadAnew(_ base: TreeRoot) async throws {
    try await removeHere(base)
    report.removed = false
    record.isWanted = true
    try await session.state.save(record, setsWanted: true)
  }

  /// Returns whether the package has the content of the head, in whatever bytes, and notes that.
  ///
  /// - Parameter entries: the head's entries.
  mutating func recognizes(_ head: CloudVersion, _ entries: [TreeEntry]) async throws -> Bool {
    guard let local, head.isPackage, let merger = try merger() else { return false }
    let content = StagedContent(.head, self, session.blobs(with: head))
    defer { content.remove() }
    try await content.fetch(head.root, near: [NearbyPackage(at: session.folder.path(of: local.name))])
    guard try merger.merges(packageAt: content.url) else { return false }
    let sum = try await merger.sum(ofPackageAt: content.url)
    guard try await merger.sum(ofPackageAt: url(local)) == sum else { return false }
    record.node = local.node
    try await rebase(on: head, KnownChildren(entries.map { KnownChild($0) }), sum: sum)
    return true
  }
}

/// A private copy of a content that the container has, in the hidden folder of the container folder.
private struct StagedContent {
  /// The part of the copy in a merge. A copy that a killed run left has the same name.
  enum Part: UInt8 { case base, head }

  private let session: ContainerSession
  private let blobs: BlobStore
  private let id: UUID

  init(_ part: Part, _ sync: DocumentSync, _ blobs: BlobStore) {
    (session, self.blobs) = (sync.session, blobs)
    let hash = ContentHash(of: Array("\(part) of \(sync.record.id)".utf8)).bytes
    id = hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  var path: FilePath { session.folder.path(ofStaged: id) }
  var url: URL { path.url(isDirectory: true) }

  /// Fetches the files of `StoreContent`, and other entries: from the store, but for pieces that this machine has.
  func fetch(
    _ root: TreeRoot, with others: [TreeEntry] = [], near nearby: [NearbyPackage]
  ) async throws {
    try session.folder.removeStaged(id)
    let store = PackagePath([PackageLayout.storeFolder])
    var entries: [PackagePath: TreeEntry] = [:]
    for entry in try await DocumentTree(root, blobs).entries() where entry.path.isWithin(store) {
      entries[entry.path] = entry
    }
    for entry in others where entry.path != PackagePath([PackageLayout.metadata]) {
      entries[entry.path] = entry
    }
    try await DocumentDownload(ofNewPackage: path, entries.values, in: blobs, near: nearby).run()
  }

  /// Removes the copy. If that fails, the next merge of the document does it.
  func remove() { try? session.folder.removeStaged(id) }  // The next merge removes it.
}
