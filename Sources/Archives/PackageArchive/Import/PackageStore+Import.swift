import DurableIO
public import FilePackages
public import FoundationEssentials
public import SystemPackage

extension PackageStore {
  /// Imports an archive as a new package: a zip, or a tar with at most one of gzip, xz and Zstandard.
  ///
  /// Afterwards the whole package is at `url` and durable, or `url` does not exist. The import reads the archive as a
  /// stream, even from a FIFO. A zip needs a file; the import copies a zip from a stream to a temporary file first.
  /// The package gets permissions, dates and `user.*` attributes from the archive, but no owners, access lists or
  /// set-user-ID bits. A cancelled task leaves nothing.
  ///
  /// A document of this library gets a log with the digest of each child, if the children are those of its last save.
  ///
  /// Cost: the bytes of the archive and of the package, and one sync for each file and each folder, many at once. The
  /// bytes of a document are read once more. Memory does not depend on the sizes of files.
  ///
  /// - Throws: an `ArchiveError` that names the entry, for damage, a refused entry or an excess over
  ///   `options.limits`; `fileExists` if something exists at `url`; `CancellationError`.
  @discardableResult
  public static func importArchive(
    at archive: URL, to url: URL, options: ImportOptions = ImportOptions(),
    progress: ArchiveProgress.Handler? = nil
  ) async throws -> ImportReport {
    let (from, to) = try (FilePath(of: archive, for: .create), FilePath(of: url, for: .create))
    return try await blocking { cancellation in
      try importing(FileName(from).string) {
        try ArchiveInput(at: from, cancellation).imported(to: to, options, cancellation, progress)
      }
    }
  }

  /// Imports an archive from a descriptor, such as standard input, as a new package, as
  /// `importArchive(at:to:options:progress:)` does.
  @discardableResult
  public static func importArchive(
    from descriptor: FileDescriptor, to url: URL, options: ImportOptions = ImportOptions(),
    progress: ArchiveProgress.Handler? = nil
  ) async throws -> ImportReport {
    let to = try FilePath(of: url, for: .create)
    return try await blocking { cancellation in
      try importing(nil) {
        try ArchiveInput(descriptor, cancellation).imported(to: to, options, cancellation, progress)
      }
    }
  }
}

extension FileWrapper {
  /// Reads an archive into memory as a tree, with the checks of
  /// `PackageStore.importArchive(at:to:options:progress:)`; writes nothing.
  ///
  /// Cost: memory for all files together. Set `options.limits.bytes` for archives from other people.
  public static func importArchive(
    at archive: URL, options: ImportOptions = ImportOptions(), progress: ArchiveProgress.Handler? = nil
  ) async throws -> FileWrapper {
    let from = try FilePath(of: archive, for: .create)
    return try await blocking { cancellation in
      try importing(FileName(from).string) {
        try ArchiveInput(at: from, cancellation).imported(options, cancellation, progress)
      }
    }
  }

  /// Reads an archive from a descriptor, such as standard input, as `importArchive(at:options:progress:)` does.
  package static func importArchive(
    from descriptor: FileDescriptor, options: ImportOptions
  ) async throws -> FileWrapper {
    try await blocking { cancellation in
      try importing(nil) {
        try ArchiveInput(descriptor, cancellation).imported(options, cancellation, nil)
      }
    }
  }
}

private func importing<Value>(_ archive: String?, _ body: () throws -> Value) throws -> Value {
  try ArchiveError.during(.import, of: archive, body)
}

extension ArchiveInput {
  fileprivate func imported(
    _ options: ImportOptions, _ cancellation: Cancellation, _ progress: ArchiveProgress.Handler?
  ) throws -> FileWrapper {
    var run = try ImportRun(self, options, cancellation, progress)
    let tree = TreeImport()
    try withUTF8Locale { try run.run(into: tree) }
    return try tree.tree(top: run.packageFolder, options)
  }

  fileprivate func imported(
    to path: FilePath, _ options: ImportOptions, _ cancellation: Cancellation,
    _ progress: ArchiveProgress.Handler?
  ) throws -> ImportReport {
    try withUTF8Locale {
      let staged = try StagedImport(at: path, on: PosixDisk())
      var run = try ImportRun(self, options, cancellation, progress)
      try run.run(into: staged)
      try cancellation.check()
      try staged.makeLinks(in: run.packageFolder, options)
      if !options.isDryRun { try staged.commit(top: run.packageFolder, cancellation) }
      return run.report
    }
  }
}
