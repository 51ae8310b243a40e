import DurableIO

/// Apple's algorithm: a new folder, with a hard link to each unchanged child and with new files for changed ones.
/// It is exchanged for the old folder, which is then removed link by link.
final class LinksStrategy: DirectSaveStrategy {
  static let name = "links"

  private let folder: WholeFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    folder = try WholeFolder(model, at: place)
  }

  func save(_ change: SaveChange) throws {
    try folder.save(change) { (name, old, new, disk) throws(SystemError) in
      try disk.link(name, in: old, to: name, in: new)
    }
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model)
  }
}
