import FilePackages
import Foundation
import Glibc
import SystemPackage

/// The folder of files that pages send. A document reads a file from here when it saves it, so the folder goes only when
/// all documents are closed.
struct UploadFolder: Sendable {
  let url: URL
  private let lock: Lock
  private static let prefix = "docpkg-serve-"

  /// The lock of a folder. It ends with the process, however that ends.
  private final class Lock: Sendable {
    private let folder: FileDescriptor

    /// Locks a folder; nil if a server has its lock.
    init?(_ url: URL) throws {
      folder = try .open(url.path, .readOnly, options: [.directory, .closeOnExec])
      if flock(folder.rawValue, LOCK_EX | LOCK_NB) == 0 { return }
      let error = Errno(rawValue: errno)
      if error != .wouldBlock { throw error }
      return nil
    }

    // The close of a folder loses nothing.
    deinit { try? folder.close() }
  }

  /// Makes a new folder that only this user can read, and removes those of servers that were killed.
  init(in folder: URL = FileManager.default.temporaryDirectory) throws {
    Self.removeLeftovers(in: folder)
    let name = Self.prefix + ServerKey.random().prefix(12)
    // It is locked before it has the name that a server looks for.
    let hidden = folder.appending(path: "." + name)
    try FileManager.default.createDirectory(
      at: hidden, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    guard let lock = try Lock(hidden) else { throw InUse(folder: hidden) }
    self.lock = lock
    url = folder.appending(path: name)
    try FileManager.default.moveItem(at: hidden, to: url)
  }

  /// Another program has locked the new folder.
  struct InUse: Error, CustomStringConvertible {
    let folder: URL
    var description: String { "Another program uses the new folder '\(folder.path)'." }
  }

  private static func removeLeftovers(in folder: URL) {
    // A folder that another user has, or that cannot be listed, stays.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let leftover = folder.appending(path: name)
      guard let lock = try? Lock(leftover) else { continue }
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
    let folder = url.appending(path: Self.partsPrefix + ServerKey.random().prefix(12))
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
  func store(_ request: PageRequest, named name: String?, in parts: URL? = nil) async throws -> URL {
    let name = String(Self.lastPart(of: name ?? ""))
    guard NewDocument.isName(name) else {
      throw HTTPRefusal(status: .badRequest, message: "The upload has no usable name.")
    }
    if request.size == 0 {
      throw HTTPRefusal(status: .unprocessableContent, message: "The file '\(displayString(name))' is empty.")
    }
    let folder = parts ?? url.appending(path: String(ServerKey.random().prefix(12)))
    if parts == nil {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }
    do {
      let file = try FileDescriptor.open(
        folder.appending(path: name).path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .ownerReadWrite)
      do {
        try await request.read { _ = try file.writeAll($0.readableBytesView) }
      } catch {
        try? file.close()  // The error of the upload is the one to tell.
        throw error
      }
      try file.close()
    } catch {
      // The error of the upload is the one to tell.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    return folder.appending(path: name)
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
