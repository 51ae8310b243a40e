import DurableIO

/// A sync for each changed child and nothing else: no metadata, and no sync for the renames.
final class EachStrategy: DirectSaveStrategy {
  static let name = "each"
  static let isDurable = false
  static let isAtomic = false

  private let folder: PackageFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    folder = PackageFolder(place: place)
    try folder.make(model, metadata: false)
  }

  func save(_ change: SaveChange) throws {
    let package = try folder.open()
    for child in change.children {
      try folder.disk.replaceFile(child.name, child.contents, in: package)
    }
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model, metadata: .none)
  }
}
