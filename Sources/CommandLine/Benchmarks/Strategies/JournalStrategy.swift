import FilePackages

/// This library's save in place, measured until it is durable. The time to publish it does not count.
final class JournalStrategy: SaveStrategy {
  static let name = "journal"

  private let package: StoredPackage
  private(set) var flushes: Int?

  private init(_ package: StoredPackage) {
    self.package = package
  }

  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    Self(try await StoredPackage.make(model, at: place))
  }

  func save(_ change: SaveChange) async throws {
    flushes = try await package.save(change, options: .returnsAtCommit).flushes
  }

  func finish() async throws {
    try await package.store.publish()
  }

  func verify(_ model: ModelPackage) async throws {
    try await package.verify(model)
  }
}
