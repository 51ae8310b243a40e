import DurableIO
import FilePackages
public import FoundationEssentials
public import SystemPackage

extension ImportReport {
  /// Reads an archive with all checks of an import, and writes nothing.
  ///
  /// - Throws: the errors of `PackageStore.importArchive(at:to:options:progress:)`.
  public static func checking(
    archiveAt url: URL, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    let path = try FilePath(of: url, for: .open)
    return try await blocking { cancellation in
      try ArchiveError.during(.import, of: FileName(path).string) {
        try check(ArchiveInput(at: path, cancellation), options, cancellation)
      }
    }
  }

  /// Reads an archive from a descriptor with all checks of an import, and writes nothing.
  public static func checking(
    from descriptor: FileDescriptor, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await blocking { cancellation in
      try ArchiveError.during(.import, of: nil) {
        try check(ArchiveInput(descriptor, cancellation), options, cancellation)
      }
    }
  }

  static func check(
    _ input: ArchiveInput, _ options: ImportOptions, _ cancellation: Cancellation
  ) throws -> ImportReport {
    try withUTF8Locale {
      var run = try ImportRun(input, options, cancellation)
      let sink = CheckingSink()
      try run.run(into: sink)
      try sink.checkLinks(top: run.packageFolder, options)
      return run.report
    }
  }
}

/// A sink that keeps only what the checks need.
private final class CheckingSink: ImportSink {
  private var sizes: [PackagePath: UInt64] = [:]
  private var links = PendingLinks()

  func addFolder(_ path: PackagePath, _ entry: ArchiveEntry) throws {}

  func addFile(
    _ path: PackagePath, _ entry: ArchiveEntry,
    _ body: ((UnsafeRawBufferPointer, UInt64) throws -> Void) throws -> Void
  ) throws {
    var end = entry.size ?? 0
    try body { bytes, offset in end = max(end, offset + UInt64(bytes.count)) }
    sizes[path] = end
  }

  func addCopy(_ path: PackagePath, of original: PackagePath, _ entry: ArchiveEntry) throws {
    sizes[path] = sizes[original]
  }

  func addLink(_ path: PackagePath, to target: [UInt8], _ entry: ArchiveEntry) throws {
    links.add(path, target, entry)
  }

  func removeFile(at path: PackagePath, _ entry: ArchiveEntry) throws { sizes[path] = nil }

  func size(of path: PackagePath) throws -> UInt64 { sizes[path] ?? 0 }

  func checkLinks(top: FileName?, _ options: ImportOptions) throws {
    _ = try links.checked(in: top, options)  // The check makes no links.
  }
}
