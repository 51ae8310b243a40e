import DurableIO
import FoundationEssentials

/// The naive limit: a temporary file, its sync and a rename for each changed child and for the metadata, then one
/// sync of the folder. A power cut may leave some children old and some new.
final class NaiveStrategy: DirectSaveStrategy {
  static let name = "naive"
  static let isAtomic = false

  private let folder: PackageFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    folder = PackageFolder(place: place)
    try folder.make(model)
  }

  func save(_ change: SaveChange) throws {
    let package = try folder.open()
    for (name, contents) in change.files {
      try folder.disk.replaceFile(name, contents, in: package)
    }
    try folder.disk.synchronize(package)
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model)
  }
}

extension Disk {
  /// Replaces a file with a new synced one, without a sync for the rename.
  func replaceFile(
    _ name: FileName, _ contents: Data, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let temporary: FileName = ".temporary"
    try synchronize(makeFile(temporary, contents, in: directory))
    try rename(temporary, in: directory, to: name, in: directory, .replace)
  }
}
