import FilePackages

/// This library's staged save: a new state beside the old one, with links to unchanged children.
final class StagedStrategy: SaveStrategy {
  static let name = "staged"

  private let package: StoredPackage

  private init(_ package: StoredPackage) {
    self.package = package
  }

  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    Self(try await StoredPackage.make(model, at: place))
  }

  func save(_ change: SaveChange) async throws {
    _ = try await package.save(change, options: .staged)  // The report is not measured.
  }

  func verify(_ model: ModelPackage) async throws {
    try await package.verify(model)
  }
}
