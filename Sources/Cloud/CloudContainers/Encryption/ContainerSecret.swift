import FilePackages
import FoundationEssentials
import ObjectStores

/// The secret that opens an encrypted container.
public enum ContainerSecret: Sendable {
  /// The user's passphrase. The store has the key, encrypted with it.
  case passphrase(String)
  /// The text of a key file: see `CloudContainer.exportKey()`.
  case keyFile(String)
}

extension ContainerMark {
  /// Finds the container of a store and its key, or makes a container.
  ///
  /// - Parameter secret: the secret of the container; nil for one that is not encrypted.
  /// - Throws: `CloudDataError`; `ObjectStoreError`; `CipherError`.
  func join(with secret: ContainerSecret?) async throws -> (container: String, key: ContainerKey?) {
    if let found = try await find() { return (found.container, try key(of: found, secret)) }
    let container = UUID().uuidString.lowercased()
    let record: Record
    var key: ContainerKey?
    switch secret {
    case nil: record = Record(container: container)
    case .passphrase(let passphrase)?:
      let new = ContainerKey.random()
      record = Record(container: container, key: new, slot: try KeySlot(new, passphrase: passphrase))
      key = new
    case .keyFile?:
      throw error(.missing, "the store has no container that a key could open; check its address")
    }
    if try await make(record) { return (container, key) }
    guard let found = try await find() else { throw error(.missing) }
    return (found.container, try self.key(of: found, secret))
  }

  /// Returns the key of a container; nil if it is not encrypted.
  private func key(of record: Record, _ secret: ContainerSecret?) throws -> ContainerKey? {
    guard let secret else {
      if record.isEncrypted { throw error(.locked) }
      return nil
    }
    guard record.isEncrypted else {
      throw error(.notEncrypted, "is not encrypted, although there is a secret for it")
    }
    let key: ContainerKey?
    switch secret {
    case .passphrase(let passphrase):
      guard let slot = record.slot else { throw error(.locked, "has no passphrase") }
      key = try slot.key(passphrase: passphrase)
    case .keyFile(let text):
      guard let (found, container) = ContainerKey.parse(text) else {
        throw error(.locked, "is encrypted, and the key file is none")
      }
      key = container == record.container ? found : nil
    }
    guard let key, record.belongs(to: key) else {
      throw error(.locked, "is encrypted, and the passphrase or the key is another one")
    }
    return key
  }
}
