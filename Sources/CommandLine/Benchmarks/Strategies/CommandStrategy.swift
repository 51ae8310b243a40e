import DurableIO
import FoundationEssentials
import SystemPackage

/// The whole command `docpkg edit --set …`, from its start to its end. The files that it reads exist already.
final class CommandStrategy: SaveStrategy {
  static let name = "command"

  private let folder: PackageFolder
  private let place: SavePlace
  private let command: String

  private init(_ command: FilePath, at place: SavePlace) {
    self.place = place
    self.command = command.string
    folder = PackageFolder(place: place)
  }

  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    try place.requireOwnDisk("a process")
    guard let command = place.command else {
      throw StrategyUnavailable(description: "the path of docpkg is unknown")
    }
    let strategy = Self(command, at: place)
    try await strategy.folder.makeStored(model)
    try place.disk.makeDirectory("Changes", in: place.disk.openDirectory(at: place.folder), mode: 0o777)
    return strategy
  }

  private var changes: String { place.folder.appending("Changes").string }

  func arrange(_ change: SaveChange) throws {
    let folder = try place.disk.openDirectory(at: place.folder.appending("Changes"))
    for child in change.children {
      try place.disk.replaceFile(child.name, child.contents, in: folder)
    }
  }

  func save(_ change: SaveChange) throws {
    var arguments = ["edit", place.folder.appending(PackageFolder.name.string).string, "--quiet"]
    for child in change.children {
      arguments += ["--set", "\(child.name.string)=\(changes)/\(child.name.string)"]
    }
    try ChildProcess().run(command, arguments)
  }

  func verify(_ model: ModelPackage) throws {
    try folder.verifyStored(model)
  }
}
