import DurableIO
import FoundationEssentials

/// Apple's algorithm with a reflink copy, which shares blocks, in the place of each hard link. It needs a file
/// system that supports that.
final class ReflinksStrategy: DirectSaveStrategy {
  static let name = "reflinks"

  private let folder: WholeFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try Self.requireCloning(at: place)
    folder = try WholeFolder(model, at: place)
  }

  private static func requireCloning(at place: SavePlace) throws {
    let parent = try place.disk.openDirectory(at: place.folder)
    let (one, other): (FileName, FileName) = ("one", "other")
    let source = try place.disk.makeFile(one, Data(repeating: 1, count: 4096), in: parent)
    let copy = try place.disk.createFile(other, in: parent, mode: 0o666)
    do throws(SystemError) {
      try place.disk.clone(source, to: copy)
    } catch {
      throw StrategyUnavailable(description: "this file system has no copies that share blocks (\(error))")
    }
    try place.disk.removeFile(one, in: parent)
    try place.disk.removeFile(other, in: parent)
  }

  func save(_ change: SaveChange) throws {
    try folder.save(change) { (name, old, new, disk) throws(SystemError) in
      let copy = try disk.createFile(name, in: new, mode: 0o666)
      try disk.clone(disk.openFile(name, in: old), to: copy)
      try disk.synchronize(copy)
    }
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model)
  }
}
