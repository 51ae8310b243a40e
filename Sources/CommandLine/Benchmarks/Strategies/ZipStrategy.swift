/// `zip -u` as a whole process: it makes a new archive and copies unchanged entries. It does not sync.
final class ZipStrategy: DirectSaveStrategy {
  static let name = "zip"
  static let isDurable = false

  private let package: DatedFolder

  init(_ model: ModelPackage, at place: SavePlace) throws {
    try place.requireOwnDisk("zip")
    package = try DatedFolder(model, at: place)
    try zip("-qr")
  }

  private func zip(_ options: String) throws {
    // The program starts in the package, so that names are those of the children.
    try ChildProcess(directory: package.path).run("zip", [options, "-1", "../Package.zip", "."])
  }

  func arrange(_ change: SaveChange) throws { try package.bring(change) }
  func save(_ change: SaveChange) throws { try zip("-qru") }

  func verify(_ model: ModelPackage) throws {
    let check = package.path(beside: "Check")
    try ChildProcess().run("unzip", ["-q", package.path(beside: "Package.zip"), "-d", check])
    try package.verify(model, at: check)
  }
}
