import DurableIO
import FilePackages
import FoundationEssentials

/// This library's save of a model that makes its whole tree anew each time, measured until it is published.
final class RebuiltStrategy: SaveStrategy {
  static let name = "rebuilt"

  private let package: StoredPackage
  /// The bytes of every child, by name.
  private var contents: [String: Data]

  private init(_ package: StoredPackage, _ model: ModelPackage) {
    self.package = package
    contents = Dictionary(
      uniqueKeysWithValues: (0..<model.childCount).map { (model.name(of: $0).string, model.contents(of: $0)) }
    )
  }

  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    Self(try await StoredPackage.make(model, at: place, isCreated: true), model)
  }

  func save(_ change: SaveChange) async throws {
    for child in change.children { contents[child.name.string] = child.contents }
    let tree = FileWrapper(
      directoryWithFileWrappers: contents.mapValues { FileWrapper(regularFileWithContents: $0) })
    try await package.store.save(tree)
  }

  func finish() async throws {
    try await package.store.publish()
  }

  func verify(_ model: ModelPackage) async throws {
    try await package.verify(model)
  }
}
