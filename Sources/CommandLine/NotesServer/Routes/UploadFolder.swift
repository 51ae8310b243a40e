import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The folder of files that pages send. A document reads a file from here when it saves it, so the folder goes only when
/// all documents are closed.
struct UploadFolder: Sendable {
  let url: URL

  /// Makes a new folder that only this user can read.
  init(in folder: URL = FileManager.default.temporaryDirectory) throws {
    url = folder.appending(path: "docpkg-serve-\(try ServerKey.random().prefix(12))")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Stores a body under a name, in a folder of its own.
  ///
  /// - Parameter name: the name that the user's file has; it leads nowhere.
  func store(_ body: HTTPBody, named name: String?) async throws -> URL {
    let name = FileName(String(Self.lastPart(of: name ?? "")))
    guard name.problem == nil else {
      throw HTTPRefusal(status: .badRequest, message: "The upload has no usable name.")
    }
    if body.size == 0 {
      throw HTTPRefusal(status: .unprocessable, message: "The file '\(name.display)' is empty.")
    }
    let folder = url.appending(path: try String(ServerKey.random().prefix(12)))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    do {
      let disk = PosixDisk()
      let directory = try disk.openDirectory(at: FilePath(lossless: folder.path))
      let file = try disk.createFile(name, in: directory, mode: 0o600)
      var offset: UInt64 = 0
      while let bytes = try await body.next() {
        try disk.write(bytes, to: file, at: offset)
        offset += UInt64(bytes.count)
      }
    } catch {
      // The error of the upload is the one to tell.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    return folder.appending(path: name.string)
  }

  /// Removes a stored file that nothing needs any more.
  func remove(_ file: URL) {
    // A leftover goes with the whole folder.
    try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
  }

  /// Removes the folder.
  func remove() {
    // The system removes what stays in its folder of temporary files.
    try? FileManager.default.removeItem(at: url)
  }

  private static func lastPart(of name: String) -> Substring {
    name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
  }
}
