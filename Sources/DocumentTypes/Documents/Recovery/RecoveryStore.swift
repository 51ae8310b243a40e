import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The folder of recovery copies. Every method blocks its thread.
struct RecoveryStore: Sendable {
  let folder: FilePath
  let disk: any Disk

  private static let suffix = ".recovery"
  private static let goneSuffix = ".gone"
  private static let record: FileName = "Recovery.json"
  private static let contents: FileName = "Contents"

  /// A copy, and the lock that denies it to other documents.
  typealias Taken = (copy: RecoveryCopy, lock: RecoveryLock?)

  /// Writes edits to a copy, in place of an earlier copy of that name. When it returns, they are durable.
  func write(
    _ changes: TreeChanges, _ record: RecoveryCopy.Record, as name: String
  ) throws -> Taken {
    var record = record
    record.removed = changes.removed
    let copy = FileWrapper(directoryWithFileWrappers: [Self.contents.string: changes.files])
    copy.addRegularFile(
      withContents: try JSONEncoder().encode(record), preferredFilename: Self.record.string)
    let store: OwnedDescriptor
    do {
      // For this user only.
      try disk.makeFolders(at: folder, mode: 0o700)
      store = try disk.openDirectory(at: folder)
    } catch {
      throw FilePackageError(
        error, .save, StoredNode(location: Location(folder, on: disk), path: .root),
        activity: "making the folder for recovery copies")
    }
    let place = folder.appending(name + Self.suffix)
    try copy.write(to: place, options: .atomic, original: nil, on: disk)
    let lock = RecoveryLock.take(FileName(name + Self.suffix), in: store, on: disk)
    return (RecoveryCopy(url: url(place), record: record), lock)
  }

  /// Returns the copies of a document, the newest first, without edits that another open document holds.
  ///
  /// A copy belongs to one open document at a time: the one that made it, or the one that found it. Another document
  /// may take a copy after it gets its name and before it is locked. Then both have the edits, and the copy goes only
  /// after one of them has saved them.
  func copies(of isOfDocument: (RecoveryCopy.Record) -> Bool) throws -> [Taken] {
    var copies: [Taken] = []
    guard let listing = try list() else { return copies }
    for position in 0..<listing.count {
      let name = listing.name(at: position).string
      // A crash left this part of a discarded copy. If the removal fails, the next call tries again.
      if name.hasSuffix(Self.suffix + Self.goneSuffix), let folder = try? disk.openDirectory(at: folder) {
        disk.removeEverything(FileName(name), from: folder)
      }
      guard name.hasSuffix(Self.suffix) else { continue }
      let place = folder.appending(name)
      // A folder without a readable record is not a copy, or is being removed.
      guard let record = try? read(place), isOfDocument(record) else { continue }
      if let lock = try RecoveryLock.take(
        FileName(name), in: disk.openDirectory(at: folder), on: disk),
        // Its document may have saved the edits and removed the copy before the lock.
        (try? read(place)) == record
      {
        copies.append((RecoveryCopy(url: url(place), record: record), lock))
      }
    }
    return copies.sorted {
      ($0.copy.modificationDate, $0.copy.url.path) > ($1.copy.modificationDate, $1.copy.url.path)
    }
  }

  /// Returns the names in the folder; nil if there is no folder.
  private func list() throws(FilePackageError) -> DirectoryListing? {
    do {
      let directory = try disk.openDirectory(at: folder)
      return try disk.list(directory)
    } catch {
      if error.code == .noSuchFileOrDirectory { return nil }
      throw FilePackageError(
        error, .read, StoredNode(location: Location(folder, on: disk), path: .root),
        activity: "looking for recovery copies")
    }
  }

  private func read(_ place: FilePath) throws -> RecoveryCopy.Record {
    let file = try FileWrapper(place.appending(Self.record.string), on: disk)
    return try JSONDecoder().decode(RecoveryCopy.Record.self, from: file.contents())
  }

  /// Returns the edits of a copy.
  func changes(of copy: RecoveryCopy) throws -> TreeChanges {
    let place = try FilePath(of: copy.url, for: .open)
    let files = try FileWrapper(place.appending(Self.contents.string), on: disk)
    return TreeChanges(files: files, removed: copy.record.removed)
  }

  /// Removes a copy; does nothing if there is none.
  func remove(_ copy: RecoveryCopy) throws(FilePackageError) {
    let place = try FilePath(of: copy.url, for: .save)
    guard let name = place.lastComponent else { return }
    let node = StoredNode(location: Location(place, on: disk), path: .root)
    do {
      let folder = try disk.openDirectory(at: place.removingLastComponent())
      // After a power cut, no program may offer a part of a copy.
      let gone = FileName(FileName(name).string + Self.goneSuffix)
      try disk.rename(FileName(name), in: folder, to: gone, in: folder, .replace)
      try disk.synchronize(folder)
      guard disk.removeEverything(gone, from: folder) else {
        throw FilePackageError(.inputOutput, .save, node, reason: "a recovery copy could not be removed")
      }
    } catch let error as FilePackageError {
      throw error
    } catch let error as SystemError where error.code == .noSuchFileOrDirectory {
      return
    } catch let error as SystemError {
      throw FilePackageError(error, .save, node, activity: "removing a recovery copy")
    } catch {
      throw FilePackageError(.inputOutput, .save, node)
    }
  }

  private func url(_ place: FilePath) -> URL { URL(filePath: place.string, directoryHint: .isDirectory) }
}
