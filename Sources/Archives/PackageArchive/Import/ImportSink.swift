import DurableIO
import FilePackages

/// The receiver of an import's entries. All paths have passed the checks.
protocol ImportSink: AnyObject {
  /// Adds a folder, or gives the top its permissions and date.
  func addFolder(_ path: PackagePath, _ entry: ArchiveEntry) throws
  /// Adds a file; `body` gives its bytes, each piece with its offset.
  func addFile(
    _ path: PackagePath, _ entry: ArchiveEntry,
    _ body: ((UnsafeRawBufferPointer, UInt64) throws -> Void) throws -> Void
  ) throws
  /// Adds a copy of an earlier file.
  func addCopy(_ path: PackagePath, of original: PackagePath, _ entry: ArchiveEntry) throws
  /// Adds a link. Its destination is checked later, because that check depends on which folder is the package.
  func addLink(_ path: PackagePath, to target: [UInt8], _ entry: ArchiveEntry) throws
  /// Removes an earlier file, because another takes its place or because the import leaves it out.
  func removeFile(at path: PackagePath, _ entry: ArchiveEntry) throws
  /// Returns the number of bytes of the file at `path`.
  func size(of path: PackagePath) throws -> UInt64
}
