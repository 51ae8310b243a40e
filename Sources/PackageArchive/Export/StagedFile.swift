import DurableIO
import FilePackages
import SystemPackage

// (1) Nothing under the file's own name changes before the rename.
// (2) The new file is synced before the rename, and the folder is synced before success is reported. Writing to the
//     device starts piece by piece before that, so that the device works while the processor compresses.
// (3) An error before the rename leaves the previous file, and nothing beside it. The staged file of a killed process has no lock;
//     the next export to this name removes it.

/// A file that is made beside its place and moved there in one step.
final class StagedFile {
  private static let pieceSize: UInt64 = 8 << 20

  private let disk: any Disk
  private let folder: OwnedDescriptor
  private let file: OwnedDescriptor
  private let name: FileName
  private let staged: FileName
  private var offset: UInt64 = 0
  /// The end of the bytes that the device has been asked to write.
  private var started: UInt64 = 0

  /// Makes the file at `path`, which is free or holds a regular file. `body` writes it; when the call returns, the
  /// file is durable.
  ///
  /// - Throws: `busy` if another process makes the same file; `fileExists` if its place holds another kind of node.
  ///   Without `overwritesReadOnly`, `permissionDenied` for a file without any write permission. `indeterminate` if the file is in its
  ///   place and may not be durable. Also the errors of `body`. (3)
  static func make<Result>(
    at path: FilePath, on disk: any Disk, overwritesReadOnly: Bool, _ body: (StagedFile) throws -> Result
  ) throws -> Result {
    let file = try StagedFile(at: path, on: disk, overwritesReadOnly)
    do {
      let result = try body(file)
      try file.commit()
      return result
    } catch {
      file.discard()
      throw error
    }
  }

  private convenience init(at path: FilePath, on disk: any Disk, _ overwritesReadOnly: Bool) throws {
    guard let last = path.lastComponent, last.kind == .regular else {
      throw ArchiveError.Finding(.unsafeName, "that is no name for a file")
    }
    let name = FileName(last)
    let siblings = HiddenSiblings(of: name, on: disk)
    let staged = siblings.name(.staged)
    do {
      let parent = path.removingLastComponent()
      let folder = try disk.openDirectory(at: parent.isEmpty ? "." : parent)
      let replaced = try Self.status(of: name, in: folder, on: disk)
      if let replaced, replaced.kind != .file {
        throw ArchiveError.Finding(.fileExists, "\(replaced.kind.words) is in its place")
      }
      if let replaced, replaced.mode & 0o222 == 0, !overwritesReadOnly {
        throw ArchiveError.Finding(.permissionDenied, "the file in its place is read-only")
      }
      try siblings.cleanUp(in: folder)
      siblings.sweep(folder)
      guard let file = try siblings.stageFile(in: folder, mode: 0o666) else { throw Self.busy }
      if let replaced { try disk.setMode(replaced.mode & 0o777, of: file) }
      self.init(disk, consume folder, consume file, name, staged)
    } catch let error as SystemError {
      throw ArchiveError.Finding(error, "making it")
    }
  }

  private init(
    _ disk: any Disk, _ folder: consuming OwnedDescriptor, _ file: consuming OwnedDescriptor,
    _ name: FileName,
    _ staged: FileName
  ) {
    self.disk = disk
    self.folder = folder
    self.file = file
    self.name = name
    self.staged = staged
  }

  private static var busy: ArchiveError.Finding {
    .init(.busy, "another program is making it at this moment")
  }

  private static func status(
    of name: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> FileStatus? {
    do {
      return try disk.status(of: name, in: folder)
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Returns whether the folder is `package` or within it.
  func isWithin(_ package: StoredNode) throws -> Bool {
    do throws(SystemError) {
      let root = try disk.status(of: try package.location.openDirectory(.root)).identity
      var above = try disk.status(of: folder).identity
      var path: FilePath = FilePath("/proc/self/fd/\(folder.number)")
      while !above.isSameNode(as: root) {
        path = FilePath(path.string + "/..")
        let next = try disk.status(of: try disk.openDirectory(at: path)).identity
        if next.isSameNode(as: above) { return false }
        above = next
      }
      return true
    } catch {
      throw ArchiveError.Finding(error, "looking at the folder that it is to be in")
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try disk.write(bytes, to: file, at: offset)
      offset += UInt64(bytes.count)
      if offset - started >= Self.pieceSize {
        try disk.startWriting(file)
        started = offset
      }
    } catch {
      throw ArchiveError.Finding(error, "writing")
    }
  }

  private func commit() throws {
    do {
      try disk.synchronize(file)
      try disk.rename(staged, in: folder, to: name, in: folder, .replace)
    } catch {
      throw ArchiveError.Finding(error, "putting it into its place")
    }
    try ArchiveError.inPlace { () throws(SystemError) in try disk.synchronize(folder) }
  }

  /// Removes the staged file. `deinit` does not do it, because a closure may hold this object longer.
  private func discard() {
    // The caller reports the error that led here, not one of this removal. The next export removes a staged file
    // that stays, because it has no lock. After the rename the name is free, or another process's file has it;
    // `isName` tells that file apart.
    if (try? disk.isName(staged, in: folder, of: file)) == true { try? disk.removeFile(staged, in: folder) }
  }
}
