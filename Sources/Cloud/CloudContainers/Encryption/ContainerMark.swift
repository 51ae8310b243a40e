import FilePackages
import FoundationEssentials
package import ObjectStores

// The mark of an encrypted container has a proof of its key. So a machine with the key accepts no mark of another
//     container, and none that says that nothing is encrypted.

/// The object that makes a store a container, with the container's identity.
///
/// A folder keeps the identity. So an empty or exchanged store is found out before it counts as one without documents.
/// No program encrypts this object: it tells how to get the key.
package struct ContainerMark: Sendable {
  package static let key: ObjectKey = "container"
  private static let maximumSize = 4 << 10
  private let store: any ObjectStore

  package init(_ store: any ObjectStore) { self.store = store }

  /// The content of the object.
  package struct Record: Sendable, Hashable, Codable {
    /// The format of the container.
    var format: Int
    package var container: String
    /// The digest that shows the key of an encrypted container; nil for one that is not.
    var proof: Data?
    /// The key for those who know the passphrase; nil if only a key file opens the container.
    package var slot: KeySlot?

    package init(container: String, key: ContainerKey? = nil, slot: KeySlot? = nil) {
      (format, self.container, self.slot) = (Self.format, container, slot)
      proof = key.map { Data(Self.proof(of: $0, container)) }
    }

    /// The format with a log; 1 and 2 had an object for each version.
    static let format = 3

    /// Whether the container is encrypted.
    package var isEncrypted: Bool { proof != nil }

    /// Whether a key is the one of the container.
    package func belongs(to key: ContainerKey) -> Bool {
      isEncrypted && proof == Data(Self.proof(of: key, container))
    }

    private static func proof(of key: ContainerKey, _ container: String) -> [UInt8] {
      key.derived(for: "mark \(container)")
    }
  }

  /// Makes a container; returns false if the store has one.
  package func make(_ record: Record) async throws -> Bool {
    try await store.put(bytes(of: record), at: Self.key, ifAbsent: true)
  }

  /// Checks that the store has this container, with this key.
  ///
  /// - Parameter key: the container's key; nil if it is not encrypted.
  /// - Returns: the mark.
  @discardableResult
  package func check(_ container: String, key: ContainerKey?) async throws -> Record {
    guard let found = try await find() else {
      throw error(.missing, "the store has no container; check its address")
    }
    guard found.container == container else {
      throw error(.invalid, "the store has another container; check its address")
    }
    guard let key else {
      if found.isEncrypted { throw error(.locked) }
      return found
    }
    guard found.isEncrypted else {
      throw error(.notEncrypted, "says that it is not encrypted, and this machine knows that it is")
    }
    guard found.belongs(to: key) else { throw error(.locked, "is encrypted with another key") }
    return found
  }

  /// Stores a mark over a damaged one, or over one with another passphrase.
  package func replace(_ record: Record) async throws(ObjectStoreError) {
    try await store.put(bytes(of: record), at: Self.key)
  }

  private func bytes(of record: Record) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do {
      return try encoder.encode(record)
    } catch {
      preconditionFailure("a mark has texts and numbers alone")
    }
  }

  /// Reads the mark; nil if the store has none.
  package func find() async throws -> Record? {
    guard let bytes = try await store.get(Self.key, limit: Self.maximumSize) else { return nil }
    // The error below replaces that of the decoder.
    guard let record = try? JSONDecoder().decode(Record.self, from: bytes), record.container.utf8.count <= 64
    else {
      throw error(.invalid)
    }
    if record.format > Record.format { throw error(.newerFormat) }
    guard record.format == Record.format else {
      throw error(
        .invalid, "an earlier version of this program made the container; make a new one in another place")
    }
    return record
  }

  func error(_ code: CloudDataError.Code, _ reason: String? = nil) -> CloudDataError {
    CloudDataError(code, in: store.place, key: Self.key.string, reason: reason)
  }
}
