import DurableIO
import FoundationEssentials

/// A save that makes the whole folder anew beside the old one and exchanges the two.
class WholeFolder: DirectSaveStrategy {
  class var name: String { "" }

  private static let next: FileName = "Package.new"

  private let folder: PackageFolder
  /// The children's names in memory, as an application has them.
  private let names: [FileName]

  required init(_ model: ModelPackage, at place: SavePlace) throws {
    folder = PackageFolder(place: place)
    names = (0..<model.childCount).map(model.name(of:))
    try folder.make(model)
  }

  /// Puts an unchanged child of the old folder into the new one.
  class func carry(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    on disk: any Disk
  ) throws(SystemError) {}

  func save(_ change: SaveChange) throws {
    let disk = folder.disk
    let parent = try disk.openDirectory(at: folder.place.folder)
    let old = try disk.openDirectory(PackageFolder.name, in: parent)
    try disk.makeDirectory(Self.next, in: parent, mode: 0o777)
    let new = try disk.openDirectory(Self.next, in: parent)
    let changed = Set(change.children.map(\.number))
    for (number, name) in names.enumerated() where !changed.contains(number) {
      try Self.carry(name, from: old, to: new, on: disk)
    }
    for (name, contents) in change.files {
      try disk.synchronize(disk.makeFile(name, contents, in: new))
    }
    try disk.synchronize(new)
    try disk.rename(Self.next, in: parent, to: PackageFolder.name, in: parent, .exchange)
    try disk.synchronize(parent)
    for name in names { try disk.removeFile(name, in: old) }
    try disk.removeFile(ModelPackage.metadataName, in: old)
    try disk.removeDirectory(Self.next, in: parent)
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verify(model)
  }
}
