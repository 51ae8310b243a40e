import FilePackages
public import FoundationEssentials
public import ObjectStores

extension CloudContainer {
  /// Gives a container folder another store: another address of the same one, or a copy of it.
  ///
  /// It first probes the new store, which must have the folder's container. The next `sync()` compares its log with what
  /// this machine knows, and uploads the versions that the new store lacks.
  ///
  /// - Parameters:
  ///   - folder: a container folder.
  ///   - store: the new store, such as a copy that another program made of all objects.
  ///   - address: the new store's address without a secret, for the settings of the folder.
  ///   - options: further values that the address needs, such as an endpoint.
  ///   - old: the store that the container moves away from, to tell the other machines; nil to tell none. The next
  ///     `sync()` of each other machine fails with the code `moved`, and names the new address.
  /// - Throws: `CloudDataError` if the new store has no container or another one; `ObjectStoreError`; `busy`. After an
  ///   error the folder still has its old store, and the same call does the rest.
  public static func relocate(
    _ folder: URL, to store: any ObjectStore, address: String, options: [String: String] = [:],
    tellingIn old: (any ObjectStore)? = nil
  ) async throws {
    let container = try await open(folder, in: store)
    var settings = container.session.settings
    let before = settings.storePlace
    (settings.address, settings.options) = (address, options)
    try await container.exclusively {
      try await StoreProbe(store).check()
      try await container.session.checkMark()
    }
    // A call that was cut off at its end may have replaced the settings: their store is the new one.
    if let old, settings.storePlace != before {
      let former = try await open(folder, in: old)
      try await former.exclusively {
        // The entry may be that of a call that was cut off.
        try await former.session.catchUp()
        if try await former.session.state.text(.moved) == address { return }
        try await former.session.lookAtLog()
        // No other change excludes it.
        _ = try await former.session.committer.commit(.init(change: .moved(address)), in: former.session)
      }
    }
    try await container.exclusively { [settings] in
      try await container.session.folder.replace(settings)
      try await container.session.state.forget(.moved)
      try await container.session.state.set(.probed, to: settings.storePlace)
    }
  }
}
