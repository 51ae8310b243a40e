import DurableIO
public import FilePackages
public import FoundationEssentials
public import SystemPackage

extension PackageSnapshot {
  /// Exports the package to one file, in `format` or in the format of the filename's extension.
  ///
  /// The export replaces a regular file at `url` in one step. It refuses any other kind of file, and a file without
  /// write permission unless `options.replacing` says otherwise. If an export fails or is cancelled, it leaves the
  /// previous file, and nothing beside it. A killed process leaves a staged file until the next export. When the
  /// call returns, the file is durable. Exports of the same package with the same options have the same bytes, except
  /// with a passphrase.
  ///
  /// Cost: the export reads each file once; memory is bounded for any sizes. It compresses zips on
  /// `options.threads` threads. A zip has a child uncompressed if compression does not make it smaller. A sample of
  /// 32 KiB from the middle of a larger child decides.
  ///
  /// - Parameters:
  ///   - url: a file, not within the package.
  ///   - earlier: an earlier zip of the same package; it may be the one at `url`. The export copies the compressed
  ///     bytes of unchanged files from it. It finds them by size, date and permissions. The result equals that of an
  ///     export without it.
  /// - Throws: an `ArchiveError`; a `FilePackageError` for a child that cannot be read, `changedOnDisk` if it
  ///   changed after the snapshot; `CancellationError`.
  @discardableResult
  public func export(
    to url: URL, as format: ArchiveFormat? = nil, options: ExportOptions = ExportOptions(),
    updating earlier: URL? = nil, progress: ArchiveProgress.Handler? = nil
  ) async throws -> ExportReport {
    let path = try FilePath(of: url, for: .save)
    let earlier = try earlier.map { try FilePath(of: $0, for: .open) }
    return try await blocking { cancellation in
      try ArchiveError.during(.export, of: FileName(path).string) {
        guard
          let format = format ?? ArchiveFormat(filename: path.lastComponent.map { FileName($0).string } ?? "")
        else {
          throw ArchiveError.Finding(.unsupported, "its name has no extension of a known format")
        }
        let old = try earlier.map {
          try EarlierZip(ArchiveInput(at: $0, cancellation), comparesAll: options.uniformDate != nil)
        }
        return try StagedFile.make(at: path, on: PosixDisk(), replacing: options.replacing) { file in
          if let stored = root.stored, try file.isWithin(stored) {
            throw ArchiveError.Finding(.unsupported, "it would be in the package")
          }
          let output = ArchiveOutput { bytes in try file.write(bytes) }
          let run = try ExportRun(self, format, options, old, cancellation, progress)
          return try run.write(to: output, name: path.stem.map { FileName(bytes: Array($0.utf8)) })
        }
      }
    }
  }

  /// Exports the package to a descriptor, such as standard output or a pipe, as
  /// `export(to:as:options:updating:progress:)` does. After an error, a part of the archive is written.
  @discardableResult
  public func export(
    to descriptor: FileDescriptor, as format: ArchiveFormat, options: ExportOptions = ExportOptions(),
    progress: ArchiveProgress.Handler? = nil
  ) async throws -> ExportReport {
    try await blocking { cancellation in
      try ArchiveError.during(.export, of: nil) {
        let run = try ExportRun(self, format, options, nil, cancellation, progress)
        return try run.write(to: ArchiveOutput(descriptor), name: nil)
      }
    }
  }

  /// Returns the paths of the entries that an export in that format would have. The strings hold their exact bytes; a
  /// folder's path ends in a slash.
  public func exportedPaths(
    as format: ArchiveFormat = .zip, options: ExportOptions = ExportOptions()
  ) async throws -> [String] {
    try await blocking { cancellation in
      try ArchiveError.during(.export, of: nil) {
        var paths: [String] = []
        var walk = SnapshotWalk(self, options, format, fallbackName: nil)
        try walk.forEach { entry in
          try cancellation.check()
          paths.append(FileName(bytes: entry.name).string)
        }
        return paths
      }
    }
  }
}
