import Documents
package import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

// DE1 A document goes only if its content, after it lost its name, is one that the container has.
// DE2 A document with files of a conflict, or with a save that is not published, stays: the container lacks them.

/// The removal of a document that the container has, so that a placeholder remains.
///
/// The history of this machine goes with the document; the container has versions of its own.
package struct DocumentEviction: Sendable {
  /// The place of the document.
  package var path: FilePath
  /// Whether the document is a directory.
  package var isPackage: Bool
  private let disk: any Disk

  package init(of path: FilePath, isPackage: Bool, on disk: any Disk = PosixDisk()) {
    (self.path, self.isPackage, self.disk) = (path, isPackage, disk)
  }

  /// Removes the document; presenters relinquish and save it first.
  ///
  /// First the document loses its name. Then `isUploaded` looks at it, and the document gets its name back if it has
  /// changed. So no program that opens it by its name can change it in between (DE1). After a crash the document is
  /// there, or it is gone; the caller notes before this call that it wants it gone.
  ///
  /// - Parameter isUploaded: returns whether the container has the content of the document at a path.
  /// - Throws: `FilePackageError` with the code `changedOnDisk` if the document has changes that are not uploaded, or
  ///   `unsupported` for unresolved conflicts or an open session (DE2); other codes for the system's reasons; the errors of
  ///   `isUploaded`. The document then is in its place.
  package func run(isUploaded: @escaping @Sendable (FilePath) async throws -> Bool) async throws {
    guard disk.isReal else { return try await remove(at: path, isUploaded) }
    let url = path.url(isDirectory: isPackage)
    try await FileCoordinator().coordinate(writingItemAt: url, options: .forDeleting) { url in
      try await remove(at: FilePath(of: url, for: .delete), isUploaded)
    }
  }

  private func remove(
    at path: FilePath, _ isUploaded: @escaping @Sendable (FilePath) async throws -> Bool
  ) async throws {
    guard try await isUploaded(path) else {
      throw failure(.changedOnDisk, "it has changes that are not uploaded")
    }
    let thread = BlockingThread()
    let place = try await thread.run { () throws(FilePackageError) in try hide(path) }
    defer { place.allowSweeps() }
    do {
      // DE1
      guard try await isUploaded(path.removingLastComponent().appending(place.staged)) else {
        throw failure(.changedOnDisk, "another program changed it at this moment")
      }
    } catch {
      try await thread.run { () throws(FilePackageError) in try attempt { try place.reveal() } }
      throw error
    }
    try await thread.run { () throws(FilePackageError) in try attempt { try place.removeHidden() } }
  }

  /// Gives the document its hidden name.
  private func hide(_ path: FilePath) throws(FilePackageError) -> NewPlace {
    let place = try attempt {
      guard let place = try NewPlace(at: path, on: disk), try place.status() != nil else {
        throw SystemError("renameat2", FileName(path), code: .noSuchFileOrDirectory)
      }
      return place
    }
    if isPackage, let reason = try attempt({ try obstacle(in: place) }) {
      throw failure(.unsupported, reason)
    }
    // No program takes the hidden document for a leftover of a crash.
    place.holdOffSweeps()
    do {
      try attempt { try place.hide() }
    } catch {
      place.allowSweeps()
      throw error
    }
    return place
  }

  /// Returns the reason why the package has more than the container, in words; nil if it has not (DE2).
  private func obstacle(in place: NewPlace) throws(SystemError) -> String? {
    let package = try disk.openDirectory(place.name, in: place.folder)
    guard try disk.exists(PackageLayout.hidden, in: package) else { return nil }
    let hidden = try disk.openDirectory(PackageLayout.hidden, in: package)
    if try disk.exists(PackageLayout.conflicts, in: hidden) {
      return "it has conflicts that are not resolved"
    }
    if try !SaveLog.isClean(in: hidden, on: disk) { return "it has a save that is not published" }
    return try HiddenFolder.isInUse(hidden, on: disk) ? "a program has it open" : nil
  }

  private func attempt<Result>(_ body: () throws -> Result) throws(FilePackageError) -> Result {
    try path.attempt(.evict, on: disk, body)
  }

  private func failure(_ code: FilePackageError.Code, _ reason: String) -> FilePackageError {
    FilePackageError(code, .evict, document: FileName(path).string, reason: reason)
  }
}
