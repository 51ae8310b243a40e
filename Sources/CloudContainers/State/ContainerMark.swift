import FoundationEssentials
package import ObjectStores

/// The object that makes a store a container, with the container's identity.
///
/// A folder keeps the identity. So an empty or exchanged store is found out before it counts as one without documents.
package struct ContainerMark: Sendable {
  static let key: ObjectKey = "container"
  private static let maximumSize = 4 << 10
  private let store: any ObjectStore

  package init(_ store: any ObjectStore) { self.store = store }

  private struct Record: Codable {
    var format: Int
    var container: String
  }

  /// Returns the container's identity; makes a container if the store has none.
  package func findOrMake() async throws -> String {
    if let found = try await find() { return found }
    let container = UUID().uuidString.lowercased()
    if try await store.put(bytes(of: container), at: Self.key, ifAbsent: true) { return container }
    guard let found = try await find() else { throw error(.missing) }
    return found
  }

  /// Checks that the store has this container.
  package func check(_ container: String) async throws {
    guard let found = try await find() else {
      throw error(.missing, "the store has no container; check its address")
    }
    guard found == container else {
      throw error(.invalid, "the store has another container; check its address")
    }
  }

  /// Stores the identity of a container over a damaged one, or where it is missing.
  package func restore(_ container: String) async throws {
    try await store.put(bytes(of: container), at: Self.key)
  }

  private func bytes(of container: String) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(Record(format: 1, container: container))
  }

  /// Returns the container's identity; nil if the store has none.
  package func find() async throws -> String? {
    guard let bytes = try await store.get(Self.key, range: 0..<Self.maximumSize) else { return nil }
    guard let record = try? JSONDecoder().decode(Record.self, from: bytes), record.container.utf8.count <= 64
    else {
      throw error(.invalid)
    }
    if record.format > 1 { throw error(.newerFormat) }
    return record.container
  }

  private func error(_ code: CloudDataError.Code, _ reason: String? = nil) -> CloudDataError {
    CloudDataError(code, in: store.place, key: Self.key.string, reason: reason)
  }
}
