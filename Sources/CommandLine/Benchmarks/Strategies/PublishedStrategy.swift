import FilePackages

/// This library's save in place, measured until it is published.
final class PublishedStrategy: SaveStrategy {
  static let name = "published"

  private let package: StoredPackage

  private init(_ package: StoredPackage) {
    self.package = package
  }

  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    Self(try await StoredPackage.make(model, at: place))
  }

  func save(_ change: SaveChange) async throws {
    let report = try await package.save(change, options: []).report
    guard report.isPublished else {
      throw WrongContents(description: "it could not be published: \(report.warnings.first?.reason ?? "")")
    }
  }

  func finish() async throws {
    // This waits for the rest of the publishing, which the save does not wait for.
    try await package.store.publish()
  }

  func verify(_ model: ModelPackage) async throws {
    try await package.verify(model)
  }
}
