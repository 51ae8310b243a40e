import Foundation
import Glibc
import SystemPackage

/// A small text that only this user can read.
///
/// A file is written beside its place, and gets its name when all of it is on the disk.
struct PrivateFile: Sendable {
  private let url: URL

  init(_ url: URL) { self.url = url }

  /// The text; nil if there is no file.
  func read() throws -> String? {
    do {
      return String(decoding: try Data(contentsOf: url), as: UTF8.self)
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    }
  }

  /// Whether no other user can read it.
  var isPrivate: Bool {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      return ((attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777) & 0o077 == 0
    }
  }

  /// Writes the text if there is no file; returns false if there is one.
  func create(_ text: String) throws -> Bool {
    let new = try write(text)
    defer { unlink(new) }
    if link(new, url.path) == 0 { return true }
    if errno == EEXIST { return false }
    throw Errno(rawValue: errno)
  }

  /// Writes the text in the place of an earlier one.
  func replace(_ text: String) throws {
    let new = try write(text)
    if rename(new, url.path) != 0 { throw Errno(rawValue: errno) }
  }

  func remove() throws { try FileManager.default.removeItem(at: url) }

  /// Writes a file beside the place; returns its path.
  private func write(_ text: String) throws -> String {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let new = "\(url.path).\(ServerKey.random().prefix(12)).new"
    let file = try FileDescriptor.open(
      new, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    try file.closeAfter {
      try file.writeAll(text.utf8)
      if fsync(file.rawValue) != 0 { throw Errno(rawValue: errno) }
    }
    return new
  }
}
