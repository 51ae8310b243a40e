import DurableIO
import FilePackages

/// What an import's entries become. All paths have been checked.
protocol ImportSink: AnyObject {
  func addFolder(_ path: PackagePath, _ entry: ArchiveEntry) throws
  /// Adds a file; `body` gives its bytes, each piece with its place.
  func addFile(
    _ path: PackagePath, _ entry: ArchiveEntry,
    _ body: ((UnsafeRawBufferPointer, UInt64) throws -> Void) throws -> Void
  ) throws
  /// Adds a copy of a file that was added before.
  func addCopy(_ path: PackagePath, of original: PackagePath, _ entry: ArchiveEntry) throws
  /// Adds a link, whose destination is still to be checked: that depends on what the package is.
  func addLink(_ path: PackagePath, to target: [UInt8], _ entry: ArchiveEntry) throws
  /// Removes a file that was added before: another takes its place, or it is left out.
  func removeFile(at path: PackagePath, _ entry: ArchiveEntry) throws
  /// How many bytes the file at `path` has.
  func size(of path: PackagePath) throws -> UInt64
}
