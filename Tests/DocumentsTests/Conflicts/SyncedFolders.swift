import DurableIO
import FilePackages
import SystemPackage
import TestSupport

/// Two folders that a program synchronises file by file, without knowing which files belong together. If both sides
/// changed a file, one file stays in its place, and the other one becomes a conflict copy beside it.
struct SyncedFolders {
  /// A file as such a program sees it.
  struct File: Hashable {
    var bytes: [UInt8]
    var modified: FileTime
  }

  typealias Files = [PackagePath: File]

  let disk: any Disk
  let first: FilePath
  let second: FilePath
  /// The program's name for a conflict copy.
  var name: (_ original: FileName, _ isOfFirst: Bool) -> FileName = SyncedFolders.syncthing
  /// The files of both folders after the last synchronisation.
  private var last: Files = [:]

  init(_ first: FilePath, _ second: FilePath, on disk: any Disk) throws {
    (self.disk, self.first, self.second) = (disk, first, second)
    last = try Self.files(in: first, on: disk)
    try Self.write(last, over: [:], in: second, on: disk)
  }

  static func syncthing(_ original: FileName, isOfFirst: Bool) -> FileName {
    let (base, end) = split(original)
    return FileName(
      "\(base).sync-conflict-20261121-10111\(isOfFirst ? 1 : 2)-\(isOfFirst ? "AAAAAAA" : "BBBBBBB")\(end)")
  }

  static func split(_ name: FileName) -> (base: String, end: String) {
    let text = name.string
    guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return (text, "") }
    return (String(text[..<dot]), String(text[dot...]))
  }

  /// Synchronises the two folders.
  ///
  /// - Parameter staysFirst: whether the first folder's file stays in its place, if both sides changed it.
  mutating func meet(_ staysFirst: (PackagePath) -> Bool) throws {
    let (own, other) = (try Self.files(in: first, on: disk), try Self.files(in: second, on: disk))
    var merged: Files = [:]
    for path in Set(own.keys).union(other.keys).sorted() {
      let (mine, theirs, before) = (own[path], other[path], last[path])
      if mine?.bytes == theirs?.bytes {
        merged[path] = mine
      } else if mine?.bytes == before?.bytes {
        merged[path] = theirs
      } else if theirs?.bytes == before?.bytes {
        merged[path] = mine
      } else if let mine, let theirs, let name = path.name {
        let isFirst = staysFirst(path)
        merged[path] = isFirst ? mine : theirs
        merged[path.parent.appending(self.name(name, !isFirst))] = isFirst ? theirs : mine
      } else {
        // A file that one side removed and the other one changed is there again.
        merged[path] = mine ?? theirs
      }
    }
    try Self.write(merged, over: own, in: first, on: disk)
    try Self.write(merged, over: other, in: second, on: disk)
    last = merged
  }

  // MARK: Files

  static func files(in folder: FilePath, on disk: any Disk) throws -> Files {
    var files: Files = [:]
    func add(_ directory: borrowing OwnedDescriptor, _ path: PackagePath) throws {
      let listing = try disk.list(directory)
      for position in 0..<listing.count {
        let name = listing.name(at: position)
        switch listing.kind(at: position) {
        case .directory: try add(disk.openDirectory(name, in: directory), path.appending(name))
        case .file:
          let file = try disk.openFile(name, in: directory)
          files[path.appending(name)] = File(
            bytes: try disk.readAll(file), modified: try disk.status(of: file).modified)
        default: break
        }
      }
    }
    try add(disk.openDirectory(at: folder), .root)
    return files
  }

  private static func write(
    _ files: Files, over present: Files, in folder: FilePath, on disk: any Disk
  ) throws {
    for path in present.keys where files[path] == nil {
      guard let name = path.name else { continue }
      try disk.removeFile(name, in: open(path.parent, in: folder, on: disk))
    }
    for (path, file) in files where present[path] != file {
      guard let name = path.name else { continue }
      let directory = try open(path.parent, in: folder, on: disk)
      if present[path] != nil { try disk.removeFile(name, in: directory) }
      try disk.makeFile(name, file.bytes, in: directory, mode: 0o644)
      try disk.setModified(file.modified, of: name, in: directory)
    }
  }

  private static func open(_ path: PackagePath, in folder: FilePath, on disk: any Disk) throws
    -> OwnedDescriptor
  {
    if path.isRoot {
      guard let name = folder.lastComponent else { return try disk.openDirectory(at: folder) }
      let parent = try disk.openDirectory(at: folder.removingLastComponent())
      if (try? disk.status(of: FileName(name), in: parent)) == nil {
        try disk.makeDirectory(FileName(name), in: parent, mode: 0o755)
      }
      return try disk.openDirectory(at: folder)
    }
    guard let name = path.name else { return try disk.openDirectory(at: folder) }
    let parent = try open(path.parent, in: folder, on: disk)
    if (try? disk.status(of: name, in: parent)) == nil {
      try disk.makeDirectory(name, in: parent, mode: 0o755)
    }
    return try disk.openDirectory(name, in: parent)
  }
}
