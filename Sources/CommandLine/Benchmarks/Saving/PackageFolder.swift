import DurableIO
import FoundationEssentials

/// A package as a plain folder, for strategies without a format of their own.
struct PackageFolder {
  static let name: FileName = "Package"

  let place: SavePlace
  var disk: CountingDisk { place.disk }

  /// Makes the folder with every child of the model and the metadata, without a sync.
  func make(_ model: ModelPackage, metadata: Bool = true) throws {
    let folder = try disk.openDirectory(at: place.folder)
    try disk.makeDirectory(Self.name, in: folder, mode: 0o777)
    let package = try disk.openDirectory(Self.name, in: folder)
    for child in 0..<model.childCount {
      // Nothing needs the open file, nor that of the metadata.
      _ = try disk.makeFile(model.name(of: child), model.contents(of: child), in: package)
    }
    if metadata { _ = try disk.makeFile(ModelPackage.metadataName, model.metadata, in: package) }
  }

  /// Opens the folder, as a save does.
  func open() throws(SystemError) -> OwnedDescriptor {
    try disk.openDirectory(Self.name, in: disk.openDirectory(at: place.folder))
  }

  /// Compares every byte with the model.
  ///
  /// - Parameter metadata: the owner of the metadata file.
  func verify(_ model: ModelPackage, metadata: Metadata = .models) throws {
    let package = try open()
    for child in 0..<model.childCount {
      let name = model.name(of: child)
      guard try disk.contents(of: name, in: package) == model.contents(of: child) else {
        throw BenchmarkError("'\(name.display)' differs from the last save")
      }
    }
    if metadata == .models,
      try disk.contents(of: ModelPackage.metadataName, in: package) != model.metadata
    {
      throw BenchmarkError("the metadata differs from the last save")
    }
    let listing = try disk.list(package)
    let visible = (0..<listing.count).map(listing.name(at:)).filter { $0.bytes.first != UInt8(ascii: ".") }
    let expected = model.childCount + (metadata == .none ? 0 : 1)
    guard visible.count == expected else {
      throw BenchmarkError("there are \(visible.count) files, but \(expected) were saved")
    }
  }

  /// The owner of the metadata file.
  enum Metadata {
    case none, models, others
  }
}
