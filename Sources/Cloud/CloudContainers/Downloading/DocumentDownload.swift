package import Documents
package import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

// DD1 Until all contents are here and checked, nothing of the document changes. Then it changes in one step.
// DD2 A download replaces and removes only children that are as the container had them.
// DD3 Each entry passes the checks of an import from other people before anything is fetched.

/// The download of a document: the step from the content that is here to another one.
package struct DocumentDownload: Sendable {
  /// The place of the document.
  package var path: FilePath
  /// Whether the document is a directory; otherwise it is a flat file, whose tree has one entry.
  package var isPackage: Bool
  /// The document's type, for the metadata of a new package.
  package var contentType: UTType?
  /// Whether the document is made.
  package var isNew: Bool
  /// The entries that change, in order: as they are here, and as they become.
  package var differences: [TreeDifference]
  /// The blobs that have the bytes of new files.
  package var blobs: BlobStore
  /// Packages of this machine whose files may have pieces of the new ones, at the same places. The store is not asked
  /// for those.
  package var nearby: [NearbyPackage] = []
  private let disk: any Disk

  package init(
    to path: FilePath, isPackage: Bool, contentType: UTType? = nil, isNew: Bool,
    _ differences: [TreeDifference],
    in blobs: BlobStore, on disk: any Disk = PosixDisk()
  ) {
    (self.path, self.isPackage, self.contentType) = (path, isPackage, contentType)
    (self.isNew, self.differences, self.blobs, self.disk) = (isNew, differences, blobs, disk)
  }

  /// Makes a package of some entries, with the folders around them.
  init(
    ofNewPackage path: FilePath, _ entries: some Sequence<TreeEntry>, in blobs: BlobStore,
    near nearby: [NearbyPackage] = []
  ) {
    var all: [PackagePath: TreeEntry] = [:]
    for entry in entries { all[entry.path] = entry }
    for folder in all.keys.flatMap(\.folders) where all[folder] == nil {
      all[folder] = TreeEntry(folder, .directory, mode: 0o755)
    }
    let differences = all.values.sorted { $0.path < $1.path }.map { TreeDifference(path: $0.path, new: $0) }
    self.init(to: path, isPackage: true, isNew: true, differences, in: blobs)
    self.nearby = nearby
  }

  /// Brings the document to the new content (DD1).
  ///
  /// Presenters save first, and an open document takes in the new content as that of another program. A download that
  /// was cut short can be repeated, with the same result.
  ///
  /// Cost: the contents that differ. Memory: 16 MiB of small files, and eight pieces of large ones.
  ///
  /// - Parameter progress: gets the bytes that have arrived since its last call, and all bytes, from any thread.
  /// - Throws: `CloudDataError` for damaged or dangerous content (DD3); `ObjectStoreError`; `CancellationError`.
  ///   `FilePackageError` with the code `changedOnDisk` if a child has changes that the container does not have (DD2),
  ///   `fileExists` if a new document's name is taken, and other codes for the system's reasons. The document then is
  ///   as it was.
  package func run(
    progress: @escaping @Sendable (_ arrived: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) async throws {
    if !isNew, differences.isEmpty { return }
    var rules = EntryRules(in: blobs.place)
    for case let entry? in differences.map(\.new) { try rules.check(entry) }
    if !isPackage { try checkFlat() }
    let document = try await makeFolders()
    let fetched = try await FetchedContents.fetch(
      missingFiles, from: blobs, or: nearby, beside: document, on: disk, progress: progress)
    try Task.checkCancellation()
    let commit = DownloadCommit(download: self, fetched: fetched, disk: disk)
    guard disk.isReal else { return try await commit.run(at: document) }
    try await FileCoordinator().coordinate(writingItemAt: document.url(isDirectory: isPackage)) { url in
      try await commit.run(at: FilePath(of: url, for: .save))
    }
  }

  /// The new files whose bytes are not here: those of a file that only got another mode, date or name are.
  private var missingFiles: [TreeEntry] {
    let here = isPackage ? Set(differences.compactMap(\.old?.contentHash)) : []
    return differences.compactMap(\.new).filter { entry in
      guard let hash = entry.contentHash else { return false }
      return !here.contains(hash)
    }
  }

  private func checkFlat() throws {
    guard differences.count == 1, case .file? = differences[0].new?.kind,
      (differences[0].old == nil) == isNew
    else {
      throw CloudDataError(.invalid, in: blobs.place, reason: "it is a flat file, and has other entries")
    }
  }

  /// Makes the missing folders around a new document.
  private func makeFolders() async throws -> FilePath {
    guard isNew else { return path }
    return try await BlockingThread().run { [path, disk] () throws(FilePackageError) in
      try path.attempt(.create, "making its folder", on: disk) {
        try disk.makeFolders(at: path.removingLastComponent())
      }
      return path
    }
  }
}

extension TreeEntry {
  /// The hash of a file's bytes; nil for any other node.
  var contentHash: ContentHash? { if case .file(let content) = kind { content.hash } else { nil } }
}

extension TreeDifference {
  /// Whether the node stays, with other attributes at most.
  var hasSameBytes: Bool {
    guard let old, let new else { return false }
    return old.hasSameBytes(as: new)
  }
}
