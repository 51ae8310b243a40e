import DurableIO
import FilePackages

/// `rsync -a --link-dest`, as a whole process: a new folder of hard links to what is as it was, and copies of the rest.
/// Nothing is synchronised.
final class RsyncStrategy: DirectSaveStrategy {
  static let name = "rsync"
  static let isDurable = false
  static let isAtomic = false

  private let package: DatedFolder
  private var number = 0

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("rsync")
    package = try DatedFolder(model, at: place)
    try ChildProcess().run("rsync", ["-a", package.path + "/", package.path(beside: "0")])
  }

  func arrange(_ change: SaveChange) throws { try package.bring(change) }

  func save(_ change: SaveChange) throws {
    let last = package.path(beside: "\(number)")
    number += 1
    try ChildProcess().run(
      "rsync", ["-a", "--link-dest", last, package.path + "/", package.path(beside: "\(number)")])
  }

  func finish() throws { try package.remove("\(number - 1)") }
  func verify(_ model: ModelPackage) throws {
    try package.verify(model, at: package.path(beside: "\(number)"))
  }
}

/// `cp -a`, as a whole process: a copy of everything. Nothing is synchronised.
final class CopyStrategy: DirectSaveStrategy {
  static let name = "cp"
  static let isDurable = false
  static let isAtomic = false

  private let package: DatedFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("cp")
    package = try DatedFolder(model, at: place)
  }

  private var isCopied = false

  func arrange(_ change: SaveChange) throws {
    try package.bring(change)
    if isCopied { try package.remove("Copy") }
  }

  func save(_ change: SaveChange) throws {
    isCopied = true
    try ChildProcess().run("cp", ["-a", package.path, package.path(beside: "Copy")])
  }

  func verify(_ model: ModelPackage) throws { try package.verify(model, at: package.path(beside: "Copy")) }
}

extension DatedFolder {
  /// Removes a folder beside it.
  fileprivate func remove(_ name: String) throws {
    // Not through the disk that is counted.
    let disk = PosixDisk()
    let parent = try disk.openDirectory(at: folder.place.folder)
    guard Siblings(of: PackageFolder.name, on: disk).remove(FileName(name), from: parent) else {
      throw WrongContents(description: "'\(name)' could not be removed")
    }
  }
}
