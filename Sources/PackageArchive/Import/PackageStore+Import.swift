import DurableIO
public import FilePackages
public import FoundationEssentials
public import SystemPackage

extension PackageStore {
  /// Makes a new package of an archive: a zip, or a tar with at most one of gzip, bzip2, xz, Zstandard and LZ4; other
  /// formats where `options` names them.
  ///
  /// Either the whole package is at `url` afterwards, and survives a power cut, or nothing is. It is read as a stream,
  /// also from a FIFO, except for a zip, which is copied to a temporary file first when it is not one. Permissions, dates
  /// and `user.*` attributes are those of the archive; owners, access lists and set-user-ID bits are not taken. Cancelling
  /// the task leaves nothing.
  ///
  /// Cost: the bytes of the archive and of the package, and one synchronisation for each file and each folder, many at
  /// once. Memory does not depend on the sizes of files.
  ///
  /// - Throws: an `ArchiveError` that names the entry, for what is damaged, refused or beyond `options.limits`;
  ///   `fileExists` when there is something at `url`; `CancellationError`.
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

  /// Makes a new package of an archive that comes from a descriptor, such as standard input; otherwise as
  /// `importArchive(at:to:options:progress:)`.
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
  /// Reads an archive into memory as a tree, with the checks of `PackageStore.importArchive(at:to:options:progress:)`;
  /// nothing is written.
  ///
  /// Memory is that of all files: set `options.limits.bytes` for archives of others.
  public static func importArchive(
    at archive: URL, options: ImportOptions = ImportOptions(), progress: ArchiveProgress.Handler? = nil
  ) async throws -> FileWrapper {
    let from = try FilePath(of: archive, for: .create)
    return try await blocking { cancellation in
      try importing(FileName(from).string) {
        var run = try ImportRun(try ArchiveInput(at: from, cancellation), options, cancellation, progress)
        let tree = TreeImport()
        try withUTF8Locale { try run.run(into: tree) }
        return try tree.tree(top: run.packageFolder, options)
      }
    }
  }
}

private func importing<Value>(_ archive: String?, _ body: () throws -> Value) throws -> Value {
  try ArchiveError.during(.import, of: archive, body)
}

extension ArchiveInput {
  fileprivate func imported(
    to path: FilePath, _ options: ImportOptions, _ cancellation: Cancellation,
    _ progress: ArchiveProgress.Handler?
  ) throws -> ImportReport {
    try withUTF8Locale {
      let staged = try StagedImport(at: path, on: PosixDisk())
      var run = try ImportRun(self, options, cancellation, progress)
      try run.run(into: staged)
      try cancellation.check()
      try staged.commit(top: run.packageFolder, options)
      return run.report
    }
  }
}
