/// `rsync -a --link-dest`, as a whole process: a new folder of hard links to unchanged children and of copies of
/// the rest. It does not sync.
final class RsyncStrategy: DirectSaveStrategy {
  static let name = "rsync"
  static let isDurable = false
  static let isAtomic = false

  private let package: DatedFolder
  private var number = 0

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("rsync")
    package = try DatedFolder(model, at: place)
    try ChildProcess().run("rsync", ["-a", package.path + "/", package.path(beside: "0")])
  }

  func arrange(_ change: SaveChange) throws { try package.bring(change) }

  func save(_ change: SaveChange) throws {
    let last = package.path(beside: "\(number)")
    number += 1
    try ChildProcess().run(
      "rsync", ["-a", "--link-dest", last, package.path + "/", package.path(beside: "\(number)")])
  }

  func finish() throws { try package.remove("\(number - 1)") }
  func verify(_ model: ModelPackage) throws {
    try package.verify(model, at: package.path(beside: "\(number)"))
  }
}
