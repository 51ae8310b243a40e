import DurableIO
public import FilePackages
public import FoundationEssentials
public import SystemPackage

extension PackageSnapshot {
  /// Makes one file of the package, in the format of `format` or of the file's name.
  ///
  /// What is at `url` is replaced in one step, and only if it is a regular file, and one that may be written unless
  /// `options.overwritesReadOnly`: a failed, cancelled or interrupted export
  /// leaves what was there, and nothing beside it but what a killed process leaves until the next export. When it returns,
  /// the file survives a power cut. The order of entries and, but for a passphrase, all bytes are the same each time.
  ///
  /// Cost: each file is read once; memory is bounded, whatever the sizes are. Zips are compressed on
  /// `options.threads` threads; children that do not become smaller are stored, which is told from 32 KiB in their
  /// middle.
  ///
  /// - Parameters:
  ///   - url: a file, not within the package.
  ///   - updating: an earlier archive of the same package in the same format, a zip; it may be the one at `url`. The
  ///     compressed bytes of files that have not changed since, which is told from size, date and permissions, are taken
  ///     from it. The result is the one that a fresh export has.
  /// - Throws: an `ArchiveError`; a `FilePackageError` for a child that cannot be read, `changedOnDisk` when it is not
  ///   what it was when the snapshot was taken; `CancellationError`.
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
          throw ArchiveError.Finding(.unsupported, "its name does not tell a format")
        }
        let old = try earlier.map { try EarlierZip(at: $0, options, cancellation) }
        return try StagedFile.make(
          at: path, on: PosixDisk(), overwritesReadOnly: options.overwritesReadOnly
        ) { file in
          if let stored = root.stored, try file.isWithin(stored) {
            throw ArchiveError.Finding(.unsupported, "it would be within the package")
          }
          let output = ArchiveOutput { bytes in try file.write(bytes) }
          let run = try ExportRun(self, format, options, old, cancellation, progress)
          return try run.write(to: output, name: path.stem.map { FileName(bytes: Array($0.utf8)) })
        }
      }
    }
  }

  /// Writes the package as one file to a descriptor, such as standard output or a pipe; otherwise as
  /// `export(to:as:options:updating:progress:)`. What was written before an error stays written.
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

  /// The paths that an export in that format would have, as strings from which their bytes can be had again; a folder's
  /// ends in a slash.
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

extension EarlierZip {
  fileprivate convenience init(at path: FilePath, _ options: ExportOptions, _ cancellation: Cancellation)
    throws
  {
    try self.init(ArchiveInput(at: path, cancellation), comparesAll: options.uniformDate != nil)
  }
}
