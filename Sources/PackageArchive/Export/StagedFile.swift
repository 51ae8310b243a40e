import DurableIO
import FilePackages
import SystemPackage

// (1) Nothing under the file's own name changes before the rename.
// (2) Before the rename the new file is synchronised; before success is reported, the folder is.
//     Writing is started piece by piece before that, so that the medium works while the processor compresses.
// (3) An error leaves what was there, and nothing beside it. What a killed process leaves beside it has no lock and is
//     removed by the next one that makes a file of this name.

/// A file that is made beside its place and put there in one step.
final class StagedFile {
  private static let pieceSize: UInt64 = 8 << 20

  private let disk: any Disk
  private let folder: OwnedDescriptor
  private let file: OwnedDescriptor
  private let name: FileName
  private let staged: FileName
  private var offset: UInt64 = 0
  /// Up to where writing was started.
  private var started: UInt64 = 0

  /// Makes the file at `path`, where nothing or a regular file is: `body` writes it, and when this returns, it survives a
  /// power cut.
  ///
  /// - Throws: `busy` when another process is making it, `fileExists` when something else is in its place,
  ///   `permissionDenied` for a file without any write permission unless that may be replaced; what `body` throws. (3)
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
    let siblings = Siblings(of: name, on: disk)
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

  /// Whether the folder is `package` or within it.
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
      try disk.synchronize(folder)
    } catch {
      throw ArchiveError.Finding(error, "putting it into its place")
    }
  }

  /// Removes the file that was begun. Not left to the end of this object: a closure that is held somewhere would keep it.
  private func discard() {
    // The error that led here is the one to report; what stays behind has no lock and is removed next time. After the
    // rename, nothing has this name, or another process's file that is locked by it.
    if (try? disk.isName(staged, in: folder, of: file)) == true { try? disk.removeFile(staged, in: folder) }
  }
}
