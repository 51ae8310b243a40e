package import DurableIO
import FilePackages
package import FoundationEssentials
import SystemPackage

/// Another program's state of a flat file, in a file beside it.
///
/// The library makes such a copy, and so do synchronising programs. `ConflictName` knows the names. Each method waits
/// for the disk.
package struct ConflictCopy: Sendable, Hashable {
  /// The place of the document.
  package let documentURL: URL
  package let name: FileName
  private let status: FileStatus

  /// Returns the copies beside a flat file, the newest first.
  ///
  /// Cost: a listing of the folder.
  package static func all(of url: URL, on disk: any Disk = PosixDisk()) throws -> [ConflictCopy] {
    let path = try FilePath(of: url, for: .open)
    guard let original = path.lastComponent.map({ FileName($0) }) else { return [] }
    let found: [(FileName, FileStatus)]
    do {
      let folder = try disk.openDirectory(at: path.folder)
      found = try files(like: original, in: folder, on: disk)
    } catch {
      throw FilePackageError(error, .read, StoredNode(location: Location(path, on: disk), path: .root))
    }
    return found.map { ConflictCopy(documentURL: url, name: $0, status: $1) }.sorted {
      ($0.modificationDate, $0.name.string) > ($1.modificationDate, $1.name.string)
    }
  }

  private static func files(
    like original: FileName, in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> [(FileName, FileStatus)] {
    let listing = try disk.list(folder)
    var found: [(FileName, FileStatus)] = []
    for position in 0..<listing.count where listing.kind(at: position) == .file {
      let name = listing.name(at: position)
      guard ConflictName(name)?.original == original else { continue }
      // A copy that is gone by now is none.
      if let status = try disk.statusIfPresent(of: name, in: folder) { found.append((name, status)) }
    }
    return found
  }

  /// Makes a copy of a state of a flat file. When it returns, the copy is durable.
  static func make(_ file: FileWrapper, of url: URL, on disk: any Disk) throws {
    let path = try FilePath(of: url, for: .save)
    guard let last = path.lastComponent else { throw FilePackageError(.wrongKind, .save, document: url.path) }
    // Such as `Note (conflicted copy 2026-11-27 101112).txt`.
    let time = localTime(Date()).replacing(":", with: "")
    var number = 1
    while true {
      let note = " (conflicted copy \(time)\(number == 1 ? "" : " \(number)"))"
      do {
        // The store holds nothing open.
        _ = try FlatFileStore.create(
          file, path.folder.appending(FileName(last).inserting(note)), on: disk)
        return
      } catch {
        if error.code != .fileExists { throw error }
        number += 1
      }
    }
  }

  /// The same for each copy of this name.
  package var id: UUID {
    let hash = ContentHash(of: name.bytes).bytes
    return hash.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  package var modificationDate: Date { status.modified.date }

  /// The copy as a version of the document.
  package var version: ConflictVersion {
    ConflictVersion(
      ofFlatFile: id, named: documentURL.lastPathComponent,
      ConflictFile(path: PackagePath([name]), size: status.size, modified: status.modified))
  }

  /// Returns the file.
  package func file(on disk: any Disk = PosixDisk()) throws -> FileWrapper {
    try FileWrapper(FilePath(of: documentURL, for: .open).folder.appending(name.string), on: disk)
  }

  /// Removes the copy, unless another program changed or removed it since this one was listed.
  package func remove(on disk: any Disk = PosixDisk()) throws {
    let path = try FilePath(of: documentURL, for: .save)
    do {
      let folder = try disk.openDirectory(at: path.folder)
      if let now = try disk.statusIfPresent(of: name, in: folder), now.isUnchanged(since: status) {
        try disk.removeFile(name, in: folder)
        try disk.synchronize(folder)
      }
    } catch {
      throw FilePackageError(
        error, .save, StoredNode(location: Location(path, on: disk), path: .root),
        activity: "removing a conflict copy")
    }
  }
}
