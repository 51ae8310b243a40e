import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport

/// A directory of its own for one test, with short methods to make and look at files.
struct Scratch: Sendable {
  let path: FilePath
  let disk = PosixDisk()

  /// Returns the URL of a node; spells a name that is not UTF-8 as `FileName.string` does.
  func url(_ name: String) -> URL { URL(filePath: path.string + "/" + name, directoryHint: .notDirectory) }

  func path(_ name: String) -> FilePath { FilePath(lossless: path.string + "/" + name) }

  /// Makes a node or a tree, and makes all dates old, so that every later change has another date.
  func make(_ name: FileName, _ tree: TestTree) throws {
    let root = try disk.openDirectory(at: path)
    try tree.write(to: name, in: root, of: disk)
    try age(name, in: root)
  }

  /// Makes a node or a tree, and reads it.
  func wrapper(_ name: String, _ tree: TestTree) throws -> FileWrapper {
    try make(FileName(name), tree)
    return try FileWrapper(url: url(name))
  }

  func tree(_ name: FileName) throws -> TestTree {
    try TestTree.read(name, in: disk.openDirectory(at: path), of: disk)
  }

  func names() throws -> [FileName] {
    try TestTree.read(path, of: disk).entries.keys.sorted()
  }

  func status(_ name: String) throws -> FileStatus {
    let path = path(name)
    return try disk.status(of: FileName(path.lastComponent ?? "?"), in: folder(of: path))
  }

  func setModified(_ name: String, _ time: FileTime) throws {
    let path = path(name)
    try disk.setModified(time, of: FileName(path.lastComponent ?? "?"), in: folder(of: path))
  }

  /// Writes other bytes to a file in place, as another program would.
  func overwrite(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: url(name))
  }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path.string + "/" + name)
  }

  private func folder(of path: FilePath) throws -> OwnedDescriptor {
    try disk.openDirectory(at: path.removingLastComponent())
  }

  private func age(_ name: FileName, in directory: borrowing OwnedDescriptor) throws {
    if try disk.status(of: name, in: directory).kind == .directory {
      let inner = try disk.openDirectory(name, in: directory)
      let listing = try disk.list(inner)
      for position in 0..<listing.count { try age(listing.name(at: position), in: inner) }
    }
    try disk.setModified(.old, of: name, in: directory)
  }
}

/// The scratch directory of the test that runs, which has the trait `temporaryDirectory`.
var scratch: Scratch { Scratch(path: folder) }

func withScratch<Result>(_ body: (Scratch) async throws -> Result) async throws -> Result {
  try await withTemporaryDirectory { try await body(Scratch(path: $0)) }
}

extension FileTime {
  /// 2001-09-09, with nanoseconds that no `Date` can hold.
  static let old = FileTime(seconds: 1_000_000_000, nanoseconds: 123_456_789)
}

extension FileWrapper {
  /// Makes a regular file of this text, with this preferred filename if it is given.
  convenience init(_ text: String, named name: String? = nil) {
    self.init(regularFileWithContents: Data(text.utf8))
    if let name { preferredFilename = name }
  }

  var text: String? { regularFileContents.map { String(decoding: $0, as: UTF8.self) } }

  func attribute<Value>(_ key: FileAttributeKey, as type: Value.Type = Value.self) -> Value? {
    fileAttributes[key.rawValue] as? Value
  }

  /// The number of children that are objects.
  var materialized: Int {
    state.withLock { state in
      if case .directory(let directory) = state.node { directory.children.count } else { 0 }
    }
  }
}

extension FileWrapper {
  /// The number of directories that it remembers as its parents.
  var parentCount: Int { state.withLock { $0.parents.count } }
}
