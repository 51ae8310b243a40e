import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The step that gives a document its new content, when all contents are here.
struct DownloadCommit: Sendable {
  let download: DocumentDownload
  let fetched: FetchedContents
  let disk: any Disk
  private var differences: [TreeDifference] { download.differences }

  /// Gives the document at a path the new content.
  func run(at path: FilePath) async throws {
    switch (download.isPackage, download.isNew) {
    case (true, true): try await create(at: path)
    case (true, false): try await save(at: path)
    case (false, true):
      guard let file = try newFile(at: path) else { return }
      // A download has no use for the report.
      _ = try await BlockingThread().run { [disk] () throws(FilePackageError) in
        try FlatFileStore.create(file, path, on: disk).report
      }
    case (false, false): try await saveFile(at: path)
    }
  }

  // MARK: Packages

  private func create(at path: FilePath) async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    var type: UTType?
    if let content = metadata {
      if content.isSharedMetadata { type = download.contentType } else { tree.metadataRole = .child }
    }
    try await BlockingThread().run { () throws in
      try LocalChanges(self, at: path, in: tree, isNew: true).apply(differences)
    }
    let (store, _) = try await PackageStore.create(tree, path, contentType: type, on: disk)
    try await store.close()
  }

  /// The new metadata.
  private var metadata: FileContent? {
    for case .file(let content)? in differences.filter({ $0.path.names == [PackageLayout.metadata] }).map(
      \.new?.kind)
    {
      return content
    }
    return nil
  }

  private func save(at path: FilePath) async throws {
    let store = try await PackageStore.open(path, on: disk)
    let tree = await store.tree
    do {
      try await BlockingThread().run { () throws in
        try LocalChanges(self, at: path, in: tree, isNew: false).apply(differences)
      }
      try await store.save()
    } catch {
      try? await store.close()  // The first error counts. The tree is given up.
      throw error
    }
    try await store.close()
  }

  // MARK: Flat files

  /// Makes the new file; nil if only a program without this download's entry could want one.
  private func newFile(at path: FilePath) throws -> FileWrapper? {
    guard let entry = differences.compactMap(\.new).first, case .file(let content) = entry.kind else {
      return nil
    }
    guard let file = fetched.wrapper(content, mode: entry.mode) else {
      throw CloudDataError(.missing, in: download.blobs.place, child: entry.path.display)
    }
    return file
  }

  private func saveFile(at path: FilePath) async throws {
    guard let difference = differences.first(where: { $0.new != nil }),
      case .file(let new)? = difference.new?.kind
    else { return }
    let store = try await BlockingThread().run { [disk] () throws(FilePackageError) in
      try FlatFileStore.open(path, on: disk)
    }
    let file = await store.file
    let hash = try await BlockingThread().run { () throws in try file.contentHash() }
    if hash == new.hash { return }
    // DD2
    guard case .file(let old)? = differences.compactMap(\.old).first?.kind, old.hash == hash else {
      throw FilePackageError(
        .changedOnDisk, .save, document: FileName(path).string, reason: LocalChanges.unknownChange)
    }
    if let file = try newFile(at: path) { try await store.save(file) }
  }
}

extension FileContent {
  /// Whether this is the content of `Metadata.plist` that all machines share: the application's values alone, without a
  /// date.
  package var isSharedMetadata: Bool { modified == FileTime(seconds: 0, nanoseconds: 0) }
}
