import DurableIO
import FoundationEssentials

/// The naive limit: a temporary file, its synchronisation and a rename for each changed child and for the
/// metadata, and one synchronisation of the folder. A power cut may leave some children old and some new.
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
  /// Puts a new file, whose bytes are on the disk, in the place of another one. The rename is not synchronised.
  func replaceFile(
    _ name: FileName, _ contents: Data, in directory: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let temporary: FileName = ".temporary"
    try synchronize(makeFile(temporary, contents, in: directory))
    try rename(temporary, in: directory, to: name, in: directory, .replace)
  }
}
