package import Documents
package import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

// DD1 Until all contents are here and checked, nothing of the document changes. Then it changes in one step.
// DD2 A download replaces and removes only children that are as the container had them.
// DD3 Each entry passes the checks of an import from other people before anything is fetched.

/// The download of a document: the step from the content that is here to another one that the container has.
package struct DocumentDownload: Sendable {
  /// The place of the document.
  package var path: FilePath
  /// Whether the document is a directory; otherwise it is a flat file, whose tree has one entry.
  package var isPackage: Bool
  /// The document's type, for the metadata of a new package.
  package var contentType: UTType?
  /// The content that is here; nil if the document is not here.
  package var base: TreeRoot?
  /// The content that comes.
  package var target: TreeRoot
  /// The container's blobs.
  package var blobs: BlobStore
  /// The largest document that comes.
  package var limits = TreeLimits.document
  /// Packages of this machine whose files may have pieces of the new ones, at the same places. The store is not asked
  /// for those.
  package var nearby: [NearbyPackage] = []
  /// The coordinator for the write.
  package var coordinator: FileCoordinator
  private let disk: any Disk

  package init(
    to path: FilePath, isPackage: Bool, contentType: UTType?, from base: TreeRoot?, to target: TreeRoot,
    in blobs: BlobStore, by coordinator: FileCoordinator = FileCoordinator(), on disk: any Disk = PosixDisk()
  ) {
    (self.path, self.isPackage, self.contentType) = (path, isPackage, contentType)
    (self.base, self.target, self.blobs) = (base, target, blobs)
    (self.coordinator, self.disk) = (coordinator, disk)
  }

  /// Brings the document to the new content (DD1).
  ///
  /// Presenters save first, and an open document takes in the new content as that of another program. A download that
  /// was cut short can be repeated, with the same result.
  ///
  /// Cost: the pages and contents that differ. Memory: 16 MiB of small files, and eight pieces of large ones.
  ///
  /// - Parameter progress: gets each progress, from any thread.
  /// - Returns: the entries that differ.
  /// - Throws: `CloudDataError` for damaged or dangerous content (DD3); `ObjectStoreError`; `CancellationError`.
  ///   `FilePackageError` with the code `changedOnDisk` if a child has changes that the container does not have (DD2),
  ///   `fileExists` if a new document's name is taken, and other codes for the system's reasons. The document then is
  ///   as it was.
  @discardableResult
  package func run(
    progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws -> [TreeDifference] {
    let differences = try await DocumentTree.differences(from: base, to: target, in: blobs, limits: limits)
    if base != nil, differences.isEmpty { return [] }
    var rules = EntryRules(limits, in: blobs.place)
    for case let entry? in differences.map(\.new) { try rules.check(entry) }
    if !isPackage { try checkFlat(differences) }
    let document = try await makeFolders()
    let fetched = try await FetchedContents.fetch(
      missingFiles(of: differences), from: blobs, or: nearby, beside: document, on: disk, progress: progress)
    try Task.checkCancellation()
    let commit = DownloadCommit(download: self, differences: differences, fetched: fetched, disk: disk)
    guard disk.isReal else {
      try await commit.run(at: document)
      return differences
    }
    let url = URL(
      filePath: FileName(document).string, directoryHint: isPackage ? .isDirectory : .notDirectory)
    try await coordinator.coordinate(writingItemAt: url) { url in
      try await commit.run(at: FilePath(of: url, for: .save))
    }
    return differences
  }

  /// The new files whose bytes are not here: those of a file that only got another mode, date or name are.
  private func missingFiles(of differences: [TreeDifference]) -> [TreeEntry] {
    let here = isPackage ? Set(differences.compactMap(\.old?.contentHash)) : []
    return differences.compactMap(\.new).filter { entry in
      guard let hash = entry.contentHash else { return false }
      return !here.contains(hash)
    }
  }

  private func checkFlat(_ differences: [TreeDifference]) throws {
    let new = differences.compactMap(\.new)
    guard target.totals.entries == 1, new.count == 1, case .file = new[0].kind else {
      throw CloudDataError(.invalid, in: blobs.place, reason: "it is a flat file, and has other entries")
    }
  }

  /// Makes the missing folders around a new document.
  private func makeFolders() async throws -> FilePath {
    guard base == nil else { return path }
    return try await BlockingThread().run { [path, disk] () throws(FilePackageError) in
      do throws(SystemError) {
        try disk.makeFolders(at: path.removingLastComponent())
      } catch {
        throw FilePackageError(
          error, .create, StoredNode(location: Location(path, on: disk), path: .root),
          activity: "making its folder")
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
  /// Whether both sides are files of the same bytes.
  var hasSameBytes: Bool {
    guard case .file(let old)? = old?.kind, case .file(let new)? = new?.kind else { return false }
    return old.hash == new.hash && old.size == new.size
  }
}
