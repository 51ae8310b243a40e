package import DurableIO
import Glibc
package import SystemPackage

/// Runs `body` with a directory of its own, and removes the directory afterwards, even after an error.
package func withTemporaryDirectory<Result>(_ body: (FilePath) async throws -> Result) async throws -> Result
{
  let path = try makeTemporaryDirectory()
  let result: Result
  do {
    result = try await body(path)
  } catch {
    // The test reports the first error.
    try? removeTree(at: path)
    throw error
  }
  try removeTree(at: path)
  return result
}

private func makeTemporaryDirectory() throws -> FilePath {
  let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var template = Array("\(parent)/filepackages-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
  return FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
}

private func removeTree(at path: FilePath) throws {
  let disk = PosixDisk()
  try disk.removeEntries(of: disk.openDirectory(at: path))
  guard rmdir(path.string) == 0 else { throw Errno(rawValue: errno) }
}

extension Disk {
  /// Empties a directory, with all its folders.
  ///
  /// A database that is closed at the end of a test may remove its files meanwhile.
  package func removeEntries(of directory: borrowing OwnedDescriptor) throws(SystemError) {
    let listing = try list(directory)
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      if listing.kind(at: position) == .directory {
        try removeEntries(of: openDirectory(name, in: directory))
        try removeDirectory(name, in: directory)
      } else {
        do {
          try removeFile(name, in: directory)
        } catch  where error.code == .noSuchFileOrDirectory {
          continue
        }
      }
    }
  }
}
