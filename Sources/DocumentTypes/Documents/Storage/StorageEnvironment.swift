package import DurableIO
package import FilePackages
import FoundationEssentials
import SystemPackage

/// The disk that documents are on, and the behaviour of their stores. It opens and makes their storages.
package struct StorageEnvironment: Sendable {
  package var disk: any Disk
  package var delays: PackageStore.Delays
  package var logCapacity: Int
  /// The program that saves.
  var program = SavingProgram.current

  package init(
    _ disk: any Disk = PosixDisk(), delays: PackageStore.Delays = .standard,
    logCapacity: Int = PackageStore.logCapacity
  ) {
    (self.disk, self.delays, self.logCapacity) = (disk, delays, logCapacity)
  }

  /// Opens the package or the flat file at `url`.
  func open(_ url: URL) async throws(FilePackageError) -> any DocumentStorage {
    let path = try FilePath(of: url, for: .open)
    return try await BlockingThread().run { () throws(FilePackageError) in
      do throws(FilePackageError) {
        let store = try await PackageStore.open(
          path, on: disk, logCapacity: logCapacity, delays: delays)
        await store.setProgram(program)
        return store
      } catch {
        guard error.code == .notAPackage else { throw error }
        return try FlatFileStore.open(path, on: disk)
      }
    }
  }

  /// Makes a new document of the content, which may refer to children of `original`.
  func create<Content: DocumentContent>(
    _ content: Content, from original: (any DocumentStorage)?, at url: URL, writesMetadata: Bool
  ) async throws -> (storage: any DocumentStorage, report: SaveReport) {
    let path = try FilePath(of: url, for: .create)
    let (tree, newType) = try await tree(of: content, from: original, at: url)
    let type = try tree.takeMetadata(of: Content.self, as: writesMetadata ? newType : nil)
    let made: (storage: any DocumentStorage, report: SaveReport)
    made = try await BlockingThread().run { () throws(FilePackageError) in
      guard tree.isDirectory else {
        let (store, report) = try FlatFileStore.create(tree, path, on: disk)
        return (store, report)
      }
      let (store, report) = try await PackageStore.create(
        tree, path, contentType: type, on: disk, logCapacity: logCapacity,
        delays: delays, by: program)
      return (store, report)
    }
    await original?.relinquish()
    return made
  }

  private func tree(
    of content: some DocumentContent, from original: (any DocumentStorage)?, at place: URL
  ) async throws -> (tree: FileWrapper, type: UTType?) {
    if let original { return try await original.detachedTree(of: content) }
    let (tree, type) = try await content.newTreeOnOwnThread(at: place)
    return (tree, type)
  }

  /// Returns whether the folder that holds a document is there. A folder that cannot be opened is not: its disk may be
  /// gone for a while.
  func hasFolder(of url: URL) async -> Bool {
    await BlockingThread().run {
      guard let path = try? FilePath(of: url, for: .read) else { return false }
      let folder = path.removingLastComponent()
      return (try? disk.openDirectory(at: folder.isEmpty ? "." : folder)) != nil
    }
  }
}
