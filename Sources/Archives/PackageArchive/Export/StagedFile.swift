import DurableIO
import FilePackages
import SystemPackage

// X1 Nothing under the file's own name changes before the rename.
// X2 An error before the rename leaves the previous file, and nothing beside it. The staged file of a killed process
//    has no lock; the next export to this name removes it.

/// A file that is made beside its place and moved there in one step.
final class StagedFile {
  private static let pieceSize: UInt64 = 8 << 20

  private let place: NewPlace
  private let file: OwnedDescriptor
  /// The permissions of the file that this one replaces; nil if the name is free.
  private let replacedMode: UInt16?
  private let replacesNothing: Bool
  private var offset: UInt64 = 0
  /// The end of the bytes that the device has been asked to write.
  private var started: UInt64 = 0

  /// Makes the file at `path`, which is free or holds a regular file that `replacing` names; `body` writes it.
  ///
  /// When the call returns, the file is durable. Writing to the device starts piece by piece before that, so that the
  /// device works while the processor compresses.
  ///
  /// - Throws: `busy` if another process makes the same file; `fileExists` if its place holds another kind of node.
  ///   `permissionDenied` for a file without any write permission, and `fileExists` for any file, unless `replacing` names
  ///   it. `indeterminate` if the file is in its place and may not be durable. Also the errors of `body` (X2).
  static func make<Result>(
    at path: FilePath, on disk: any Disk, replacing: ExportOptions.Replacing,
    _ body: (StagedFile) throws -> Result
  ) throws -> Result {
    let file = try StagedFile(at: path, on: disk, replacing)
    do {
      try file.takeMode()
      let result = try body(file)
      try file.commit()
      return result
    } catch {
      file.discard()
      throw error
    }
  }

  private init(at path: FilePath, on disk: any Disk, _ replacing: ExportOptions.Replacing) throws {
    do {
      guard let place = try NewPlace(at: path, on: disk) else {
        throw ArchiveError.Finding(.unsafeName, "a file cannot have that name")
      }
      let replaced = try place.status()
      if let replaced, replaced.kind != .file || replacing == .nothing {
        throw ArchiveError.Finding(.fileExists, "\(replaced.kind.words) is in its place")
      }
      if let replaced, replaced.mode & 0o222 == 0, replacing != .anything {
        throw ArchiveError.Finding(.permissionDenied, "the file in its place is read-only")
      }
      try place.cleanUpAll()
      guard let file = try place.stage(.file, mode: 0o666) else {
        throw ArchiveError.Finding(.busy, "another program is making it")
      }
      self.place = place
      self.file = file
      replacedMode = replaced.map { $0.mode & 0o777 }
      replacesNothing = replacing == .nothing
    } catch let error as SystemError {
      throw ArchiveError.Finding(error, "making it")
    }
  }

  /// Gives the file the permissions of the one that it replaces.
  private func takeMode() throws {
    guard let replacedMode else { return }
    do {
      try place.disk.setMode(replacedMode, of: file)
    } catch {
      throw ArchiveError.Finding(error, "making it")
    }
  }

  /// Returns whether the folder is `package` or within it.
  func isWithin(_ package: StoredNode) throws -> Bool {
    let (disk, number) = (place.disk, place.folder.number)
    do throws(SystemError) {
      let root = try disk.status(of: try package.location.openDirectory(.root)).identity
      return try disk.isFolder(at: FilePath("/proc/self/fd/\(number)"), within: root)
    } catch {
      throw ArchiveError.Finding(error, "checking its folder")
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try place.disk.write(bytes, to: file, at: offset)
      offset += UInt64(bytes.count)
      if offset - started >= Self.pieceSize {
        try place.disk.startWriting(file)
        started = offset
      }
    } catch {
      throw ArchiveError.Finding(error, "writing")
    }
  }

  /// Syncs the file, gives it its name (X1), and syncs the folder.
  private func commit() throws {
    do {
      try place.disk.synchronize(file)
      if replacesNothing {
        try place.take()
      } else {
        try place.rename(place.staged, to: place.name, .replace)
      }
    } catch {
      throw ArchiveError.Finding(error, "moving it to its place")
    }
    try ArchiveError.inPlace { () throws(SystemError) in try place.synchronize() }
  }

  /// Removes the staged file. `deinit` does not do it, because a closure may hold this object longer.
  private func discard() {
    // The caller reports the error that led here, not one of this removal. The next export removes a staged file
    // that stays, because it has no lock. After the rename the name is free, or another process's file has it;
    // `isName` tells that file apart.
    if (try? place.disk.isName(place.staged, in: place.folder, of: file)) == true {
      try? place.disk.removeFile(place.staged, in: place.folder)  // The next export removes it.
    }
  }
}
