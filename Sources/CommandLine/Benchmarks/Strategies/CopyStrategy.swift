/// `cp -a` as a whole process: a copy of everything, without a sync.
final class CopyStrategy: DirectSaveStrategy {
  static let name = "cp"
  static let isDurable = false
  static let isAtomic = false

  private let package: DatedFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("cp")
    package = try DatedFolder(model, at: place)
  }

  private var isCopied = false

  func arrange(_ change: SaveChange) throws {
    try package.bring(change)
    if isCopied { try package.remove("Copy") }
  }

  func save(_ change: SaveChange) throws {
    isCopied = true
    try ChildProcess().run("cp", ["-a", package.path, package.path(beside: "Copy")])
  }

  func verify(_ model: ModelPackage) throws { try package.verify(model, at: package.path(beside: "Copy")) }
}
