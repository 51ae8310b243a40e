package import DurableIO
import FileTrees
import PackageFormat
package import SystemPackage

/// A new folder that gets its name in one step, when all that belongs in it is there and durable.
package enum NewFolder {
  /// Makes a folder.
  ///
  /// - Parameter body: fills the folder at the path that it gets, durably.
  /// - Throws: `fileExists` if something is at `path`; `busy` if another program makes the same folder; the system's
  ///   reason; the errors of `body`. Nothing is left then.
  package static func make<Result>(
    at path: FilePath, on disk: any Disk = PosixDisk(), _ body: (FilePath) async throws -> Result
  ) async throws -> Result {
    let place = try attempt(path, on: disk) { () throws(SystemError) in
      let place = try StagingLocation(at: path, on: disk)
      try place?.cleanUpAll()
      return place
    }
    guard let place else { throw error(.invalidName, path, on: disk) }
    let isTaken = try attempt(path, on: disk) { () throws(SystemError) in try place.status() != nil }
    if isTaken { throw error(.fileExists, path, on: disk) }
    let staged = try attempt(path, on: disk) { () throws(SystemError) -> OpenNode? in
      guard let folder = try place.stage(.directory, mode: 0o777) else { return nil }
      return OpenNode(folder)
    }
    guard let staged else { throw error(.busy, path, on: disk) }
    do {
      let result = try await body(path.folder.appending(place.staged.string))
      try attempt(path, on: disk) { () throws(SystemError) in
        try disk.synchronize(staged.descriptor)
        try place.take()
        try place.synchronize()
      }
      return result
    } catch {
      // The error counts, not the remains; the next folder at this place removes them. After the rename the hidden name
      // is free.
      place.removeStaged()
      throw error
    }
  }

  private static func error(
    _ code: FilePackageError.Code, _ path: FilePath, on disk: any Disk
  ) -> FilePackageError {
    FilePackageError(code, .create, StoredNode(location: Location(path, on: disk), path: .root))
  }

  private static func attempt<Result>(
    _ path: FilePath, on disk: any Disk, _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    do {
      return try body()
    } catch {
      let node = StoredNode(location: Location(path, on: disk), path: .root)
      throw FilePackageError(error, .create, node, activity: "making the folder")
    }
  }
}
