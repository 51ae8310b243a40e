public import FoundationEssentials
public import ObjectStores

extension CloudContainer {
  /// Gives a container folder another store: another address of the same one, or a copy of it.
  ///
  /// First the store is probed, and has to have the folder's container. The next `sync()` compares all versions with
  /// those that this machine knows. So versions that the new store lacks go there again.
  ///
  /// - Parameters:
  ///   - folder: a folder of a container.
  ///   - store: the new store.
  ///   - address: the new store's address, as the settings keep it; it has no secret.
  ///   - options: further values that the address needs, such as an endpoint.
  ///   - old: the store to copy all objects from; nil if the new store has them. It stays as it is. A copy that was cut
  ///     short can be repeated, and sends only missing objects.
  /// - Returns: the number of objects that were copied.
  /// - Throws: `CloudDataError` if the new store has no container or another one; `ObjectStoreError`; `busy`. The folder
  ///   has its old store then.
  @discardableResult
  public static func relocate(
    _ folder: URL, to store: any ObjectStore, address: String, options: [String: String] = [:],
    copyingFrom old: (any ObjectStore)? = nil
  ) async throws -> Int {
    let container = try await open(folder, in: store)
    return try await container.exclusively {
      try await StoreProbe(store).check()
      let session = container.session
      var settings = session.settings
      var count = 0
      if let old {
        let copy = StoreCopy(source: old, target: store, container: settings.container, key: session.key)
        count = try await copy.run()
      }
      try await session.checkMark()
      // The facts about the old store say nothing about the new one. If the process ends here, the next run
      // looks once more at the old one.
      try await session.known.forget()
      try await session.state.set(.lastListing, to: 0)
      try await session.state.set(.clockMeasured, to: 0)
      (settings.address, settings.options) = (address, options)
      try await session.folder.replace(settings)
      return count
    }
  }
}
