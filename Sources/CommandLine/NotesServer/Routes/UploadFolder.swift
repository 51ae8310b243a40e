import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The folder of files that pages send. A document reads a file from here when it saves it, so the folder goes only when
/// all documents are closed.
struct UploadFolder: Sendable {
  let url: URL
  private let lock: Lock
  private static let prefix = "docpkg-serve-"

  /// The lock of a folder. It ends with the process, however that ends.
  private final class Lock: Sendable {
    private let folder: OwnedDescriptor

    /// Locks a folder; nil if a server has its lock.
    init?(_ path: FilePath) throws(SystemError) {
      let disk = PosixDisk()
      folder = try disk.openDirectory(at: path)
      if try !disk.lock(folder, .exclusive) { return nil }
    }
  }

  /// Makes a new folder that only this user can read, and removes those of servers that were killed.
  init(in folder: URL = FileManager.default.temporaryDirectory) throws {
    Self.removeLeftovers(in: folder)
    let name = Self.prefix + (try ServerKey.random().prefix(12))
    // It is locked before it has the name that a server looks for.
    let hidden = folder.appending(path: "." + name)
    try FileManager.default.createDirectory(
      at: hidden, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    guard let lock = try Lock(FilePath(lossless: hidden.path)) else { throw HTTPRefusal.notFound }
    self.lock = lock
    url = folder.appending(path: name)
    try FileManager.default.moveItem(at: hidden, to: url)
  }

  private static func removeLeftovers(in folder: URL) {
    // A folder that another user has, or that cannot be listed, stays.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let leftover = folder.appending(path: name)
      guard let lock = try? Lock(FilePath(lossless: leftover.path)) else { continue }
      withExtendedLifetime(lock) { try? FileManager.default.removeItem(at: leftover) }
    }
  }

  /// A text without the place of uploads, whose files have the names of the user's own files.
  func hidingPlace(in text: String) -> String {
    guard let place = text.firstRange(of: url.path + "/") else { return text }
    let rest = text[place.upperBound...].drop { $0 != "/" && $0 != "'" && !$0.isWhitespace }
    return text[..<place.lowerBound] + hidingPlace(in: String(rest.first == "/" ? rest.dropFirst() : rest))
  }

  // MARK: Files that belong together

  private static let partsPrefix = "parts-"

  /// Makes a folder for the files of one import.
  func makeParts() throws -> URL {
    let folder = url.appending(path: Self.partsPrefix + (try ServerKey.random().prefix(12)))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  /// The word by which a page names such a folder.
  func key(of parts: URL) -> String {
    String(parts.lastPathComponent.dropFirst(Self.partsPrefix.count))
  }

  /// The folder that a page names.
  func parts(_ key: String) throws -> URL {
    let folder = url.appending(path: Self.partsPrefix + key)
    guard key.utf8.count == 12,
      key.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }),
      FileManager.default.fileExists(atPath: folder.path)
    else { throw HTTPRefusal.notFound }
    return folder
  }

  func remove(parts: URL) {
    // A leftover goes with the whole folder.
    try? FileManager.default.removeItem(at: parts)
  }

  /// Stores a body under a name, in a folder of its own or in that of an import.
  ///
  /// - Parameter name: the name that the user's file has; it leads nowhere.
  func store(_ body: HTTPBody, named name: String?, in parts: URL? = nil) async throws -> URL {
    let name = FileName(String(Self.lastPart(of: name ?? "")))
    guard name.problem == nil else {
      throw HTTPRefusal(status: .badRequest, message: "The upload has no usable name.")
    }
    if body.size == 0 {
      throw HTTPRefusal(status: .unprocessable, message: "The file '\(name.display)' is empty.")
    }
    let folder = try parts ?? url.appending(path: String(ServerKey.random().prefix(12)))
    if parts == nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }
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
