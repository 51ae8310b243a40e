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

  /// A copy, and its locked folder: while that is open, no other document in any process is offered the copy.
  typealias Taken = (copy: RecoveryCopy, lock: OpenNode?)

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
    return (RecoveryCopy(url: url(place), record: record), lock(FileName(name + Self.suffix), in: store))
  }

  /// Locks the copy's folder; nil if another document holds it. If the file system has no locks, every document gets
  /// one.
  private func lock(_ name: FileName, in store: borrowing OwnedDescriptor) -> OpenNode? {
    // A folder that cannot be opened is being removed.
    guard let folder = try? disk.openDirectory(name, in: store), (try? disk.lock(folder, .exclusive)) ?? true
    else { return nil }
    return OpenNode(folder)
  }

  /// Returns the copies of a document, the newest first, without edits that another open document holds.
  ///
  /// A copy belongs to one open document at a time: the one that made it, or the one that found it. Another document
  /// may take a copy after it gets its name and before it is locked. Then both have the edits, and the copy goes only
  /// after one of them has saved them.
  ///
  /// - Parameter problems: gets the errors of copies that cannot be read, which may be of any document.
  func copies(
    of isOfDocument: (RecoveryCopy.Record) -> Bool, problems: inout [any Error]
  ) throws -> [Taken] {
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
      do {
        guard let record = try read(place), isOfDocument(record) else { continue }
        if let lock = try lock(FileName(name), in: disk.openDirectory(at: folder)),
          // Its document may have saved the edits and removed the copy before the lock.
          try read(place) == record
        {
          copies.append((RecoveryCopy(url: url(place), record: record), lock))
        }
      } catch {
        problems.append(error)
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

  /// Returns the record of a copy; nil for a folder without one, which is no copy, or is being replaced or removed.
  private func read(_ place: FilePath) throws -> RecoveryCopy.Record? {
    do {
      guard let file = try FileWrapper(place, on: disk).child(Self.record) else { return nil }
      return try JSONDecoder().decode(RecoveryCopy.Record.self, from: file.contents())
    } catch let error as FilePackageError where [.noSuchFile, .changedOnDisk].contains(error.code) {
      return nil
    } catch is DecodingError {
      let node = StoredNode(location: Location(place, on: disk), path: .root)
      throw FilePackageError(
        .invalidContent, .read, node, reason: "the record of this recovery copy is damaged")
    }
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
    let isRemoved: Bool
    do {
      let folder = try disk.openDirectory(at: place.removingLastComponent())
      // After a power cut, no program may offer a part of a copy.
      let gone = FileName(FileName(name).string + Self.goneSuffix)
      try disk.rename(FileName(name), in: folder, to: gone, in: folder, .replace)
      try disk.synchronize(folder)
      isRemoved = disk.removeEverything(gone, from: folder)
    } catch {
      if error.code == .noSuchFileOrDirectory { return }
      throw FilePackageError(error, .save, node, activity: "removing a recovery copy")
    }
    if !isRemoved {
      throw FilePackageError(.inputOutput, .save, node, reason: "a recovery copy could not be removed")
    }
  }

  private func url(_ place: FilePath) -> URL { URL(filePath: place.string, directoryHint: .isDirectory) }
}
