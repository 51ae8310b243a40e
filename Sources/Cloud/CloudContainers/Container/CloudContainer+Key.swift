import FilePackages
import ObjectStores

extension CloudContainer {
  /// Returns the text of a key file, which opens the container on another machine. Keep it secret.
  ///
  /// - Throws: `CloudDataError` with the code `notEncrypted` if the container is not encrypted.
  public func exportKey() throws -> String { try encryptionKey().text(container: session.settings.container) }

  /// Gives the container another passphrase. The key and the objects do not change, and each machine still has access.
  ///
  /// A person with the old passphrase and an earlier copy of the store's mark can still open the container.
  ///
  /// - Throws: `CloudDataError`; `ObjectStoreError`; `busy`.
  public func changePassphrase(to passphrase: String) async throws {
    try await exclusively {
      let key = try encryptionKey()
      try await session.checkMark()
      let slot = try KeySlot(key, passphrase: passphrase)
      try await ContainerMark(session.store).replace(
        ContainerMark.Record(container: session.settings.container, key: key, slot: slot))
    }
  }

  private func encryptionKey() throws -> ContainerKey {
    guard let key = session.key else { throw CloudDataError(.notEncrypted, in: session.store.place) }
    return key
  }
}
