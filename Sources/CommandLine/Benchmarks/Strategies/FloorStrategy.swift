import DurableIO
import FoundationEssentials

/// The physical floor: one write over bytes that are on the disk already, and one flush. It makes the changed
/// children's bytes durable, without names.
final class FloorStrategy: DirectSaveStrategy {
  static let name = "floor"
  static let isAtomic = false

  private let place: SavePlace
  private let file: OwnedDescriptor
  private var bytes: Data

  init(_ model: ModelPackage, at place: SavePlace) throws {
    self.place = place
    bytes = Data(repeating: 0, count: model.changedCount * model.size)
    let folder = try place.disk.openDirectory(at: place.folder)
    file = try place.disk.makeFile("Floor", bytes, in: folder)
    try place.disk.synchronize(file)
    try place.disk.synchronize(folder)
  }

  func save(_ change: SaveChange) throws {
    bytes.removeAll(keepingCapacity: true)
    for child in change.children { bytes.append(child.contents) }
    try place.disk.write(bytes, to: file, at: 0)
    try place.disk.synchronizeData(file)
  }

  func verify(_ model: ModelPackage) throws {
    let folder = try place.disk.openDirectory(at: place.folder)
    guard try place.disk.contents(of: "Floor", in: folder) == bytes else {
      throw BenchmarkError("the file differs from the last write")
    }
  }
}
