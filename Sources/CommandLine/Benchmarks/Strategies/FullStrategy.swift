import DurableIO

/// A new copy of every child, changed or not. The unchanged bytes come from the old folder, which the system mostly
/// has in memory.
final class FullStrategy: DirectSaveStrategy {
  static let name = "full"

  private let folder: WholeFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    folder = try WholeFolder(model, at: place)
  }

  func save(_ change: SaveChange) throws {
    try folder.save(change) { (name, old, new, disk) throws(SystemError) in
      try disk.synchronize(disk.makeFile(name, disk.contents(of: name, in: old), in: new))
    }
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model)
  }
}
