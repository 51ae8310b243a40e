package import DurableIO
import FilePackages
package import FoundationEssentials
package import SystemPackage

/// Pages of trees in a folder, so that a process does not read again from the store what this machine read or stored
/// before.
///
/// It has two halves: if the newer one is full, the older one goes, and a page that is read from the older one moves to
/// the newer one. No page needs a sync: a damaged one has another hash than its name, and counts as missing. Losing the
/// folder costs reads.
package actor PageCache {
  private nonisolated let executor = BlockingExecutor()
  private let path: FilePath
  private let capacity: Int
  private let disk: any Disk
  /// The pages in the newer half; nil before the first look.
  private var count: Int?

  private static let newer: FileName = "newer"
  private static let older: FileName = "older"

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - path: the folder, whose parent exists.
  ///   - capacity: the largest number of pages in a half. A page has about 8 KiB.
  package init(at path: FilePath, capacity: Int = 4_000, on disk: any Disk = PosixDisk()) {
    (self.path, self.capacity, self.disk) = (path, capacity, disk)
  }

  /// Returns a page; nil if it is not here.
  package func page(_ name: BlobName) -> Data? {
    // A page that cannot be read is read from the store.
    if let page = try? read(name, in: Self.newer) { return page }  // Else from the store.
    guard let page = try? read(name, in: Self.older) else { return nil }
    insert(page, as: name)
    return page
  }

  /// Takes a page.
  package func insert(_ page: Data, as name: BlobName) {
    do throws(SystemError) {
      let half = try openNewer()
      let file = FileName(name.description)
      do {
        try disk.write(Array(page), to: disk.createFile(file, in: half, mode: 0o600), at: 0)
        count = (count ?? 0) + 1
      } catch  where error.code == .fileExists {
        guard (try? read(name, in: Self.newer)) == nil else { return }  // It may be damaged.
        try disk.removeFile(file, in: half)
        try disk.write(Array(page), to: disk.createFile(file, in: half, mode: 0o600), at: 0)
      }
    } catch {
      // The page is read from the store once more.
      return
    }
  }

  private func read(_ name: BlobName, in half: FileName) throws(SystemError) -> Data? {
    let folder = try disk.openDirectory(half, in: disk.openDirectory(at: path))
    let file = try disk.openFile(FileName(name.description), in: folder)
    let page = Data(try disk.readAll(file, atMost: BlobStore.maximumSize))
    return BlobName(of: page) == name ? page : nil
  }

  /// Opens the newer half, with room for one page.
  private func openNewer() throws(SystemError) -> OwnedDescriptor {
    let folder = try openFolder()
    if count == nil, try disk.exists(Self.newer, in: folder) {
      count = try disk.list(disk.openDirectory(Self.newer, in: folder)).count
    }
    if count ?? 0 >= capacity {
      disk.removeEverything(Self.older, from: folder)
      try disk.rename(Self.newer, in: folder, to: Self.older, in: folder, .noReplace)
      count = 0
    }
    if try !disk.exists(Self.newer, in: folder) {
      try disk.makeDirectory(Self.newer, in: folder, mode: 0o700)
    }
    return try disk.openDirectory(Self.newer, in: folder)
  }

  private func openFolder() throws(SystemError) -> OwnedDescriptor {
    do {
      return try disk.openDirectory(at: path)
    } catch  where error.code == .noSuchFileOrDirectory {
      try disk.makeFolders(at: path)
      return try disk.openDirectory(at: path)
    }
  }
}
