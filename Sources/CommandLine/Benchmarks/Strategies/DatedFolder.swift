import DurableIO
import FilePackages
import SystemPackage

/// A package as a plain folder for programs that compare dates. Each change gives its files a later date.
final class DatedFolder {
  let folder: PackageFolder
  private var time = FileTime(seconds: 1_700_000_000, nanoseconds: 0)

  init(_ model: ModelPackage, at place: SavePlace) throws {
    folder = PackageFolder(place: place)
    try folder.make(model)
    let package = try folder.open()
    for child in 0..<model.childCount { try date(model.name(of: child), in: package) }
    try date(ModelPackage.metadataName, in: package)
  }

  /// The folder's path.
  var path: String { folder.place.folder.appending(PackageFolder.name.string).string }

  /// Returns a path beside the folder.
  func path(beside name: String) -> String { folder.place.folder.appending(name).string }

  /// Writes the changed files into the folder.
  func bring(_ change: SaveChange) throws {
    // A zip stores dates in steps of two seconds.
    time.seconds += 4
    let package = try folder.open()
    for (name, contents) in change.files {
      try folder.disk.replaceFile(name, contents, in: package)
      try date(name, in: package)
    }
  }

  private func date(_ name: FileName, in package: borrowing OwnedDescriptor) throws {
    try folder.disk.setModified(time, of: name, in: package)
  }

  /// Compares every byte of another folder with the model.
  func verify(_ model: ModelPackage, at path: String) throws {
    try folder.verify(model, in: folder.disk.openDirectory(at: .init(path)))
  }

  /// Removes a folder beside this one.
  func remove(_ name: String) throws {
    // This removal must not count, so it does not use the counting disk.
    let disk = PosixDisk()
    let parent = try disk.openDirectory(at: folder.place.folder)
    guard TemporarySiblings(of: PackageFolder.name, on: disk).remove(FileName(name), from: parent) else {
      throw WrongContents(description: "'\(name)' could not be removed")
    }
  }
}
