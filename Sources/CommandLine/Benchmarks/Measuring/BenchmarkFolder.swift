import DurableIO
import FilePackages
import Glibc
import SystemPackage

/// A directory for the files of a benchmark, removed at its end.
struct BenchmarkFolder {
  let path: FilePath
  private let disk = PosixDisk()

  private static let marker: FileName = "marker"

  /// Makes a folder for one workload.
  func folder(_ name: String) throws(SystemError) -> FilePath {
    try disk.makeDirectory(FileName(name), in: disk.openDirectory(at: path), mode: 0o700)
    return path.appending(name)
  }

  /// Makes the file system write its own journal of earlier work, such as thousands of removed links. Otherwise the
  /// next workload's first sync would have to wait for that.
  func rest(seconds: Int64) throws(SystemError) {
    let file = try disk.openFile(Self.marker, in: disk.openDirectory(at: path))
    try disk.setModified(FileTime(seconds: seconds, nanoseconds: 0), of: file)
    try disk.synchronize(file)
  }

  /// - Throws: `BenchmarkError` for an error of the directory itself.
  static func with<Result>(
    in folder: FilePath, _ progress: (String) -> Void,
    _ body: (BenchmarkFolder) async throws(SystemError) -> Result
  ) async throws(BenchmarkError) -> Result {
    let disk = PosixDisk()
    let name = FileName("docpkg-bench-\(getpid())")
    let made = BenchmarkFolder(path: folder.appending(name.string))
    do throws(SystemError) {
      try disk.makeDirectory(name, in: disk.openDirectory(at: folder), mode: 0o700)
    } catch {
      throw BenchmarkError("Nothing can be measured in '\(FileName(folder).display)': \(error).")
    }
    let result: Result
    do throws(SystemError) {
      // The marker stays empty.
      _ = try disk.createFile(marker, in: disk.openDirectory(at: made.path), mode: 0o600)
      result = try await body(made)
    } catch {
      _ = remove(name, from: folder, on: disk)  // The first error counts.
      throw BenchmarkError("Nothing can be measured in '\(FileName(made.path).display)': \(error).")
    }
    progress("removing the temporary directory")
    guard remove(name, from: folder, on: disk) else {
      throw BenchmarkError(
        "'\(FileName(made.path).display)' could not be removed; remove it yourself.")
    }
    return result
  }

  private static func remove(_ name: FileName, from folder: FilePath, on disk: PosixDisk) -> Bool {
    guard let parent = try? disk.openDirectory(at: folder) else { return false }  // The caller says so.
    return disk.removeEverything(name, from: parent)
  }
}

/// The reason why a benchmark could measure nothing, or what is wrong with a saved state.
package struct BenchmarkError: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}
